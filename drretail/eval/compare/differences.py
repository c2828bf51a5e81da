"""All systems at once: the tests of every pair in each primary figure, corrected together, and what they come to.
Comparisons that were asked for before anything was scored (``--planned A~B:FP,feasible``) are read here.

They are corrected over what they ask, all others over all pairs of systems. The plan is kept in the experiment.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from drretail.errors import UnknownName, UserError
from drretail.eval.compare.rows import (
    Corrected,
    Tested,
    concluded,
    contrasts,
    side_of,
    tested,
)
from drretail.eval.compare.wording import SIDE_BY_SIDE, primary_variants, row_facts
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.question import judged_in
from drretail.eval.judging.subject import BETWEEN, Labels, research_labels, resolve_name
from drretail.eval.metric import Metric, is_unrated
from drretail.eval.registry import METRICS, PAIRWISE, load_metrics
from drretail.eval.scores.facts import facts_of
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.eval.scores.planned import headline_variants
from drretail.experiment import PLANNED, read_plan
from drretail.files import write_json
from drretail.records.comparison import ComparedRow, PairScore, PlannedPair, PlannedPairs
from drretail.records.score import CODE
from drretail.stats.significance import failures_added, holm


def plan_of(texts: Sequence[str], labels: Collection[str], metrics: Sequence[str | Metric] = ()) -> list[PlannedPair]:
    """What these texts ask for; without names after the colon, all headlines.

    Raises UserError for a text of another form, and UnknownName for a wrong label or headline.
    """
    if not texts:  # the headlines are those of all metrics, whose modules are many
        return []
    known = {SIDE_BY_SIDE} | {
        name
        for metric in load_metrics(dict.fromkeys((*METRICS, *(each for each in metrics if isinstance(each, Metric)))))
        for variant in primary_variants(metric)
        for name in (variant, row_facts(metric, variant)["name"])
    }
    made: list[PlannedPair] = []
    for text in texts:
        pair, colon, listed = text.partition(":")
        one, between, other = pair.partition(BETWEEN)
        if not (between and one.strip() and other.strip()):
            raise UserError(f"--planned {text!r} is no comparison: write A~B:FP,feasible, or A~B for all headlines.")
        names = [name.strip() for name in listed.split(",") if name.strip()]
        if colon and not names:
            raise UserError(f"--planned {text!r} names no headline: write A~B:FP,feasible, or A~B for all headlines.")
        for name in names:
            if name not in known:
                raise UnknownName("headline", name, sorted(known), names_all=True)
        a, b = sorted(resolve_name("system", each.strip(), labels) for each in (one, other))
        if a == b:
            raise UserError(f"--planned {text!r} names {a} twice: name two systems.")
        made.append(PlannedPair(a=a, b=b, headlines=tuple(names)))
    return made


def check_plan(experiment: Path, plan: Sequence[PlannedPair]) -> None:
    """Raises UserError if another plan is kept in the experiment, or if something was scored before this one."""
    before = read_plan(experiment)
    if not plan or before == tuple(plan):
        return
    if before:
        raise UserError(f"{experiment} has another plan: leave --planned out, or name what its {PLANNED} holds.")
    if judged_in(experiment) or (experiment / "scores.json").exists():
        raise UserError(
            f"{experiment} was scored before: a pair chosen after looking is corrected over all pairs. "
            "Plan with `drretail run --planned`, or at the first `drretail score`."
        )


def keep_plan(experiment: Path, plan: Sequence[PlannedPair]) -> None:
    """Keeps a plan in the experiment. Raises as ``check_plan`` does."""
    check_plan(experiment, plan)
    if plan:
        write_json(experiment / PLANNED, PlannedPairs(pairs=tuple(plan)).model_dump(mode="json"))


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
    results, planned = _Results(), _Results()
    for assessor in assessors:
        for name, metric in gathered.metrics.items():
            is_asked = metrics is None or name in metrics
            if not is_asked or assessor not in gathered.assessors(name) or is_unrated(metric, assessor.judge):
                continue
            facts, higher_is_better = facts_of(gathered, name, assessor), metric.description.higher_is_better
            for variant in primary_variants(metric):
                sides = {label: side_of(facts[label].runs, variant) for labels in every for label in labels}
                # In these headlines a failed run earns 0, and nothing earns less.
                bears = assessor.rules == "default" and higher_is_better and variant in headline_variants(metric)
                test, names = PrimaryTest(assessor, name, variant), (variant, row_facts(metric, variant)["name"])
                for a, b in every:
                    both = sides[a], sides[b]
                    results[test, (a, b)] = tested(both, gathered.clusters, failures=more * bears)
                    if any(pair.asks((a, b), names) for pair in gathered.planned):
                        planned[test, (a, b)] = tested(both, gathered.clusters, failures=more_if_planned * bears)
    for row in preferences:
        if row.dimension == PRIMARY:
            # Without one more failure: a query that is lost weighs as much as one that is won.
            results[_preference(row), (row.a, row.b)] = Tested(row.contrast.p)
            if any(pair.asks((row.a, row.b), (PRIMARY, SIDE_BY_SIDE)) for pair in gathered.planned):
                planned[_preference(row), (row.a, row.b)] = Tested(row.contrast.p)
    return _corrected(results, planned)


def _corrected(results: _Results, planned: _Results) -> Primary:
    """``planned`` are corrected for each other alone, all ``results`` together."""
    by_test: dict[PrimaryTest, dict[Labels, Corrected]] = {test: {} for test, _ in results}
    judges = {test.assessor for test in by_test if test.assessor.judge.spec != CODE}
    for assessor in sorted(judges, key=lambda assessor: assessor.order) or [None]:
        counts = [test for test in by_test if test.assessor == assessor or test.assessor.judge.spec == CODE]
        every, of_plan = ({key: each for key, each in its.items() if key[0] in counts} for its in (results, planned))
        corrected = dict(zip(every, _holm([*every.values()]), strict=True))
        corrected |= zip(of_plan, _holm([*of_plan.values()], is_planned=True), strict=True)
        for (test, (a, b)), each in corrected.items():
            before = by_test[test].get((a, b))
            if before is None or (each.p or 0.0, each.tests) > (before.p or 0.0, before.tests):
                by_test[test][a, b] = by_test[test][b, a] = each
    return by_test


def _holm(results: Sequence[Tested], *, is_planned: bool = False) -> list[Corrected]:
    tests = sum(result.p is not None for result in results)
    decisive, seen = holm([result.decides for result in results]), holm([result.p for result in results])
    both = zip(results, decisive, seen, strict=True)
    return [Corrected(p, tests, p_seen, result.failures, is_planned) for result, p, p_seen in both]


def with_primary(pairs: Sequence[PairScore], primary: Primary) -> tuple[PairScore, ...]:
    """The same rows, with overall preferences concluded as part of all ``primary`` tests."""
    rows: list[PairScore] = []
    for row in pairs:
        corrected = primary.get(_preference(row), {}).get((row.a, row.b)) if row.dimension == PRIMARY else None
        if corrected is None:
            rows.append(row)
            continue
        instead = row.contrast.outcome if row.contrast.outcome in ("not_read", "not_concluded") else None
        contrast = concluded(row.contrast, corrected, is_primary=True, instead=instead)
        rows.append(row.model_copy(update={"contrast": contrast}))
    return tuple(rows)


def _preference(row: PairScore) -> PrimaryTest:
    return PrimaryTest(Assessor.of(row), PAIRWISE, PRIMARY)


ALONE = "One system researches: there is nothing to compare it with."


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


def compared_pairs(
    gathered: Gathered,
    assessors: Sequence[Assessor],
    called: Mapping[tuple[str, str], str],
    primary: Primary,
    pairs: Sequence[PairScore] = (),
) -> Iterator[ComparedRow]:
    """All pairs of research systems in each primary figure; none if ``nothing_to_compare`` gives a reason.

    Each metric is taken from the first of ``assessors`` that judged it. ``called`` gives a column's name by metric and
    variant. Conclusions rest on p values corrected over all ``primary`` tests; none is drawn from a rule-based judge.
    """
    every = list(combinations(research_labels(gathered.definition), 2))
    if not every or nothing_to_compare(gathered):
        return
    for name in gathered.metrics:
        assessor = next((assessor for assessor in assessors if assessor in gathered.assessors(name)), None)
        variants = [test.variant for test in primary if (test.assessor, test.metric) == (assessor, name)]
        if assessor is None or not variants:
            continue
        facts = facts_of(gathered, name, assessor)
        failed = sum(len(judged.errors) for its in facts.values() for _, judged in its.runs)
        for variant in variants:
            sides = {label: side_of(facts[label].runs, variant) for labels in every for label in labels}
            tests = primary[PrimaryTest(assessor, name, variant)]
            made: list[ComparedRow] = []
            for a, b in every:
                both, tested_here = {variant: (sides[a], sides[b])}, {variant: tests[a, b]}
                for row in contrasts(gathered, (facts[a], facts[b]), both, tested_here):
                    about = {"a": a, "b": b, "judge": assessor.judge.spec, "failed": failed}
                    made.append(row.model_copy(update=about | {"name": called.get((name, variant), row.name)}))
            yield from made if any(row.outcome != "nothing" for row in made) else ()
    preferences = with_primary(_preferences(pairs, assessors, every), primary)
    failed = sum(row.failed_verdicts for row in preferences)
    for row in preferences:
        about = {"a": row.a, "b": row.b, "name": SIDE_BY_SIDE, "judge": row.judge, "failed": failed}
        yield row.contrast.model_copy(update=about)


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
