"""The tests of what systems are chosen by, corrected together: of six equal systems, one experiment in twenty errs."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from drretail.eval.compare.rows import Corrected, difference_p, runs_of, side_of
from drretail.eval.compare.wording import primary_variants
from drretail.eval.family import is_unrated
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.pairs import Labels, research_labels
from drretail.eval.registry import PAIRWISE
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.records.pairs import PairScore
from drretail.records.score import CODE
from drretail.stats.significance import holm


class PrimaryTest(NamedTuple):
    """What is tested once for every pair of systems."""

    assessor: Assessor
    metric: str
    variant: str


Primary = Mapping[PrimaryTest, Mapping[Labels, Corrected]]
"""By pair of systems, in either order, the p value as one of all tests of a table."""


def primary_tests(
    gathered: Gathered,
    pairs: Collection[Labels],
    assessors: Sequence[Assessor],
    preferences: Sequence[PairScore] = (),
) -> Primary:
    """The tests of these pairs and of all pairs that research, by these judges, corrected (Holm).

    Corrected together are all pairs and all headlines of one judge, the overall preferences among ``preferences``, and
    the headlines that code measures; these have the strictest correction of any judge. Judges are not corrected for
    each other: their numbers stand in tables of their own.
    """
    every = [*combinations(research_labels(gathered.definition), 2)]
    every += [labels for labels in pairs if labels not in every and labels[::-1] not in every]
    p_values: dict[PrimaryTest, dict[Labels, float | None]] = {}
    for assessor in assessors:
        for name, metric in gathered.families.items():
            if assessor not in gathered.assessors(name) or is_unrated(metric, assessor.judge):
                continue
            runs = runs_of(gathered, name, assessor)
            for variant in primary_variants(metric):
                sides = {label: side_of(runs[label], variant) for labels in every for label in labels}
                p_values[PrimaryTest(assessor, name, variant)] = {
                    (a, b): difference_p((sides[a], sides[b]), gathered.clusters) for a, b in every
                }
    for row in preferences:
        if row.dimension == PRIMARY:
            p_values.setdefault(_preference(row), {})[row.a, row.b] = row.p
    return _corrected(p_values)


def _corrected(p_values: Mapping[PrimaryTest, Mapping[Labels, float | None]]) -> Primary:
    found: dict[PrimaryTest, dict[Labels, Corrected]] = {test: {} for test in p_values}
    judges = {test.assessor for test in p_values if test.assessor.judge.spec != CODE}
    for assessor in sorted(judges, key=lambda assessor: assessor.order) or [None]:
        together = [
            (test, labels, p)
            for test, by_pair in p_values.items()
            for labels, p in by_pair.items()
            if test.assessor == assessor or test.assessor.judge.spec == CODE
        ]
        tests = sum(p is not None for *_, p in together)
        for (test, labels, _), p in zip(together, holm([p for *_, p in together]), strict=True):
            before = found[test].get(labels)
            if before is None or (p or 0.0, tests) > (before.p or 0.0, before.tests):
                a, b = labels
                found[test][a, b] = found[test][b, a] = Corrected(p, tests)
    return found


def with_primary(pairs: Sequence[PairScore], primary: Primary) -> tuple[PairScore, ...]:
    """The same rows, those of overall preference with their p values among all ``primary`` tests."""

    def corrected(row: PairScore) -> PairScore:
        its = primary.get(_preference(row), {}).get((row.a, row.b)) if row.dimension == PRIMARY else None
        return row if its is None else row.model_copy(update={"p_holm": its.p, "tests": its.tests})

    return tuple(corrected(row) for row in pairs)


def _preference(row: PairScore) -> PrimaryTest:
    return PrimaryTest(Assessor.of(row), PAIRWISE, PRIMARY)
