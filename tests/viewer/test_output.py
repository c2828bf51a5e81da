"""Lines as wide as the terminal."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.tables.table import table_of
from drretail.viewer.output import print_table, wrapped

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


def test_a_table_breaks_cells_between_words_and_is_rather_wider_than_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    share = "0.69 (0.65–0.72)"
    print_table(
        table_of("T", ["", *("balanced accuracy", "words alone", "κ linear") * 2], [["hybrid_react", *[share] * 6]])
    )
    words = capsys.readouterr().out.split()
    assert words.count("(0.65–0.72)") == 6
    assert {"hybrid_react", "accuracy"} <= {*words}
    print_table(table_of("T", ["", "text"], [["hybrid_react@offline-shopper", "one two three four " * 9]]))
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60
