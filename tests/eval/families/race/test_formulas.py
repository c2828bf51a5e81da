"""The formulas of RACE and FACT on examples worked out by hand."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from drretail.eval.families.race.judge import AXIS, IS_REFERENCE, NO_REFERENCE, STAGE, Order, item_of
from drretail.eval.families.race.score import METRIC, RACE, share, totals, values
from drretail.eval.triplets.facts import (
    DUPLICATES,
    REPORT,
    SUPPORT,
    TRIPLETS,
    UNKNOWN,
    Triplet,
    distinct_facts,
    duplicates_item,
    pair_item,
)
from drretail.eval.values import Value
from drretail.records.base import Rules
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.score import Verdict, VerdictState, reasons_of
from tests.build import verdict as a_verdict

WEIGHTS = dict(zip(AXIS.keys, (0.3, 0.4, 0.2, 0.1), strict=True))
CRITERIA = Criteria(
    family="race",
    query_id="q1",
    groups=tuple(
        CriteriaGroup(
            name=key, weight=it, criteria=(Criterion(text="One", weight=0.75), Criterion(text="Two", weight=0.25))
        )
        for key, it in WEIGHTS.items()
    ),
)
REFERENCE = "A reference."


verdict = partial(a_verdict, "race")


def scores(one: Mapping[str, tuple[float, float]], two: tuple[float, float]) -> list[dict[str, Any]]:
    """(target, reference) of criterion One by dimension, of Two in all."""
    return [
        {"dimension": key, "criterion": text, "analysis": "", "target": target, "reference": reference}
        for key, first in one.items()
        for text, (target, reference) in (("One", first), ("Two", two))
    ]


ONE = dict(zip(AXIS.keys, ((8.0, 6.0), (6.0, 6.0), (4.0, 8.0), (10.0, 5.0)), strict=True))
FIRST = scores(ONE, (4.0, 2.0))
ALIKE = scores(dict.fromkeys(AXIS.keys, (5.0, 5.0)), (5.0, 5.0))


def beside(order: Order, value: Any, state: VerdictState = "scored") -> Verdict:
    return verdict(STAGE, item_of(order, CRITERIA, REFERENCE), value, state)


def found(verdicts: Sequence[Verdict], rules: Rules = "default", reference: str | None = REFERENCE) -> dict[str, Value]:
    return {value.variant: value for value in values(verdicts, CRITERIA, reference, rules)}


def told(value: Value) -> float | str:
    return value.state if value.value is None else round(value.value, 4)


TARGET = 0.3 * 7 + 0.4 * 5.5 + 0.2 * 4 + 0.1 * 8.5
OTHER = 0.3 * 5 + 0.4 * 5 + 0.2 * 6.5 + 0.1 * 4.25


def test_dimensions_and_totals_are_weighted_means() -> None:
    made = totals(FIRST, CRITERIA)
    assert [made.target[key] for key in AXIS.keys] == [7.0, 5.5, 4.0, 8.5]
    assert [made.reference[key] for key in AXIS.keys] == [5.0, 5.0, 6.5, 4.25]
    assert made.target[RACE] == pytest.approx(TARGET)
    assert made.reference[RACE] == pytest.approx(OTHER)


def test_the_final_score_is_the_target_s_share_and_by_default_the_mean_of_both_orders() -> None:
    verdicts = [beside("target_first", FIRST), beside("reference_first", ALIKE)]
    first = TARGET / (TARGET + OTHER)
    ours, released = found(verdicts), found(verdicts, "drb")
    assert [told(ours[it]) for it in ("RACE_first", "RACE_second")] == [round(first, 4), 0.5]
    assert told(ours["RACE"]) == round((first + 0.5) / 2, 4)
    assert told(ours["insight"]) == round((5.5 / 10.5 + 0.5) / 2, 4)
    assert told(released["RACE"]) == round(first, 4)
    assert told(released["readability"]) == round(8.5 / 12.75, 4)
    assert "RACE_second" not in released


def test_one_order_that_failed_fails_what_needs_both() -> None:
    for verdicts in (
        [beside("target_first", FIRST)],
        [beside("target_first", FIRST), beside("reference_first", None, "failed")],
    ):
        assert [told(found(verdicts)[it]) for it in ("RACE", "insight", "RACE_second")] == ["failed"] * 3
        assert told(found(verdicts)["RACE_first"]) == round(TARGET / (TARGET + OTHER), 4)


def test_nought_beside_nought_says_nothing_and_is_nought_as_released() -> None:
    assert share(3, 3, of_nothing=None) == 0.5
    empty = scores(dict.fromkeys(AXIS.keys, (0.0, 0.0)), (0.0, 0.0))
    verdicts = [beside("target_first", empty), beside("reference_first", empty)]
    assert (told(found(verdicts)["RACE"]), told(found(verdicts, "drb")["RACE"])) == ("na", 0)


def test_another_reference_makes_scores_beside_the_old_one_unused() -> None:
    verdicts = [beside("target_first", FIRST), beside("reference_first", ALIKE)]
    assert told(found(verdicts, reference="Another.")["RACE"]) == "failed"


TRIPLETS_OF = (
    Triplet(fact="a", ref="1", source="W:1"),
    Triplet(fact="a", ref="2", source="W:2"),
    Triplet(fact="b", ref="1", source="W:1"),
    Triplet(fact="c", ref="3", source="W:3"),
    Triplet(fact="d", ref="4", source="W:4"),
    Triplet(fact="e"),
)


def cited() -> list[Verdict]:
    """a is supported by one page and in part by another, b is not, of c and d nobody knows, e cites nothing."""
    return [
        verdict(TRIPLETS, REPORT, [it.model_dump(exclude_none=True) for it in TRIPLETS_OF]),
        verdict(DUPLICATES, duplicates_item(distinct_facts(TRIPLETS_OF)), []),
        verdict(SUPPORT, pair_item("a", "W:1"), 1.0),
        verdict(SUPPORT, pair_item("a", "W:2"), 0.5),
        verdict(SUPPORT, pair_item("b", "W:1"), 0.0),
        verdict(SUPPORT, pair_item("c", "W:3"), None, "unverifiable"),
        verdict(SUPPORT, pair_item("d", "W:4"), 0.0, notes=(UNKNOWN,)),
    ]


def test_valid_citations_are_counted_without_those_of_which_nobody_knows() -> None:
    ours, released = found(cited()), found(cited(), "drb")
    assert [told(ours[it]) for it in ("valid_rate", "citations", "valid_citations")] == [0.3333, 3, 1]
    assert [told(released[it]) for it in ("valid_rate", "citations", "valid_citations")] == [0.6667, 3, 2]


def test_the_valid_rate_is_pooled_over_citations() -> None:
    one, none = found(cited()), {"valid_rate": Value("valid_rate", "na")}
    many = {"valid_rate": Value("valid_rate", "scored", 1.0, {"supported": 9.0, "known": 9.0})}
    parts = [METRIC.pooled["valid_rate"](it)[0] for it in (one, none, many)]
    assert parts == [(1, 3), (0, 0), (9, 9)]
    assert METRIC.pooled.keys() == {"valid_rate"}


def test_a_report_without_citations_is_in_no_average_and_one_not_judged_to_the_end_failed() -> None:
    plain = (Triplet(fact="e"),)
    held = [
        verdict(TRIPLETS, REPORT, [it.model_dump(exclude_none=True) for it in plain]),
        verdict(DUPLICATES, duplicates_item(["e"]), []),
    ]
    assert {told(found(held)[it]) for it in ("valid_rate", "citations", "valid_citations")} == {"na"}
    assert told(found(cited()[:-1])["valid_rate"]) == "failed"


def test_what_a_report_lacks_is_told_as_the_reason() -> None:
    def why(value: Value) -> list[str]:
        return [*reasons_of(value.items)]

    alone = {it.variant: it for it in values([], None, None, "default")}
    assert why(alone["RACE"]) == [NO_REFERENCE]
    itself = beside("target_first", None, "na").model_copy(update={"reason": IS_REFERENCE})
    assert why(found([itself], "drb")["insight"]) == [IS_REFERENCE]
    empty = scores(dict.fromkeys(AXIS.keys, (0.0, 0.0)), (0.0, 0.0))
    both = [beside("target_first", empty), beside("reference_first", empty)]
    assert why(found(both)["RACE"]) == ["report and reference both got nought"]
    held = [verdict(TRIPLETS, REPORT, [{"fact": "e"}]), verdict(DUPLICATES, duplicates_item(["e"]), [])]
    assert why(found(held)["valid_rate"]) == ["the report cites nothing"]
    one = Triplet(fact="a", ref="1", source="W:1")
    unfetched = [
        verdict(TRIPLETS, REPORT, [one.model_dump(exclude_none=True)]),
        verdict(DUPLICATES, duplicates_item(["a"]), []),
        verdict(SUPPORT, pair_item("a", "W:1"), None, "na"),
    ]
    assert why(found(unfetched)["valid_rate"]) == ["nobody fetched the pages it cites: `score --fetch-sources` does"]
