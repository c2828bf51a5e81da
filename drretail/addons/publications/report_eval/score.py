"""Values of ReportEval per report: five grades, the mean over pairs, the mean over labels. Pure functions.

drretail/addons/publications/README.md gives each formula with its source.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from drretail.addons.publications import DESCRIPTIONS
from drretail.addons.publications.report_eval.judge import (
    CITED,
    DIMENSIONS,
    FACTUALITY,
    QUALITY,
    REDUNDANCY,
    RELEASED,
    REPORT,
    RULES,
    UNITS_STAGE,
    judge,
    pair_item,
    prompts,
)
from drretail.addons.publications.report_eval.units import UNITS, Unit
from drretail.eval.metric import (
    UNFETCHED_PAGES,
    Metric,
    Value,
    description_of,
    gravest,
    lacking,
    pooled_share,
    reason_in,
    value_of,
)
from drretail.records.score import Rules, Verdict, VerdictState

POSSIBLE, SCORED = "pairs_possible", "pairs_scored"
SUPPORT, STRONG, PARTIAL, NONE = "support", "strong_support", "partial_support", "no_support"
POOLED = ("support_pooled", "strong_support_pooled")
FACTUAL = (SUPPORT, STRONG, PARTIAL, NONE, *POOLED)
_OF_UNIT: Mapping[Unit, str] = {"section": "", "paragraph": "_paragraph"}
OF_UNITS = tuple(f"{name}{_OF_UNIT[unit]}" for unit in UNITS for name in (REDUNDANCY, POSSIBLE, SCORED))
"""Variants of a unit that was not judged are left out."""
VARIANTS = (*DIMENSIONS, *OF_UNITS, *FACTUAL)


def values(verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    """One report's values, in the order of ``VARIANTS``."""
    by_place = {(verdict.stage, verdict.item): verdict for verdict in verdicts}
    units: tuple[Unit, ...] = ("section",) if rules == RELEASED else UNITS
    shown = [
        *[value_of(dimension, by_place.get((QUALITY, dimension))) for dimension in DIMENSIONS],
        *(value for unit in units for value in _redundancy(by_place, unit)),
    ]
    return [*(_released(shown) if rules == RELEASED else shown), *_factuality(by_place)]


ByPlace = Mapping[tuple[str, str], Verdict]


def _redundancy(by_place: ByPlace, unit: Unit) -> list[Value]:
    """The mean score of the judged pairs, 4 without repetitions; nothing for a unit that was not judged."""
    cut = by_place.get((UNITS_STAGE, unit))
    if cut is None:
        return []
    judged = [by_place.get((REDUNDANCY, pair_item(unit, (first, second)))) for first, second in cut.value["pairs"]]
    scores = [float(verdict.value) for verdict in judged if verdict is not None and verdict.state == "scored"]
    counts = {"units": cut.value["units"], POSSIBLE: cut.value["possible"], SCORED: len(scores)}
    state, mean = _mean(scores, _states(judged))
    if None in judged:  # not judged completely: the first pairs are no random sample
        state, mean = "failed", None
    counts |= {"pairs_failed": len(judged) - len(scores), **lacking(REDUNDANCY, state, cut.reason).items}
    redundancy, possible, scored = (f"{name}{_OF_UNIT[unit]}" for name in (REDUNDANCY, POSSIBLE, SCORED))
    return [
        Value(redundancy, state, mean, counts),
        Value(possible, "scored", float(counts[POSSIBLE])),
        Value(scored, "scored", float(counts[SCORED])),
    ]


def _released(shown: Sequence[Value]) -> list[Value]:
    """The same by the released code, which discards a report without grades or without a scored pair."""
    whole = {value.variant: value for value in shown}
    skipped = REDUNDANCY not in whole or whole[REDUNDANCY].state == "na"
    lacks = any(whole[name].state != "scored" for name in (*DIMENSIONS, REDUNDANCY) if name in whole)
    if not lacks and not skipped:
        return list(shown)
    state: VerdictState = "na" if skipped else "failed"
    why = lacking(REDUNDANCY, state, reason_in(shown)).items
    dropped = (*DIMENSIONS, REDUNDANCY)
    return [
        Value(each.variant, state, None, {**each.items, **why}) if each.variant in dropped else each for each in shown
    ]


def _factuality(by_place: ByPlace) -> list[Value]:
    """The mean label, and the share of each label; pairs that could not be read or judged do not count."""
    cited = by_place.get((CITED, REPORT))
    if cited is None:
        return [Value(name, "failed") for name in FACTUAL]
    judged = [by_place.get((FACTUALITY, pair["item"])) for pair in cited.value["pairs"]]
    labels = [float(verdict.value) for verdict in judged if verdict is not None and verdict.state == "scored"]
    states = _states(judged)
    by_label = Counter(labels)
    items: dict[str, float] = {
        "pairs": len(judged),
        "scored": len(labels),
        "labels": sum(labels),
        "full": by_label[1],
        "partial": by_label[0],
        "none": by_label[-1],
        "unverifiable": states.count("unverifiable"),
        "unfetched": states.count("na"),
        "failed": states.count("failed"),
        "unresolved": cited.value["unresolved"],
    }
    state, mean = _mean(labels, states)
    if None in judged or mean is None:
        state = "failed" if None in judged else state
        items |= lacking(SUPPORT, state, UNFETCHED_PAGES if judged else cited.reason).items
        return [Value(name, state, None, items) for name in FACTUAL]
    shares = {STRONG: by_label[1], PARTIAL: by_label[0], NONE: by_label[-1]}
    strong = by_label[1] / len(labels)
    return [
        Value(SUPPORT, "scored", mean, items),
        *(Value(name, "scored", count / len(labels)) for name, count in shares.items()),
        *(Value(name, "scored", value, items) for name, value in zip(POOLED, (mean, strong), strict=True)),
    ]


def _states(judged: Sequence[Verdict | None]) -> list[VerdictState]:
    return ["failed" if verdict is None else verdict.state for verdict in judged]


def _mean(numbers: Sequence[float], states: Sequence[VerdictState]) -> tuple[VerdictState, float | None]:
    if numbers:
        return "scored", sum(numbers) / len(numbers)
    return gravest(states) or "na", None


DESCRIPTION = description_of("report_eval", DESCRIPTIONS)


def _metric(unit: Unit) -> Metric:
    """The framework of arXiv 2510.07861. ``unit`` is the unit whose pairs are judged; verdicts of both
    units are read.
    """
    return Metric(
        "report_eval",
        1,
        lambda subject, judge_session: judge(subject, judge_session, unit),
        lambda subject, verdicts, rules: values(verdicts, rules),
        VARIANTS,
        DESCRIPTION,
        lambda: prompts().values(),
        rules=RULES if unit == "section" else ("default",),  # the released code knows sections alone
        is_opinion=True,
        pooled={
            name: pooled_share(name, part, "scored") for name, part in zip(POOLED, ("labels", "full"), strict=True)
        },
    )


METRIC = _metric("section")
BY_PARAGRAPHS = _metric("paragraph")
"""The same metric, comparing pairs of paragraphs."""
