"""All systems at once: the tests of every pair in each primary figure, corrected together, and what they come to."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from drretail.eval.compare.rows import (
    Corrected,
    concluded,
    contrasts,
    side_of,
    tested,
)
from drretail.eval.compare.wording import SIDE_BY_SIDE, primary_variants
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.subject import Labels, research_labels
from drretail.eval.metric import is_unrated
from drretail.eval.registry import PAIRWISE
from drretail.eval.scores.facts import facts_of
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.records.comparison import ComparedRow, PairScore
from drretail.records.score import CODE
from drretail.stats.significance import holm


class PrimaryTest(NamedTuple):
    """A primary figure by one assessor, which is tested for every pair of systems."""

    assessor: Assessor
    metric: str
    variant: str


Primary = Mapping[PrimaryTest, Mapping[Labels, Corrected]]
"""For each primary test, the corrected p value of every pair of systems, under either order of its labels."""
_Results = dict[tuple[PrimaryTest, Labels], float | None]
"""p of each test."""


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
    are not corrected for each other, since each has a table of its own.
    """
    every = [*combinations(research_labels(gathered.definition), 2)]
    every += [labels for labels in pairs if labels not in every and labels[::-1] not in every]
    results = _Results()
    for assessor in assessors:
        for name, metric in gathered.metrics.items():
            is_asked = metrics is None or name in metrics
            if not is_asked or assessor not in gathered.assessors(name) or is_unrated(metric, assessor.judge):
                continue
            facts = facts_of(gathered, name, assessor)
            for variant in primary_variants(metric):
                sides = {label: side_of(facts[label].runs, variant) for labels in every for label in labels}
                test = PrimaryTest(assessor, name, variant)
                for a, b in every:
                    results[test, (a, b)] = tested((sides[a], sides[b]), gathered.clusters)
    for row in preferences:
        if row.dimension == PRIMARY:
            results[_preference(row), (row.a, row.b)] = row.contrast.p
    return _corrected(results)


def _corrected(results: _Results) -> Primary:
    by_test: dict[PrimaryTest, dict[Labels, Corrected]] = {test: {} for test, _ in results}
    judges = {test.assessor for test in by_test if test.assessor.judge.spec != CODE}
    for assessor in sorted(judges, key=lambda assessor: assessor.order) or [None]:
        counts = [test for test in by_test if test.assessor == assessor or test.assessor.judge.spec == CODE]
        together = {key: result for key, result in results.items() if key[0] in counts}
        tests = sum(p is not None for p in together.values())
        for (test, (a, b)), p in zip(together, holm([*together.values()]), strict=True):
            each, before = Corrected(p, tests), by_test[test].get((a, b))
            if before is None or (each.p or 0.0, each.tests) > (before.p or 0.0, before.tests):
                by_test[test][a, b] = by_test[test][b, a] = each
    return by_test


def with_primary(pairs: Sequence[PairScore], primary: Primary) -> tuple[PairScore, ...]:
    """The same rows, with overall preferences concluded as part of all ``primary`` tests."""
    rows: list[PairScore] = []
    for row in pairs:
        corrected = primary.get(_preference(row), {}).get((row.a, row.b)) if row.dimension == PRIMARY else None
        if corrected is None:
            rows.append(row)
            continue
        unread = ("not_read", "order_decided", "not_concluded")
        instead = row.contrast.outcome if row.contrast.outcome in unread else None
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
    preferences = with_primary(_preferences(gathered, pairs, every), primary)
    failed = sum(row.failed_verdicts for row in preferences)
    for row in preferences:
        about = {"a": row.a, "b": row.b, "name": SIDE_BY_SIDE, "judge": row.judge, "failed": failed}
        yield row.contrast.model_copy(update=about)


def _preferences(gathered: Gathered, pairs: Sequence[PairScore], every: Sequence[Labels]) -> list[PairScore]:
    """The overall preferences side by side, by the first of the board's judges that has any."""
    researched = {frozenset(labels) for labels in every}
    overall = [
        row
        for row in pairs
        if row.dimension == PRIMARY and frozenset((row.a, row.b)) in researched and row.note is None and row.n_scored
    ]
    first = gathered.board.first(map(Assessor.of, overall))
    return [row for row in overall if Assessor.of(row) == first]
