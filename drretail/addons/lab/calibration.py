"""Which version of a judge is nearest to people: chosen on some queries, and reported on others."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from drretail.addons.lab.findings import HELD_OUT, KAPPA, LEAST_USERS, MAD, NEARER, PCA, TUNING, Calibration, Figure
from drretail.addons.lab.opinions import Opinion, Question, Scale, by_question, named
from drretail.errors import UnknownName, UserError
from drretail.eval.method import kept_wording
from drretail.eval.registry import load_metric, pair_metric
from drretail.llm.prompt import overridden
from drretail.records.base import sha256_of
from drretail.records.score import JudgeRef
from drretail.stats.agreement import agreement_interval, drawn_interval, kappa, sign, tables_of
from drretail.stats.intervals import Interval, Ratio, ratio_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pair = tuple[Opinion, Opinion]
"""A person's opinion on one item, and the judge version's."""


def _score(rows: Iterable[Figure]) -> float | None:
    """More is nearer to people; None if nothing can be computed."""
    values = {row.name: row.value for row in rows}
    mad = values.get(MAD)
    return values.get(KAPPA) if mad is None else -mad


def split_queries(queries: Iterable[str], seed: str) -> tuple[frozenset[str], frozenset[str]]:
    """Two random halves of the queries: one to choose a version, the other to measure it.

    Raises UserError below two queries.
    """
    lots = sorted({*queries}, key=lambda query: sha256_of(["calibrate", seed, query]))
    if len(lots) < 2 or "" in lots:
        raise UserError("People's answers on two queries or more are needed, each with the query it is of.")
    half = (len(lots) + 1) // 2
    return frozenset(lots[:half]), frozenset(lots[half:])


def calibrate_versions(opinions: Sequence[Opinion], seed: str, chosen: str = "") -> Calibration:
    """Chooses the version nearest to people on the tuning queries, among all judges with these opinions, which are
    people's and judges' on one question.

    ``chosen`` is a version that was frozen before; if blank, one is chosen now. People's answers are split whatever was
    judged, so that a later version leaves each query on its side. Only items that every version judged are compared,
    since a version that fails on hard reports must not gain by it.

    The figure to report is the chosen version's on the held-out queries, which were not used to choose it. Raises
    UserError if nothing can be compared.
    """
    people = [opinion for opinion in opinions if opinion.kind == "person"]
    versions = sorted({opinion.rater for opinion in opinions if opinion.kind == "judge"})
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
    for_choice, for_figure = split_queries((opinion.query_id for opinion in people), seed)
    tuned, held = (
        {version: [pair for pair in its if pair[0].query_id in queries] for version, its in pairs.items()}
        for queries in (for_choice, for_figure)
    )
    tuning = {version: nearness(version, TUNING, tuned[version], seed) for version in versions}
    comparable = {version: score for version, rows in tuning.items() if (score := _score(rows)) is not None}
    if not comparable:
        raise UserError(
            "No version differs from another on the queries that choose: more answers of people are needed."
        )
    nearest = chosen or max(comparable, key=lambda version: comparable[version])
    held_out = [row for version in versions for row in nearness(version, HELD_OUT, held[version], seed)]
    others = [version for version in versions if version != nearest and nearest in pairs]
    return Calibration(
        question=named(opinions[0].question),
        seed=seed,
        split=sha256_of([sorted(for_choice), sorted(for_figure)])[:16],
        n_tuning=len(for_choice),
        n_held_out=len(for_figure),
        rows=(
            *(row for rows in tuning.values() for row in rows),
            *held_out,
            *(_gap(version, held[nearest], held[version], seed) for version in others),
        ),
        chosen=nearest,
    )


def nearness(version: str, part: str, pairs: Sequence[Pair], seed: str) -> list[Figure]:
    """How near a version is to people, with intervals over queries. Every person's answer counts on its own."""
    if not pairs:
        return [Figure(name=KAPPA, of=version, part=part)]
    scale = pairs[0][0].question.scale
    if scale.level != "interval":
        power, tables = int(scale.level == "ordinal"), _tables([pairs], scale)[:, 0]
        interval = agreement_interval(tables, lambda table: kappa(table, power=power), seed)
        return [Figure(name=KAPPA, of=version, part=part, **interval.measured, n=len(pairs))]
    by_query: dict[str, list[Pair]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda pair: pair[0].query_id):
        by_query[pair[0].query_id].append(pair)
    apart = {query: [abs(judge.value - person.value) for person, judge in of] for query, of in by_query.items()}
    # For every two systems' reports that one person rated on a query: does the judge order them alike?
    ordered = {
        query: [
            sign(first.value - second.value) == sign(judge.value - judged.value)
            for (first, judge), (second, judged) in combinations(of, 2)
            if first.rater == second.rater and first.system and second.system and first.system != second.system
        ]
        for query, of in by_query.items()
    }
    intervals = {MAD: ratio_interval([_mean_of(apart)]), PCA: ratio_interval([_mean_of(ordered)], is_share=True)}
    return [
        Figure(name=name, of=version, part=part, **interval.measured, n=len(pairs))
        for name, interval in intervals.items()
    ]


def _mean_of(by_query: Mapping[str, Sequence[float]]) -> Ratio:
    """The mean over all values, with queries as clusters."""
    return Ratio([sum(values) for values in by_query.values()], [len(values) for values in by_query.values()])


def _gap(version: str, chosen: Sequence[Pair], other: Sequence[Pair], seed: str) -> Figure:
    """Both versions answered the same items in the same order, so their difference is taken item by item.

    Without an interval if there are too few queries to conclude anything.
    """
    if chosen and chosen[0][0].question.scale.level != "interval":
        scale, statistic = chosen[0][0].question.scale, KAPPA
        tables = _tables([chosen, other], scale)
        power, queries = int(scale.level == "ordinal"), len(tables)

        def nearer(drawn: "NDArray[np.float64]") -> "NDArray[np.float64]":
            return kappa(drawn[..., 0, :, :], power=power) - kappa(drawn[..., 1, :, :], power=power)

        interval = drawn_interval(tables, nearer, seed)
    else:
        off: dict[str, list[float]] = defaultdict(list)
        for (person, near), (_, far) in zip(chosen, other, strict=True):
            off[person.query_id].append(abs(far.value - person.value) - abs(near.value - person.value))
        statistic, queries, interval = MAD, len(off), ratio_interval([_mean_of(off)])
    known = interval if queries >= LEAST_USERS else Interval(interval.value)
    return Figure(name=statistic, of=version, part=NEARER, **known.measured)


def _tables(versions: Sequence[Sequence[Pair]], scale: Scale) -> "NDArray[np.float64]":
    """By query and version, the counts of each pair of labels: the person's and the version's."""
    import numpy as np

    labels = sorted({*scale.values, *(opinion.value for pairs in versions for pair in pairs for opinion in pair)})
    tables: list[NDArray[np.float64]] = []
    for pairs in versions:
        people, judged = ([pair[side].value for pair in pairs] for side in (0, 1))
        tables.append(tables_of([person.query_id for person, _ in pairs], people, judged, labels))
    return np.stack(tables, axis=1)


def question_of(opinions: Sequence[Opinion], dimension: str | None) -> Question:
    """The question on which a judge is calibrated: the one of that dimension or scale, by default "overall".

    Raises UserError if people and judges have no such question in common.
    """
    kinds = {
        question: {opinion.kind for opinion in of_question}
        for question, of_question in by_question(opinions).items()
        if question.scale.values
    }
    shared = [question for question, raters in kinds.items() if raters == {"person", "judge"}]
    wanted = dimension or "overall"
    matching = [question for question in shared if wanted in (question.dimension, question.scale.name, named(question))]
    chosen = [question for question in matching if question.scale.level == "interval"] or matching
    chosen = chosen or (shared if dimension is None and len(shared) == 1 else [])
    if not shared:
        raise UserError(
            "There is no question that people and judges both answered: people rate in drretail view, or in a file "
            "(--ratings), and judges by drretail score --metrics quality --judge PROVIDER:MODEL."
        )
    if not chosen:
        names = ", ".join(map(named, shared))
        raise UserError(f"People and judges both answered {names}: name one of these with --dimension.")
    return chosen[0]


def of_model(opinions: Sequence[Opinion], model: str | None) -> tuple[list[Opinion], str]:
    """People's opinions with those of one model's versions, and that model.

    Raises UserError if several models judged and none is named, UnknownName if the named one judged nothing.
    """
    models = sorted({opinion.judge.spec for opinion in opinions if opinion.judge is not None})
    if model is not None and model not in models:
        raise UnknownName("judge", model, models)
    if model is None and len(models) > 1:
        raise UserError(f"Judges of several models answered: name one with --judge ({', '.join(models)}).")
    chosen = model or models[0]
    return [opinion for opinion in opinions if opinion.judge is None or opinion.judge.spec == chosen], chosen


def prompts_hash(experiment: Path, judge: JudgeRef) -> str:
    """A hash of a judge's prompts for quality and pairs, its own ones if it has any."""
    metrics = [load_metric("quality").prompt_hashes, lambda: pair_metric().hashes("default")]
    with overridden(kept_wording(experiment, judge.wording).texts):
        return sha256_of([sorted(load()) for load in metrics])[:16]
