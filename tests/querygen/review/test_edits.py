"""Two texts set against each other."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.querygen.review.edits import retyped, word_diff, words_changed

TEXTS = st.lists(st.sampled_from(["a", "b", "cat", "dog"]), max_size=12).map(" ".join)


@given(TEXTS, TEXTS)
def test_a_diff_holds_both_texts(before: str, after: str) -> None:
    diff = word_diff(before, after)
    old = re.sub(r"\[-(.*?)-\]", r"\1", re.sub(r"\{\+.*?\+\}", "", diff))
    new = re.sub(r"\{\+(.*?)\+\}", r"\1", re.sub(r"\[-.*?-\]", "", diff))
    assert (old.split(), new.split()) == (before.split(), after.split())


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [("a b c d", "a b c e", 0.25), ("a b", "a b c d", 0.5), ("a b c d", "a", 0.75), ("a", "b", 1), ("", "", 0)],
)
def test_words_are_counted_against_the_longer_text(before: str, after: str, share: float) -> None:
    assert words_changed(before, after) == share


def test_spaces_at_the_ends_of_lines_change_no_text() -> None:
    assert retyped("One line.\nAnother.", "One line. \r\nAnother.\n") == "One line.\nAnother."
    assert retyped("One line.", " Another one. \n") == "Another one."
