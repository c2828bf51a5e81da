"""Two texts set against each other."""

import re

from hypothesis import given
from hypothesis import strategies as st

from drretail.querygen.review.edits import retyped, word_diff

TEXTS = st.lists(st.sampled_from(["a", "b", "cat", "dog"]), max_size=12).map(" ".join)


@given(TEXTS, TEXTS)
def test_a_diff_holds_both_texts(before: str, after: str) -> None:
    diff = word_diff(before, after)
    old = re.sub(r"\[-(.*?)-\]", r"\1", re.sub(r"\{\+.*?\+\}", "", diff))
    new = re.sub(r"\{\+(.*?)\+\}", r"\1", re.sub(r"\[-.*?-\]", "", diff))
    assert (old.split(), new.split()) == (before.split(), after.split())


def test_spaces_at_the_ends_of_lines_change_no_text() -> None:
    assert retyped("One line.\nAnother.", "One line. \r\nAnother.\n") == "One line.\nAnother."
    assert retyped("One line.", " Another one. \n") == "Another one."
