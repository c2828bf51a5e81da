"""Weights add up to 1. made_criteria, weighted_groups: tests/addons/publications/pqr/test_score.py."""

import pytest

from drretail.addons.publications.pqr.axis import (
    PERSONALIZATION,
    QUALITY,
    CriterionScore,
    check_sums,
    matched,
    off,
    scaled_to_one,
    weighted_mean,
)
from drretail.errors import UserError
from drretail.records.criteria import CriteriaGroup, Criterion
from tests.addons.publications.playing import weighed


def test_a_sum_may_be_a_hundredth_off() -> None:
    assert off((0.33, 0.33, 0.33)) is off((0.34, 0.34, 0.33)) is None
    wrong = {(0.33, 0.33, 0.32): "add up to 0.98", (0.5, 0.52): "add up to 1.02", (1.2, -0.2): "below 0", (): "to 0"}
    for weights, problem in wrong.items():
        assert problem in (off(weights) or ""), weights


def test_weights_that_are_a_little_off_keep_their_proportions_in_a_mean() -> None:
    assert scaled_to_one([0.33, 0.33, 0.33]) == pytest.approx([1 / 3] * 3)
    assert weighted_mean([(0.5, 8), (0.3, 6), (0.2, 1)]) == pytest.approx(0.5 * 8 + 0.3 * 6 + 0.2 * 1)
    assert weighted_mean([(0.5, 8), (0.49, 6)]) == pytest.approx((0.5 * 8 + 0.49 * 6) / 0.99)


def test_an_edit_that_breaks_a_sum_is_told_with_its_file() -> None:
    whole = dict.fromkeys(QUALITY.keys, 1 / 3)
    check_sums(weighed(whole))
    with pytest.raises(UserError, match=r"rubrics/pqr/q1.json, the dimensions of quality: .* add up to 1.16667"):
        check_sums(weighed({**whole, "depth_insight": 0.5}))
    with pytest.raises(UserError, match="no group 'content_alignment'"):
        check_sums(weighed({**whole, "goal_alignment": 1}))
    made = weighed(whole)
    empty = CriteriaGroup(name="depth_insight", weight=1 / 3)
    with pytest.raises(UserError, match=r"depth_insight: the weights add up to 0"):
        check_sums(made.model_copy(update={"groups": (empty, *made.groups[1:])}))
    check_sums(weighed({**whole, **dict.fromkeys(PERSONALIZATION.keys, 0.25)}))


CRITERIA = (Criterion(text="Names a Budget"), Criterion(text="names a budget "), Criterion(text="Says why"))


def test_words_are_compared_exactly_before_their_case_is_let_go_and_what_cannot_be_matched_is_told() -> None:
    def found(*words: str) -> list[str] | str:
        answers = matched(CRITERIA, [CriterionScore(criterion=each, analysis="So.", target_score=5) for each in words])
        return answers if isinstance(answers, str) else [answer.criterion for answer in answers]

    assert found("Names a Budget", "names a budget ", "SAYS WHY") == [criterion.text for criterion in CRITERIA]
    assert "'Names a Budget' is missing" in found("Says why")
    assert "is no criterion" in found("Says why it is so")
    assert "is there twice" in found("Says why", "says why")
