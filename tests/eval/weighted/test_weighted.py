"""Weights add up to 1, and scores are found by the words of criteria, never by guessing."""

import pytest

from drretail.errors import UserError
from drretail.eval.families.pqr.judge import AXES, PERSONALIZATION, QUALITY
from drretail.eval.weighted.matching import matched
from drretail.eval.weighted.shares import check_sums, normalised, off, weighted_mean
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        ((0.3, 0.3, 0.4), None),
        ((0.33, 0.33, 0.33), None),
        ((0.34, 0.34, 0.33), None),
        ((0.33, 0.33, 0.32), "add up to 0.98"),
        ((0.5, 0.52), "add up to 1.02"),
        ((1.2, -0.2), "below 0"),
        ((), "add up to 0"),
    ],
)
def test_a_sum_may_be_a_hundredth_off(weights: tuple[float, ...], problem: str | None) -> None:
    found = off(weights)
    assert found is None if problem is None else problem in (found or "")


def test_what_is_a_little_off_keeps_its_proportions() -> None:
    assert normalised([0.33, 0.33, 0.33]) == pytest.approx([1 / 3] * 3)
    assert normalised([0.3, 0.3, 0.4]) == [0.3, 0.3, 0.4]


def test_a_weighted_mean_by_hand() -> None:
    assert weighted_mean([(0.5, 8), (0.3, 6), (0.2, 1)]) == pytest.approx(0.5 * 8 + 0.3 * 6 + 0.2 * 1)
    assert weighted_mean([(0.5, 8), (0.49, 6)]) == pytest.approx((0.5 * 8 + 0.49 * 6) / 0.99)


def made(**weights: float) -> Criteria:
    groups = [CriteriaGroup(name=key, weight=it, criteria=(Criterion(text="So."),)) for key, it in weights.items()]
    return Criteria(family="pqr", query_id="q1", groups=tuple(groups))


def test_an_edit_that_breaks_a_sum_is_told_with_its_file() -> None:
    whole = dict.fromkeys(QUALITY.keys, 1 / 3)
    check_sums(made(**whole), AXES)
    with pytest.raises(UserError, match=r"rubrics/pqr/q1.json, the dimensions of quality: .* add up to 1.16667"):
        check_sums(made(**{**whole, "depth_insight": 0.5}), AXES)
    with pytest.raises(UserError, match="no group 'content_alignment'"):
        check_sums(made(**whole, goal_alignment=1), AXES)
    broken = made(**whole).model_copy(
        update={"groups": (CriteriaGroup(name="depth_insight", weight=1 / 3), *made(**whole).groups[1:])}
    )
    with pytest.raises(UserError, match=r"depth_insight: the weights add up to 0"):
        check_sums(broken, AXES)
    check_sums(made(**whole, **dict.fromkeys(PERSONALIZATION.keys, 0.25)), AXES)


CRITERIA = (Criterion(text="Names a Budget"), Criterion(text="names a budget "), Criterion(text="Says why"))


def test_words_are_compared_exactly_before_their_case_is_let_go() -> None:
    said = [("Names a Budget", 1), ("names a budget ", 2), ("SAYS WHY", 3)]
    assert matched(CRITERIA, said) == {"Names a Budget": 1, "names a budget ": 2, "Says why": 3}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ([("Says why", 1)], "'Names a Budget' is missing"),
        ([("Says why it is so", 1)], "is no criterion"),
        ([("Says why", 1), ("says why", 2)], "is there twice"),
    ],
)
def test_what_cannot_be_matched_is_told(said: list[tuple[str, int]], problem: str) -> None:
    found = matched(CRITERIA, said)
    assert isinstance(found, str)
    assert problem in found
