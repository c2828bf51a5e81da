"""Sentences of a report with their places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.sentences import find_sentences


def cut(report: str) -> list[tuple[str, str]]:
    return [(sentence.kind, report[sentence.start : sentence.end]) for sentence in find_sentences(report)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It costs $4.50 today. Then $5.", ["It costs $4.50 today.", "Then $5."]),
        ("It holds approx. 5 gal. of seed. Next.", ["It holds approx. 5 gal. of seed.", "Next."]),
        ("A bag of 12 oz. Another one.", ["A bag of 12 oz.", "Another one."]),
        ("Fine. [1] Next [2].", ["Fine. [1]", "Next [2]."]),
        ("Fine.[P:B0X][W:abcdefgh] Next.", ["Fine.[P:B0X][W:abcdefgh]", "Next."]),
        ("Fine. [Beds](https://a.example) last.", ["Fine.", "[Beds](https://a.example) last."]),
        (
            "So. [Beds](https://a.example) Last. [Beds](https://a.example)[Mats](https://a.example/2)\n\n"
            "So. [Mats](https://a.example/2) \n\nNext",
            [
                "So. [Beds](https://a.example)",
                "Last. [Beds](https://a.example)[Mats](https://a.example/2)",
                "So. [Mats](https://a.example/2)",
                "Next",
            ],
        ),
        ("Over\ntwo lines. End.", ["Over\ntwo lines.", "End."]),
        ("See https://a.example/x.y now. End.", ["See https://a.example/x.y now.", "End."]),
        ("很好。再见！", ["很好。", "再见！"]),
    ],
)
def test_text_is_cut_at_stops_with_the_marks_behind_them(text: str, sentences: list[str]) -> None:
    assert [statement for _, statement in cut(text)] == sentences


def test_items_headings_and_rows_are_told_apart_and_a_row_knows_its_tables_head() -> None:
    report = (
        "# Beds\n\n- One bed\n  goes on. And on.\n2. Two\n> - Quoted\n\n**Lead**\n\n---\n"
        "| Bed | Price |\n|---|---|\n| Soft | $5 |\n\n```\ncode.\n```\n\n## Sources\n[1] https://a.example/x\n"
    )
    assert cut(report) == [
        ("heading", "# Beds"),
        ("item", "One bed\n  goes on."),
        ("item", "And on."),
        ("item", "Two"),
        ("item", "Quoted"),
        ("heading", "**Lead**"),
        ("table_head", "| Bed | Price |"),
        ("row", "| Soft | $5 |"),
    ]

    report = "| a | b |\n|---|---|\n| 1 | 2 |\n\ntext\n\n| 3 | 4 |\n"
    rows = [sentence for sentence in find_sentences(report) if sentence.kind == "row"]
    assert [None if row.head is None else report[slice(*row.head)] for row in rows] == ["| a | b |", None]


@given(st.text(alphabet="aB1 .!?[]|-#*\n>`:。", max_size=80))
def test_sentences_are_in_order_apart_and_trimmed(report: str) -> None:
    position = 0
    for sentence in find_sentences(report):
        assert position <= sentence.start < sentence.end <= len(report)
        assert report[sentence.start : sentence.end].strip() == report[sentence.start : sentence.end]
        position = sentence.end
