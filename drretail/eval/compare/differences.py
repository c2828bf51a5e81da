"""All systems at once: who is above whom in each primary figure, as records and as one sentence each."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, sqrt
from statistics import fmean
from typing import NamedTuple

from drretail.eval.compare.rows import (
    Corrected,
    Tested,
    clusters_of,
    contrasts,
    counts_failures,
    side_of,
    tested,
)
from drretail.eval.compare.wording import (
    beside,
    listed,
    more_failures,
    needed,
    no_answers,
    primary_variants,
    row_facts,
    sample,
    why_incomplete,
)
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.pairs import Labels, research_labels
from drretail.eval.metric import is_unrated
from drretail.eval.registry import PAIRWISE
from drretail.eval.scores.facts import facts_of
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.eval.scores.pair_outcomes import preferred
from drretail.records.comparison import ComparedRow, Outcome
from drretail.records.pairs import PairScore
from drretail.records.score import CODE
from drretail.records.scoreboard import ComparedMeasure, ComparedPair
from drretail.stats.intervals import Estimate
from drretail.stats.significance import failures_added, fewest_users, holm, users_needed, users_range
from drretail.tables.figures import counted


class PrimaryTest(NamedTuple):
    """A primary figure by one assessor, which is tested for every pair of systems."""

    assessor: Assessor
    metric: str
    variant: str


Primary = Mapping[PrimaryTest, Mapping[Labels, Corrected]]
"""For each primary test, the corrected p value of every pair of systems, under either order of its labels."""
_Results = dict[tuple[PrimaryTest, Labels], Tested]


def primary_tests(
    gathered: Gathered,
    pairs: Collection[Labels],
    assessors: Sequence[Assessor],
    preferences: Sequence[PairScore] = (),
    metrics: Collection[str] | None = None,
) -> Primary:
    """Tests these pairs and all pairs of research systems in every primary figure of these judges, corrected (Holm).

    Corrected together are all pairs and all headlines of one judge, the overall preferences among ``preferences``, and
    the headlines that code measures. The latter belong to every judge's tests and take the strictest correction. Judges
    are not corrected for each other, since each has a table of its own. What was planned before anything was scored is
    corrected over what it asks.
    """
    every = [*combinations(research_labels(gathered.definition), 2)]
    every += [labels for labels in pairs if labels not in every and labels[::-1] not in every]
    more = failures_added(len({label for labels in every for label in labels}))
    more_if_planned = failures_added(len({label for pair in gathered.planned for label in (pair.a, pair.b)}))
    found, planned = _Results(), _Results()
    for assessor in assessors:
        for name, metric in gathered.metrics.items():
            is_asked = metrics is None or name in metrics
            if not is_asked or assessor not in gathered.assessors(name) or is_unrated(metric, assessor.judge):
                continue
            facts = facts_of(gathered, name, assessor)
            for variant in primary_variants(metric):
                sides = {label: side_of(facts[label].runs, variant) for labels in every for label in labels}
                bears = counts_failures(metric, variant, assessor.rules)
                test, names = PrimaryTest(assessor, name, variant), (variant, row_facts(metric, variant)["name"])
                for a, b in every:
                    both = sides[a], sides[b]
                    found[test, (a, b)] = tested(both, gathered.clusters, failures=more * bears)
                    if any(pair.asks((a, b), names) for pair in gathered.planned):
                        planned[test, (a, b)] = tested(both, gathered.clusters, failures=more_if_planned * bears)
    for row in preferences:
        if row.dimension == PRIMARY:
            # Without one more failure: a query that is lost weighs as much as one that is won.
            found[_preference(row), (row.a, row.b)] = Tested(row.p)
            if any(pair.asks((row.a, row.b), (PRIMARY, SIDE_BY_SIDE)) for pair in gathered.planned):
                planned[_preference(row), (row.a, row.b)] = Tested(row.p)
    return _corrected(found, planned)


def _corrected(results: _Results, planned: _Results) -> Primary:
    """``planned`` are corrected for each other alone, all ``results`` together."""
    found: dict[PrimaryTest, dict[Labels, Corrected]] = {test: {} for test, _ in results}
    judges = {test.assessor for test in found if test.assessor.judge.spec != CODE}
    for assessor in sorted(judges, key=lambda assessor: assessor.order) or [None]:
        counts = [test for test in found if test.assessor == assessor or test.assessor.judge.spec == CODE]
        every, asked = ({key: each for key, each in its.items() if key[0] in counts} for its in (results, planned))
        corrected = dict(zip(every, _holm([*every.values()]), strict=True))
        corrected |= {
            key: replace(each, is_planned=True) for key, each in zip(asked, _holm([*asked.values()]), strict=True)
        }
        for (test, (a, b)), each in corrected.items():
            before = found[test].get((a, b))
            if before is None or (each.p or 0.0, each.tests) > (before.p or 0.0, before.tests):
                found[test][a, b] = found[test][b, a] = each
    return found


def _holm(results: Sequence[Tested]) -> list[Corrected]:
    tests = sum(result.p is not None for result in results)
    decisive, seen = holm([result.decides for result in results]), holm([result.p for result in results])
    return [
        Corrected(p, tests, p_seen, result.failures) for result, p, p_seen in zip(results, decisive, seen, strict=True)
    ]


def with_primary(pairs: Sequence[PairScore], primary: Primary) -> tuple[PairScore, ...]:
    """The same rows, with overall preferences corrected as part of all ``primary`` tests."""

    def corrected(row: PairScore) -> PairScore:
        its = primary.get(_preference(row), {}).get((row.a, row.b)) if row.dimension == PRIMARY else None
        return row if its is None else row.model_copy(update={"p_holm": its.p, "tests": its.tests})

    return tuple(corrected(row) for row in pairs)


def _preference(row: PairScore) -> PrimaryTest:
    return PrimaryTest(Assessor.of(row), PAIRWISE, PRIMARY)


ALONE = "One system researches: there is nothing to compare it with."
SIDE_BY_SIDE = "side by side"


def nothing_to_compare(gathered: Gathered) -> str:
    """Why no two systems are compared: only one researches, or every run failed; empty if systems can be compared.

    "All 20 runs failed (no_research): nothing was compared." is the reason only if no run left a report or is still to
    be made.
    """
    labels = research_labels(gathered.definition)
    plans = [plan for plan in gathered.plans if plan.label in labels]
    if plans and all(plan.status in ("failed", "spoiled") for plan in plans):
        kinds = ", ".join(dict.fromkeys(plan.error for plan in plans if plan.error))
        which = "The only run" if len(plans) == 1 else f"All {len(plans):,} runs"
        return f"{which} failed{f' ({kinds})' if kinds else ''}: nothing was compared."
    return "" if len(labels) > 1 else ALONE


def compared_measures(
    gathered: Gathered,
    assessors: Sequence[Assessor],
    called: Mapping[tuple[str, str], str],
    primary: Primary,
    pairs: Sequence[PairScore] = (),
) -> list[ComparedMeasure]:
    """All pairs of research systems in each primary figure; empty if ``nothing_to_compare`` gives a reason.

    Each metric is taken from the first of ``assessors`` that judged it. ``called`` gives a column's name by metric and
    variant. Conclusions rest on p values corrected over all ``primary`` tests; none is drawn from a rule-based judge.
    """
    every = list(combinations(research_labels(gathered.definition), 2))
    if not every or nothing_to_compare(gathered):
        return []
    made = list(_of_scores(gathered, assessors, called, every, primary))
    preferences = with_primary(_preferences(pairs, assessors, every), primary)
    if preferences:
        rates = {label: 0.0 for row in preferences for label in (row.a, row.b)}
        for row in preferences:
            rates[row.a] += (row.win_rate or 0) - 0.5
            rates[row.b] += 0.5 - (row.win_rate or 0)
        made.append(
            ComparedMeasure(
                measure=SIDE_BY_SIDE,
                judge=preferences[0].judge,
                failed=sum(row.failed_verdicts for row in preferences),
                means=rates,
                pairs=tuple(ComparedPair(a=row.a, b=row.b, row=_preference_row(row)) for row in preferences),
            )
        )
    return made


def _of_scores(
    gathered: Gathered,
    assessors: Sequence[Assessor],
    called: Mapping[tuple[str, str], str],
    every: Sequence[Labels],
    primary: Primary,
) -> Iterator[ComparedMeasure]:
    for name in gathered.metrics:
        assessor = next((assessor for assessor in assessors if assessor in gathered.assessors(name)), None)
        variants = [test.variant for test in primary if (test.assessor, test.metric) == (assessor, name)]
        if assessor is None or not variants:
            continue
        facts = facts_of(gathered, name, assessor)
        for variant in variants:
            sides = {label: side_of(facts[label].runs, variant) for labels in every for label in labels}
            tests = primary[PrimaryTest(assessor, name, variant)]
            made: list[ComparedPair] = []
            for a, b in every:
                both = {variant: (sides[a], sides[b])}
                rows = contrasts(gathered, (facts[a], facts[b]), both, {variant: tests[a, b]})
                made += [ComparedPair(a=a, b=b, row=row) for row in rows]
            if any(pair.row.outcome != "nothing" for pair in made):
                by_query = {
                    label: [fmean(repeats) for repeats in side.values.values() if repeats]
                    for label, side in sides.items()
                }
                yield ComparedMeasure(
                    measure=called.get((name, variant)) or made[0].row.name,
                    judge=assessor.judge.spec,
                    failed=sum(len(judged.errors) for its in facts.values() for _, judged in its.runs),
                    means={label: fmean(values) if values else 0.0 for label, values in by_query.items()},
                    pairs=tuple(made),
                )


def _preferences(pairs: Sequence[PairScore], assessors: Sequence[Assessor], every: Sequence[Labels]) -> list[PairScore]:
    """The overall preferences side by side of the first of ``assessors`` that has any, else of another judge."""
    researched = {frozenset(labels) for labels in every}
    overall = [
        row
        for row in pairs
        if row.dimension == PRIMARY and frozenset((row.a, row.b)) in researched and row.note is None and row.n_scored
    ]
    judges = dict.fromkeys((*assessors, *map(Assessor.of, overall)))
    by_judge = ([row for row in overall if Assessor.of(row) == judge] for judge in judges)
    return next((rows for rows in by_judge if rows), [])


def _preference_row(row: PairScore) -> ComparedRow:
    """The preference as a row; its difference is the share of queries won minus the share lost (2 x win rate − 1)."""
    winner, tests = preferred(row), max(1, row.tests)
    ends = [None if end is None else round(2 * end - 1, 10) for end in (row.win_rate, row.ci_low, row.ci_high)]
    made = ComparedRow(
        metric=PAIRWISE,
        variant=PRIMARY,
        name=SIDE_BY_SIDE,
        difference=ends[0],
        ci_low=ends[1],
        ci_high=ends[2],
        no_interval=row.no_interval,
        n_planned=row.n_queries,
        n_pairs=row.n_queries,
        n_users=row.n_users,
        above=row.queries_won,
        equal=row.n_queries - row.queries_won - row.queries_lost,
        below=row.queries_lost,
        p=row.p,
        p_holm=row.p_holm,
        tests=row.tests,
        is_primary=True,
        outcome="undecided" if winner is None else "higher" if winner == row.a else "lower",
    )
    is_few = winner is None and clusters_of(made) < fewest_users(tests)
    instead = {"outcome": "too_few" if row.reads else "not_read"} if is_few or not row.reads else {}
    return made.model_copy(update=_queries_needed(row, tests) | instead)


def _queries_needed(row: PairScore, tests: int) -> dict[str, object]:
    """How many queries would show a preference this clear; none below two queries, or if users ask several."""
    n, won, lost = row.n_queries, row.queries_won, row.queries_lost
    if n < 2 or row.n_users not in (None, n):
        return {}
    mean = (won - lost) / n
    seen = Estimate(mean, sqrt(max(0.0, (won + lost - n * mean * mean) / (n - 1) / n)), n - 1)
    counts = (users_needed(seen, n, tests), *users_range(seen, n, tests))
    names = ("queries_needed", "queries_at_least", "queries_at_most")
    return {
        name: None if count is None else max(count, fewest_users(tests))
        for name, count in zip(names, counts, strict=True)
    }


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one measure, or of several measures with the same result."""

    measures: Sequence[ComparedMeasure]
    outcome: Outcome
    """The outcome of all pairs together: "higher" if any two systems are shown to differ."""
    about: str
    """The names of the measures."""
    nothing: str
    """ "no difference is shown", or empty if ``rest`` says all."""
    rest: str
    """ "a above b (n = 50 queries)", "by 10 queries"."""

    @property
    def sentence(self) -> str:
        return f"{self.about}: {self.nothing}{' ' if self.nothing else ''}{self.rest}."


def findings(measures: Sequence[ComparedMeasure], names: Mapping[str, str]) -> list[Finding]:
    """One finding for all measures with the same sentence, in the order of the measures; shown differences come first.

    ``names`` are the display names of the systems.
    """
    alike: dict[tuple[Outcome, str, str], list[ComparedMeasure]] = {}
    for measure in measures:
        alike.setdefault((outcome_of_all(measure), *_content(measure, names)), []).append(measure)
    found = [
        Finding(group, outcome, listed(dict.fromkeys(each.measure for each in group)), nothing, rest)
        for (outcome, nothing, rest), group in alike.items()
    ]
    return sorted(found, key=lambda finding: finding.outcome != "higher")


def outcome_of_all(measure: ComparedMeasure) -> Outcome:
    """ "higher" if any two systems are shown to differ; otherwise the reason why none are."""
    outcomes: set[Outcome] = {pair.row.outcome for pair in measure.pairs if pair.row.outcome != "nothing"}
    if "lower" in outcomes:
        return "higher"
    if len(outcomes) == 1:
        return outcomes.pop()
    first: tuple[Outcome, ...] = ("higher", "undone", "answers_less", "missing", "undecided")
    for outcome in first:
        if outcome in outcomes:
            return outcome
    return "too_few"


def _content(measure: ComparedMeasure, names: Mapping[str, str]) -> tuple[str, str]:
    """The two halves of the sentence: ``Finding.nothing`` and ``Finding.rest``."""
    rows = [pair.row for pair in measure.pairs]
    largest, tests = largest_of(measure), max(row.tests for row in rows)
    few = sample(largest.n_pairs, largest.n_users)
    outcome = outcome_of_all(measure)
    if outcome == "higher":
        failed = f"; {measure.judge} {no_answers(measure.failed)}" if measure.failed else ""
        return "", f"{order(measure, names)} (n = {few}{failed})"
    if largest.metric == PAIRWISE and outcome != "not_read":
        return f"no preference is shown in {counted(len(rows), 'pair')}", f"by {few}"
    if outcome == "not_concluded":
        return "", f"nothing is concluded from {measure.judge}, which follows rules: score with --judge PROVIDER:MODEL"
    if outcome == "not_read":
        return "", f"nothing is concluded from {measure.judge}, which doesn't read the reports"
    if outcome == "missing":
        return "", why_incomplete(rows)
    if outcome == "identical":
        return "", f"the same in every system on {'the one query' if largest.n_pairs == 1 else f'all {few}'}"
    at_once = "" if tests < 2 else f" (corrected for {tests:,} tests)"
    if outcome in ("undone", "answers_less"):
        pairs = [pair for pair in measure.pairs if pair.row.outcome == outcome]
        pair = min(pairs, key=lambda pair: pair.row.queries_needed or inf)
        is_b = (pair.row.difference or 0) <= 0
        one, other = (names[label] for label in ((pair.b, pair.a) if is_b else (pair.a, pair.b)))
        if outcome == "answers_less":
            why = f"it is lower in {listed(pair.row.against)}"
        else:
            among, failures = beside(pair.row, flipped=is_b)
            also = [f"among finished reports {among}"] if among else []
            also += [f"failures {failures}"] if failures else []
            also += [f"{needed(pair.row)} are needed"] if needed(pair.row) else []
            why = f"{more_failures(pair.row)} would undo it{at_once} ({'; '.join(also)})"
        return "", f"{one} above {other} is not concluded: {why}"
    if outcome == "too_few":
        whom = "queries" if largest.n_users is None else "users"
        at_least = f"it takes {fewest_users(tests):,} {whom} at least, even if all end alike"
        return "", f"{few} can show no difference{at_once}: {at_least}"
    takes = clearest(measure)
    seen = f": to show the clearest difference seen, it would take {needed(takes)}" if takes else ""
    return "no difference is shown", f"by {few}{at_once}{seen}"


def largest_of(measure: ComparedMeasure) -> ComparedRow:
    """The row of the pair with the most queries."""
    return max((pair.row for pair in measure.pairs), key=lambda row: row.n_pairs)


def clearest(measure: ComparedMeasure) -> ComparedRow | None:
    """The row whose difference the fewest queries would show; None if no number is known."""
    rows = [pair.row for pair in measure.pairs if pair.row.queries_needed is not None]
    return min(rows, key=lambda row: row.queries_needed or 0, default=None)


def order(measure: ComparedMeasure, names: Mapping[str, str], verb: str = "above") -> str:
    """ "a above b and c; c and d above e; of the other 4 pairs no difference is shown", the best system first."""
    won = {
        (pair.a, pair.b) if pair.row.outcome == "higher" else (pair.b, pair.a)
        for pair in measure.pairs
        if pair.row.outcome in ("higher", "lower")
    }
    ranked = sorted(measure.means, key=lambda label: (-measure.means[label], label))
    groups: dict[tuple[str, ...], list[str]] = {}
    for winner in ranked:
        losers = tuple(loser for loser in ranked if (winner, loser) in won)
        if losers:
            groups.setdefault(losers, []).append(winner)
    parts = [
        f"{listed(names[each] for each in winners)} {verb} {listed(names[each] for each in losers)}"
        for losers, winners in groups.items()
    ]
    rest = len(measure.pairs) - len(won)
    if rest:
        parts.append(f"of the other {'pair' if rest == 1 else f'{rest:,} pairs'} no difference is shown")
    return "; ".join(parts)
