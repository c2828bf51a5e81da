"""Scores are found by the words of criteria: exactly, then without case, and never by guessing."""

import pytest

from drretail.eval.weighted.matching import matched
from drretail.records.criteria import Criterion

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
