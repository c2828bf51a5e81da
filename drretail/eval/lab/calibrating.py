"""Which version of a judge is nearest to people? Chosen on some queries, and its figure taken on others."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from drretail.errors import UserError
from drretail.eval.lab.opinions import Opinion, Scale
from drretail.records.base import sha256_of
from drretail.stats.confusion import drawn_interval, kappa, tables_of
from drretail.stats.intervals import Interval, Ratio, ratio_interval

NOTHING = Interval(None)
Pair = tuple[Opinion, Opinion]
"""What a person and a version of the judge said of one item."""


@dataclass(frozen=True, slots=True)
class Split:
    """Queries on which versions are compared, and those on which the chosen one is looked at."""

    tuning: frozenset[str]
    held_out: frozenset[str]

    @property
    def hash(self) -> str:
        return sha256_of([sorted(self.tuning), sorted(self.held_out)])[:16]


@dataclass(frozen=True, slots=True)
class Nearness:
    """A version beside people. Ratings have a MAD and, with several systems, a PCA; all else has κ."""

    version: str
    n: int
    """Pairs of a person's answer and the version's."""
    mad: Interval = NOTHING
    pca: Interval = NOTHING
    kappa: Interval = NOTHING

    @property
    def score(self) -> float | None:
        """More is nearer; None where nothing can be told."""
        return self.kappa.value if self.mad.value is None else -self.mad.value


@dataclass(frozen=True, slots=True)
class Calibration:
    """All versions on both sides; ``chosen`` is the nearest on the tuning queries, whatever the others say."""

    split: Split
    tuning: tuple[Nearness, ...]
    held_out: tuple[Nearness, ...]
    chosen: str


def split_queries(queries: Iterable[str], seed: str) -> Split:
    """Half the queries, by lot, for tuning, and the rest held out. Raises UserError below two queries."""
    drawn = sorted({*queries}, key=lambda query: sha256_of(["calibrate", seed, query]))
    if len(drawn) < 2 or "" in drawn:
        raise UserError("People's answers on two queries or more are needed, each with the query it is of.")
    half = (len(drawn) + 1) // 2
    return Split(frozenset(drawn[:half]), frozenset(drawn[half:]))


def calibrated(opinions: Sequence[Opinion], seed: str) -> Calibration:
    """The version, of all judges among the opinions on one question, that is nearest to people on tuning queries.

    Only items that every version judged are compared: a version that fails on hard reports must not gain by it.
    The figure to report is the chosen version's on the held-out queries, which took no part in the choice. Raises
    UserError where nothing can be compared.
    """
    if len({it.question for it in opinions}) != 1:
        raise UserError("A judge is calibrated on one question: ratings of one dimension, or labels.")
    people = [it for it in opinions if it.kind == "person"]
    versions = sorted({it.rater for it in opinions if it.kind == "judge"})
    if not people or not versions:
        raise UserError("Answers of people and of at least one judge on the same items are needed.")
    judged = {version: {it.item: it for it in opinions if it.rater == version} for version in versions}
    common = set[str].intersection(*({*it} for it in judged.values()))
    pairs = {version: [(it, judged[version][it.item]) for it in people if it.item in common] for version in versions}
    split = split_queries((person.query_id for person, _ in pairs[versions[0]]), seed)
    tuning = tuple(nearness(version, _of(pairs[version], split.tuning), seed) for version in versions)
    told = [it for it in tuning if it.score is not None]
    if not told:
        raise UserError("On the tuning queries people's answers do not differ, so no version can be chosen.")
    chosen = max(told, key=lambda it: it.score or 0.0).version
    held_out = tuple(nearness(version, _of(pairs[version], split.held_out), seed) for version in versions)
    return Calibration(split, tuning, held_out, chosen)


def nearness(version: str, pairs: Sequence[Pair], seed: str) -> Nearness:
    """How near a version is to people, with intervals over queries; every person's answer counts for itself."""
    if not pairs:
        return Nearness(version, 0)
    scale = pairs[0][0].question.scale
    if scale.level != "interval":
        return Nearness(version, len(pairs), kappa=_kappa(scale, pairs, seed))
    by_query = _by_query(pairs)
    apart = [[abs(judge.value - person.value) for person, judge in it] for it in by_query]
    ordered = [_same_orders(it) for it in by_query]
    return Nearness(
        version,
        len(pairs),
        mad=ratio_interval([Ratio([sum(it) for it in apart], [len(it) for it in apart])], seed),
        pca=ratio_interval([Ratio([sum(it) for it in ordered], [len(it) for it in ordered])], seed),
    )


def _kappa(scale: Scale, pairs: Sequence[Pair], seed: str) -> Interval:
    people, judges = ([str(pair[side].value) for pair in pairs] for side in (0, 1))
    labels = sorted({*people, *judges, *(str(float(it)) for it in scale.values)}, key=float)
    clusters: list[Hashable] = [person.query_id for person, _ in pairs]
    linear = scale.level == "ordinal"
    return drawn_interval(tables_of(clusters, people, judges, labels), lambda it: kappa(it, linear=linear), seed)


def _same_orders(pairs: Sequence[Pair]) -> list[bool]:
    """Of every two systems' reports that one person rated on a query: does the judge put them in the same order?"""
    return [
        _sign(one.value - other.value) == _sign(judge.value - judged.value)
        for (one, judge), (other, judged) in combinations(pairs, 2)
        if one.rater == other.rater and one.system and other.system and one.system != other.system
    ]


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _by_query(pairs: Sequence[Pair]) -> list[list[Pair]]:
    ordered = sorted(pairs, key=lambda it: it[0].query_id)
    return [list(group) for _, group in groupby(ordered, key=lambda it: it[0].query_id)]


def _of(pairs: Iterable[Pair], queries: frozenset[str]) -> list[Pair]:
    return [it for it in pairs if it[0].query_id in queries]
