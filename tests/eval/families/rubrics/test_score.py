"""The formula by hand: ResearchRubrics' weights, also below nought, and DeepResearch Bench II's shares by axis."""

from collections.abc import Sequence

import pytest

from drretail.eval.families.rubrics.score import Mark, values, weighted
from drretail.eval.judging.numbered import criterion_item
from drretail.eval.values import Value
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.score import JudgeRef, Verdict, reasons_of


def rubric(**weights: Sequence[float]) -> Criteria:
    groups = (
        CriteriaGroup(name=name, criteria=tuple(Criterion(text=f"{name} {n}", weight=it) for n, it in enumerate(held)))
        for name, held in weights.items()
    )
    return Criteria(family="rubrics", query_id="q1", groups=tuple(groups))


def marked(criteria: Criteria, **met: Sequence[float | None]) -> dict[str, Value]:
    verdicts = [
        Verdict(
            metric="rubrics",
            version=1,
            stage="criteria_met",
            item=criterion_item(group, it),
            run_id="a/q1-r1",
            report_sha="0",
            judge=JudgeRef(spec="scripted:test", kind="scripted"),
            state="failed" if value is None else "scored",
            value=value,
        )
        for group in criteria.groups
        for it, value in zip(group.criteria, met[group.name], strict=True)
    ]
    return {it.variant: it for it in values(verdicts, criteria)}


def test_the_score_is_the_weight_met_by_the_weight_that_can_be_had() -> None:
    found = marked(rubric(explicit=[5, 3], implicit=[2]), explicit=[1, 0], implicit=[1])
    assert (found["score"].value, found["explicit"].value, found["implicit"].value) == (0.7, 0.625, 1)
    assert found["score"].items == {"points": 7, "of": 10, "criteria": 3}


def test_a_fault_takes_off_and_adds_nothing_to_what_can_be_had() -> None:
    criteria = rubric(explicit=[5, 5, -4])
    assert marked(criteria, explicit=[1, 0, 0])["score"].value == 0.5
    assert marked(criteria, explicit=[1, 0, 1])["score"].value == pytest.approx(0.1)
    worse = marked(criteria, explicit=[0, 0, 1])
    assert (worse["score"].value, worse["faults"].value) == (pytest.approx(-0.4), 1)  # never clamped


def test_a_fault_that_is_met_by_half_is_strictly_met() -> None:
    assert [Mark(2, 0.5).strictly.met, Mark(-2, 0.5).strictly.met, Mark(-2, 0.0).strictly.met] == [0.0, 1.0, 0.0]


def test_half_of_a_merit_is_half_and_strictly_nothing() -> None:
    found = marked(rubric(explicit=[4, 4, -2]), explicit=[0.5, 1, 0.5])
    assert (found["score"].value, found["strict"].value) == (pytest.approx(5 / 8), 0.25)


def test_with_equal_weights_it_is_the_share_of_criteria_met() -> None:
    found = marked(rubric(information=[1] * 4, analysis=[1] * 2), information=[1, 1, 1, 0], analysis=[0, 0])
    assert (found["score"].value, found["information"].value, found["analysis"].value) == (0.5, 0.75, 0)
    assert found["presentation"].state == "na"


def test_axes_of_other_names_count_in_the_whole() -> None:
    assert marked(rubric(own=[1, 1], analysis=[2]), own=[1, 0], analysis=[0])["score"].value == 0.25


def test_a_criterion_that_the_judge_broke_fails_the_score_and_its_axis_alone() -> None:
    found = marked(rubric(information=[1, 1], analysis=[1]), information=[1, None], analysis=[1])
    assert (found["score"].state, found["information"].state, found["analysis"].value) == ("failed", "failed", 1)


def test_without_a_weight_above_nought_there_is_nothing_to_score() -> None:
    found = weighted("score", [Mark(-1, 1)])
    assert (found.state, [*reasons_of(found.items)]) == ("na", ["no criterion has a weight above nought"])


def test_without_a_rubric_every_variant_failed() -> None:
    assert {value.state for value in values([], None)} == {"failed"}
