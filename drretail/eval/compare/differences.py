"""All systems at once: who is above whom in what systems are chosen by, in a sentence each."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from drretail.eval.compare.primary import Primary, PrimaryTest, primary_tests, with_primary
from drretail.eval.compare.rows import compared_rows, runs_of, side_of
from drretail.eval.compare.wording import listed, row_facts, sample, why_incomplete
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.pairs import Labels, research_labels
from drretail.eval.scores.gathering import Assessor, Gathered, Plan
from drretail.eval.scores.pair_outcomes import preferred
from drretail.records.comparison import ComparedRow
from drretail.records.pairs import PairScore
from drretail.records.score import CODE
from drretail.stats.significance import fewest_users

ALONE = "One system researches: there is nothing to compare it with."


class _Finding(NamedTuple):
    about: str
    sentence: str


def differences(
    gathered: Gathered,
    assessors: Sequence[Assessor],
    names: Mapping[str, str],
    called: Mapping[tuple[str, str], str],
    pairs: Sequence[PairScore] = (),
) -> list[str]:
    """Sentences on what systems are chosen by, those of one content together; what is shown to differ comes first.

    Of every family the first of ``assessors`` counts that judged it. ``names`` are what the systems go by, ``called``
    by family and variant what is said for it. Nothing is concluded before correction over all of these tests in all
    pairs of systems (Holm), nor from a rule-based judge.
    """
    labels = research_labels(gathered.definition)
    failed = _all_failed([plan for plan in gathered.plans if plan.label in labels])
    if failed:
        return [failed]
    every = list(combinations(labels, 2))
    if not every:
        return [ALONE]
    preferences = _preferences(pairs, assessors, every)
    primary = primary_tests(gathered, every, assessors, preferences)
    found = [*_of_scores(gathered, assessors, names, called, every, primary)]
    if preferences:
        found.append(_Finding("side by side", _preferred(with_primary(preferences, primary), names)))
    sentences = dict.fromkeys(finding.sentence for finding in found)
    shown = sorted(
        sentences, key=lambda sentence: ABOVE not in sentence
    )  # a stable sort: in the order of the board otherwise
    return [
        f"{listed(dict.fromkeys(finding.about for finding in found if finding.sentence == sentence))}: {sentence}."
        for sentence in shown
    ]


ABOVE = " above "
ALL_FAILED = re.compile(r"All [\d,]+ runs failed|The only run failed")


def _all_failed(plans: Sequence[Plan]) -> str:
    """ "All 20 runs failed (no_research): nothing was compared."; empty where any left a report or is not made yet."""
    if not plans or any(plan.status not in ("failed", "spoiled") for plan in plans):
        return ""
    kinds = ", ".join(dict.fromkeys(plan.error for plan in plans if plan.error))
    which = "The only run" if len(plans) == 1 else f"All {len(plans):,} runs"
    return f"{which} failed{f' ({kinds})' if kinds else ''}: nothing was compared."


def _of_scores(
    gathered: Gathered,
    assessors: Sequence[Assessor],
    names: Mapping[str, str],
    called: Mapping[tuple[str, str], str],
    every: Sequence[Labels],
    primary: Primary,
) -> Iterator[_Finding]:
    for name, metric in gathered.families.items():
        assessor = next((assessor for assessor in assessors if assessor in gathered.assessors(name)), None)
        variants = [test.variant for test in primary if (test.assessor, test.metric) == (assessor, name)]
        if assessor is None or not variants:
            continue
        runs = runs_of(gathered, name, assessor)
        for variant in variants:
            sides = {label: side_of(runs[label], variant) for labels in every for label in labels}
            tests = {_key(labels): primary[PrimaryTest(assessor, name, variant)][labels] for labels in every}
            rows = compared_rows(
                name,
                {_key((a, b)): (sides[a], sides[b]) for a, b in every},
                gathered.clusters,
                tests,
                concludes=assessor.judge.kind != "rule_based" or assessor.judge.spec == CODE,
            )
            if any(row.outcome != "nothing" for row in rows):
                by_query = {label: [fmean(its) for its in side.values.values() if its] for label, side in sides.items()}
                means = {label: fmean(its) if its else 0.0 for label, its in by_query.items()}
                about = called.get((name, variant)) or row_facts(metric, variant)["name"]
                yield _Finding(about, _sentence(rows, every, names, means, assessor))


def _key(labels: Labels) -> str:
    """A pair in place of a variant: all pairs of one variant are a family of tests."""
    return "~".join(labels)


def _sentence(
    rows: Sequence[ComparedRow],
    every: Sequence[Labels],
    names: Mapping[str, str],
    means: Mapping[str, float],
    assessor: Assessor,
) -> str:
    won = [
        (a, b) if row.outcome == "higher" else (b, a)
        for (a, b), row in zip(every, rows, strict=True)
        if row.outcome in ("higher", "lower")
    ]
    if won:
        largest = max(rows, key=lambda row: row.n_pairs)
        return f"{_order(won, names, means, len(every))} (n = {sample(largest.n_pairs, largest.n_users)})"
    return _nothing_shown(rows, assessor)


def _order(won: Sequence[Labels], names: Mapping[str, str], means: Mapping[str, float], pairs: int) -> str:
    """ "a above b and c; c and d above e; of the other 4 pairs no difference is shown", the best system first."""
    ranked = sorted(means, key=lambda label: (-means[label], label))
    groups: dict[tuple[str, ...], list[str]] = {}
    for winner in ranked:
        losers = tuple(loser for loser in ranked if (winner, loser) in won)
        if losers:
            groups.setdefault(losers, []).append(winner)
    parts = [
        f"{listed(names[each] for each in winners)}{ABOVE}{listed(names[each] for each in losers)}"
        for losers, winners in groups.items()
    ]
    rest = pairs - len(won)
    if rest:
        parts.append(f"of the other {'pair' if rest == 1 else f'{rest:,} pairs'} no difference is shown")
    return "; ".join(parts)


def _nothing_shown(rows: Sequence[ComparedRow], assessor: Assessor) -> str:
    """Why, and what it would take."""
    outcomes = {row.outcome for row in rows if row.outcome != "nothing"}
    largest = max(rows, key=lambda row: row.n_pairs)
    few, tests = sample(largest.n_pairs, largest.n_users), max(row.tests for row in rows)
    at_once = "" if tests < 2 else f" (corrected for {tests:,} tests)"
    if outcomes == {"not_concluded"}:
        return (
            f"nothing is concluded from {assessor.judge.spec}, which follows rules: score with --judge PROVIDER:MODEL"
        )
    if "missing" in outcomes:
        return why_incomplete(rows)
    if outcomes == {"identical"}:
        return f"the same in every system on {'the one query' if largest.n_pairs == 1 else f'all {few}'}"
    if "undecided" not in outcomes:
        whom = "queries" if largest.n_users is None else "users"
        return f"{few} can show no difference{at_once}: it takes {fewest_users(tests):,} {whom} at least"
    takes = min(
        ((row.queries_needed, row.users_needed) for row in rows if row.queries_needed is not None), default=None
    )
    clearest = f": to show the clearest difference seen, it would take about {sample(*takes)}" if takes else ""
    return f"no difference is shown by {few}{at_once}{clearest}"


def _preferences(pairs: Sequence[PairScore], assessors: Sequence[Assessor], every: Sequence[Labels]) -> list[PairScore]:
    """Who is preferred side by side overall, by the first of the judges who compared any."""
    researched = {frozenset(labels) for labels in every}
    overall = [
        row
        for row in pairs
        if row.dimension == PRIMARY and frozenset((row.a, row.b)) in researched and row.note is None and row.n_scored
    ]
    by_assessor = ([row for row in overall if Assessor.of(row) == assessor] for assessor in assessors)
    return next((rows for rows in by_assessor if rows), [])


def _preferred(rows: Sequence[PairScore], names: Mapping[str, str]) -> str:
    won = [(winner, row.b if winner == row.a else row.a) for row in rows if (winner := preferred(row)) is not None]
    if not won:
        most = max(rows, key=lambda row: row.n_queries)
        of = f"{len(rows):,} {'pair' if len(rows) == 1 else 'pairs'}"
        return f"no preference is shown in {of} by {sample(most.n_queries, most.n_users)}"
    rates = {label: 0.0 for row in rows for label in (row.a, row.b)}
    for row in rows:
        rates[row.a] += (row.win_rate or 0) - 0.5
        rates[row.b] += 0.5 - (row.win_rate or 0)
    most = max(rows, key=lambda row: row.n_queries)
    return f"{_order(won, names, rates, len(rows))} (n = {sample(most.n_queries, most.n_users)})"
