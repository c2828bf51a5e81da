"""Which version of a judge is nearest to people? Chosen on some queries, and its figure taken on others."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from drretail.errors import UnknownName, UserError
from drretail.eval.judge_prompts import in_wording
from drretail.eval.registry import load_metric, pair_family
from drretail.files import read_json
from drretail.lab.finding import LabFinding, Measured
from drretail.lab.opinions import Opinion, Question, Scale, by_question, named
from drretail.lab.trial_findings import LEAST_QUERIES
from drretail.records.base import Record, sha256_of
from drretail.records.score import JudgeRef
from drretail.stats.agreement import sign
from drretail.stats.confusion import drawn_interval, kappa, tables_of
from drretail.stats.intervals import Interval, Ratio, ratio_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "calibrate"
"""Of its command and file."""
NOTHING = Measured()
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


class Nearness(Record):
    """A version beside people. Ratings have a MAD and, with several systems, a PCA; all else has κ."""

    version: str
    n: int
    """Pairs of a person's answer and the version's."""
    mad: Measured = NOTHING
    pca: Measured = NOTHING
    kappa: Measured = NOTHING

    @property
    def score(self) -> float | None:
        """More is nearer; None where nothing can be told."""
        return self.kappa.value if self.mad.value is None else -self.mad.value

    def summary(self) -> str:
        """ "MAD 0.90 (.60–1.20), PCA 0.80 (.71–.88)"."""
        parts = {"MAD": self.mad, "PCA": self.pca, "κ": self.kappa}
        shown = [f"{name} {part.in_words}" for name, part in parts.items() if part.value is not None]
        return ", ".join(shown) or "nothing can be told"


class Gap(Record):
    """How much nearer to people the chosen version is than another one, on the held-out queries: above 0 is nearer."""

    version: str
    statistic: str
    """MAD, or κ."""
    nearer_by: Measured


class Calibration(LabFinding):
    """lab/calibrate.json: all versions on both sides.

    ``chosen`` is the nearest on the tuning queries when it was chosen, whatever the others say, and stays.
    """

    question: str
    model: str = ""
    """ "provider:model"; the choice says nothing of another one."""
    seed: str
    split: str
    """A hash of which queries are on which side."""
    n_tuning: int
    """Queries; so is ``n_held_out``."""
    n_held_out: int
    tuning: tuple[Nearness, ...]
    held_out: tuple[Nearness, ...]
    gaps: tuple[Gap, ...] = ()
    """Beside every other version."""
    chosen: str
    prompt_hash: str = ""
    """Of all that the chosen version is told; blank of one out of a file, whose prompts nobody knows."""

    def summary(self) -> str:
        """How near the chosen version is to people on queries that took no part in its choice, and whether the others
        are shown to be farther."""
        held_out = next(row for row in self.held_out if row.version == self.chosen)
        count = len(self.tuning)
        return (
            f"Calibrated on {self.question}: {self.chosen}, chosen of {count} version{'s' * (count > 1)} on "
            f"{self.n_tuning} queries; on {self.n_held_out} others {held_out.summary()}{self._beside_others()}."
        )

    def _beside_others(self) -> str:
        if not self.gaps:
            return ""
        if self.n_held_out < LEAST_QUERIES:
            return f"; too few to say whether it is nearest: it takes {LEAST_QUERIES}"
        named = [f"{gap.version} by {gap.statistic} {gap.nearer_by.in_words}" for gap in self.gaps]
        are_farther = all(gap.nearer_by.low is not None and gap.nearer_by.low > 0 for gap in self.gaps)
        return f"; {'nearer to people than' if are_farther else 'not shown to be nearer than'} {', '.join(named)}"


def split_queries(queries: Iterable[str], seed: str) -> Split:
    """Half the queries, by lot, for tuning, and the rest held out. Raises UserError below two queries."""
    drawn = sorted({*queries}, key=lambda query: sha256_of(["calibrate", seed, query]))
    if len(drawn) < 2 or "" in drawn:
        raise UserError("People's answers on two queries or more are needed, each with the query it is of.")
    half = (len(drawn) + 1) // 2
    return Split(frozenset(drawn[:half]), frozenset(drawn[half:]))


def calibrate_versions(opinions: Sequence[Opinion], seed: str, chosen: str = "") -> Calibration:
    """The version, of all judges among the opinions on one question, that is nearest to people on tuning queries.

    ``chosen`` is the one that was frozen before; blank chooses now.

    People's answers are split whatever was judged, so that a further version leaves each query on its side. Only items
    that every version judged are compared: a version that fails on hard reports must not gain by it.
    The figure to report is the chosen version's on the held-out queries, which took no part in the choice. Raises
    UserError where nothing can be compared.
    """
    if len({opinion.question for opinion in opinions}) != 1:
        raise UserError("A judge is calibrated on one question: ratings of one dimension, or labels.")
    people = [opinion for opinion in opinions if opinion.kind == "person"]
    versions = sorted({opinion.rater for opinion in opinions if opinion.kind == "judge"})
    if not people or not versions:
        raise UserError("Answers of people and of at least one judge on the same items are needed.")
    judged = {
        version: {opinion.item: opinion for opinion in opinions if (opinion.kind, opinion.rater) == ("judge", version)}
        for version in versions
    }
    common = set[str].intersection(*({*by_item} for by_item in judged.values()))
    pairs = {
        version: [(opinion, judged[version][opinion.item]) for opinion in people if opinion.item in common]
        for version in versions
    }
    if not pairs[versions[0]]:
        raise UserError(f"Nothing that people answered was judged by every version ({', '.join(versions)}).")
    split = split_queries((opinion.query_id for opinion in people), seed)
    tuning = tuple(nearness(version, _of(pairs[version], split.tuning), seed) for version in versions)
    comparable = [row for row in tuning if row.score is not None]
    if not comparable:
        raise UserError(
            "No version differs from another on the queries that choose: more answers of people are needed."
        )
    nearest = chosen or max(comparable, key=lambda row: row.score or 0.0).version
    held_out = tuple(nearness(version, _of(pairs[version], split.held_out), seed) for version in versions)
    return Calibration(
        question=named(opinions[0].question),
        seed=seed,
        split=split.hash,
        n_tuning=len(split.tuning),
        n_held_out=len(split.held_out),
        tuning=tuning,
        held_out=held_out,
        gaps=tuple(
            _gap(version, _of(pairs[nearest], split.held_out), _of(pairs[version], split.held_out), seed)
            for version in versions
            if version != nearest and nearest in pairs
        ),
        chosen=nearest,
    )


def nearness(version: str, pairs: Sequence[Pair], seed: str) -> Nearness:
    """How near a version is to people, with intervals over queries; every person's answer counts for itself."""
    if not pairs:
        return Nearness(version=version, n=0)
    scale = pairs[0][0].question.scale
    if scale.level != "interval":
        linear = scale.level == "ordinal"
        tables = _tables([pairs], scale)[:, 0]
        found = drawn_interval(tables, lambda table: kappa(table, linear=linear), seed)
        return Nearness(version=version, n=len(pairs), kappa=Measured.of(found))
    by_query: dict[str, list[Pair]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda pair: pair[0].query_id):
        by_query[pair[0].query_id].append(pair)
    apart = {query: [abs(judge.value - person.value) for person, judge in of] for query, of in by_query.items()}
    # Of every two systems' reports that one person rated on a query: does the judge put them in the same order?
    ordered = {
        query: [
            sign(one.value - other.value) == sign(judge.value - judged.value)
            for (one, judge), (other, judged) in combinations(of, 2)
            if one.rater == other.rater and one.system and other.system and one.system != other.system
        ]
        for query, of in by_query.items()
    }
    mad, pca = ratio_interval([_mean_of(apart)]), ratio_interval([_mean_of(ordered)], is_share=True)
    return Nearness(version=version, n=len(pairs), mad=Measured.of(mad), pca=Measured.of(pca))


def _mean_of(by_query: Mapping[str, Sequence[float]]) -> Ratio:
    """A mean over all values, whose queries are drawn together."""
    return Ratio([sum(values) for values in by_query.values()], [len(values) for values in by_query.values()])


def _gap(version: str, chosen: Sequence[Pair], other: Sequence[Pair], seed: str) -> Gap:
    """Both versions answered the same items in the same order, so they are drawn together."""
    if chosen and chosen[0][0].question.scale.level != "interval":
        scale = chosen[0][0].question.scale
        tables = _tables([chosen, other], scale)
        linear = scale.level == "ordinal"

        def nearer(drawn: "NDArray[np.float64]") -> "NDArray[np.float64]":
            return kappa(drawn[..., 0, :, :], linear=linear) - kappa(drawn[..., 1, :, :], linear=linear)

        return Gap(version=version, statistic="κ", nearer_by=_shown(drawn_interval(tables, nearer, seed), len(tables)))
    off: dict[str, list[float]] = {}
    for (person, near), (_, far) in zip(chosen, other, strict=True):
        off.setdefault(person.query_id, []).append(abs(far.value - person.value) - abs(near.value - person.value))
    return Gap(version=version, statistic="MAD", nearer_by=_shown(ratio_interval([_mean_of(off)]), len(off)))


def _tables(versions: Sequence[Sequence[Pair]], scale: Scale) -> "NDArray[np.float64]":
    """By query and version the counts of every two labels: a person's and the version's."""
    import numpy as np

    given = {str(opinion.value) for pairs in versions for pair in pairs for opinion in pair}
    labels = sorted({*map(str, map(float, scale.values)), *given}, key=float)
    return np.stack(
        [
            tables_of(
                [person.query_id for person, _ in pairs],
                [str(person.value) for person, _ in pairs],
                [str(judge.value) for _, judge in pairs],
                labels,
            )
            for pairs in versions
        ],
        axis=1,
    )


def _shown(interval: Interval, queries: int) -> Measured:
    """Without its interval where there are too few queries to conclude anything."""
    return Measured.of(interval if queries >= LEAST_QUERIES else Interval(interval.value))


def _of(pairs: Iterable[Pair], queries: frozenset[str]) -> list[Pair]:
    return [pair for pair in pairs if pair[0].query_id in queries]


def question_of(opinions: Sequence[Opinion], dimension: str | None) -> Question:
    """What a judge is calibrated on: the question of that dimension or scale; "overall" where nobody names one.

    Raises UserError where people and judges have no such question in common.
    """
    kinds = {
        question: {opinion.kind for opinion in given}
        for question, given in by_question(opinions).items()
        if question.scale.values
    }
    asked = [question for question, found in kinds.items() if found == {"person", "judge"}]
    wanted = dimension or "overall"
    found = [question for question in asked if wanted in (question.dimension, question.scale.name, named(question))]
    chosen = [question for question in found if question.scale.level == "interval"] or found
    chosen = chosen or (asked if dimension is None and len(asked) == 1 else [])
    if not asked:
        raise UserError(
            "There is no question that people and judges both answered: people rate in drretail view, or in a file "
            "(--ratings), and judges by drretail score --metrics quality --judge PROVIDER:MODEL."
        )
    if not chosen:
        shared = ", ".join(map(named, asked))
        raise UserError(f"People and judges both answered {shared}: name one of these with --dimension.")
    return chosen[0]


def of_model(opinions: Sequence[Opinion], model: str | None) -> tuple[list[Opinion], str]:
    """People's opinions and those of one model's versions, and that model.

    A judge out of a file is a version of whatever model it is. Raises UserError where several models judged and none is
    named, or where the one that is named judged nothing.
    """
    models = sorted({opinion.judge.spec for opinion in opinions if opinion.judge is not None})
    if model is not None and models and model not in models:
        raise UnknownName("judge", model, models)
    if model is None and len(models) > 1:
        raise UserError(f"Judges of several models answered: name one with --judge ({', '.join(models)}).")
    one = model or next(iter(models), "")
    return [opinion for opinion in opinions if opinion.judge is None or opinion.judge.spec == one], one


def frozen(experiment: Path) -> Calibration | None:
    """The choice that was made before in an experiment; None where there is none, or no whole one."""
    path = experiment / "lab" / f"{NAME}.json"
    if not path.exists():
        return None
    try:
        return Calibration.model_validate(read_json(path))
    except ValidationError:
        return None


def prompts_hash(experiment: Path, judge: JudgeRef | None) -> str:
    """A hash of all that a judge is told of quality and pairs, in its own wording where it has one.

    Blank for a judge out of a file: it may have been told anything.
    """
    if judge is None:
        return ""
    _, has_own, label = judge.params_hash.rpartition("prompts-")
    families = [load_metric("quality").prompt_hashes, lambda: pair_family().hashes("default")]
    hashes = [sorted(in_wording(experiment, has_own + label, load)) for load in families]
    return sha256_of(hashes)[:16]
