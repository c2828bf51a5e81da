"""fit_to_screen: tests/viewer/drawing/test_progress.py."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from drretail.viewer.drawing.screen import wrapped

WORDS = st.lists(st.text("ab+-é", min_size=1, max_size=30), min_size=1, max_size=12)


@given(WORDS, st.integers(10, 60))
def test_wrapping_loses_no_letter_and_breaks_words_behind_a_plus_alone(words: list[str], width: int) -> None:
    text = " ".join(words)
    lines = wrapped(text, width).split("\n")
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    for line in lines:
        assert len(line) <= width or "+" not in line.rstrip("+")[1:] or " " not in line
    for first, second in pairwise(lines):
        broken = first.endswith("+") and f"{first.split(' ')[-1]}{second.split(' ')[0]}" in text
        assert broken or f"{first.split(' ')[-1]} {second.split(' ')[0]}" in text
