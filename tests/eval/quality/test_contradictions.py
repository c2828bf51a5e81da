import pytest

from drretail.eval.quality.score import contradicts, failed_constraints

BLAMING = [
    "Strong report. The phase total of $128.96 exceeds the $120 limit.",
    "The basket is $30 over the stated budget.",
    "It violates the brand exclusion and is thin on care.",
    "Well done, but it fails to stay within the price asked for.",
    "The second pick does not meet the requirement of BPA-free plastic.",
    "Two of the products are not from the shop's catalog.",
    "It ignores the shopper's stated budget.",
    "It recommends an excluded brand.",
    "One pick comes from an external store.",
]
PRAISING = [
    "The total does not exceed the budget.",
    "No constraint is violated; the section on care is short.",
    "It stays within the budget without breaking any limit.",
    "Nothing violates what was asked, and all products are from the shop's catalog.",
    "Depth is lacking: the trade-off is named and not explained.",
    "The answer doesn't exceed what was allowed.",
    "The advice goes beyond common knowledge.",
]


@pytest.mark.parametrize("justification", BLAMING)
def test_a_failed_hard_constraint_under_a_high_rating_is_a_contradiction(justification: str) -> None:
    assert contradicts(8, justification)
    assert not contradicts(7, justification)


@pytest.mark.parametrize("justification", PRAISING)
def test_a_kept_constraint_or_another_weakness_is_none(justification: str) -> None:
    assert not contradicts(10, justification)


def test_the_blaming_clause_is_what_is_found() -> None:
    assert failed_constraints("Clear and deep, but the sum exceeds $300. Well cited.") == ["the sum exceeds $300"]
