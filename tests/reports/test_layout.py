"""Which text belongs to which citation, and what a table's cells are about: the form reader, the docs and the prompts
follow one rule.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.agents import information
from drretail.agents.information import agent_prompt
from drretail.eval.claims.audit import marks_in
from drretail.eval.claims.claims import EXTRACT
from drretail.eval.claims.extraction import extraction_prompt
from drretail.reports.layout import find_sentences, read_layout, what_a_mark_covers
from tests.goods import EVIDENCE, K, P


def cut(report: str) -> list[tuple[str, str]]:
    return [(sentence.kind, report[sentence.start : sentence.end]) for sentence in find_sentences(report)]


def test_text_is_cut_at_stops_with_the_marks_behind_them() -> None:
    for sentences in (
        ("It holds approx. 5 gal. of seed.", " ", "Next."),
        ("Fine. [1]", " ", "Next [2]."),
        ("Fine.[P:B0X][W:abcdefgh]", " ", "Next."),
        ("So. [Beds](https://a.example)", " ", "Last."),
        ("很好。", "", "再见！"),
    ):
        first, _, second = sentences
        assert [statement for _, statement in cut("".join(sentences))] == [first, second]


def test_a_row_knows_its_tables_head() -> None:
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


def owned(report: str) -> list[tuple[str, tuple[str, ...]]]:
    layout = read_layout(report, EVIDENCE)
    return [(layout.text[stretch.start : stretch.end].strip(" ,."), stretch.cited) for stretch in layout.stretches]


def test_a_mark_owns_figures_behind_it_and_the_words_of_its_link() -> None:
    report = f"Kettle {K} – $42.95 · 4.6 ★ (1,843), and the pan costs $38.50 {P}."
    of_kettle = f"Kettle {' ' * len(K)} – $42.95 · 4.6 ★ (1,843), and"
    assert [one for one, _ in owned(report)] == [of_kettle, "the pan costs $38.50"]
    assert owned("See [the kettle at $42.95](P:B0KITCHENK).") == [("See ·the kettle at $42.95", ("P:B0KITCHENK",))]


ALDER, BIRCH = "P:A1", "P:B2"
OF_THE_RULE = {
    "The Alder costs $39 [P:A1], the Birch $45 [P:B2].": {"The Alder costs $39": [ALDER], "the Birch $45": [BIRCH]},
    "Both kettles are dishwasher safe [P:A1][P:B2].": {"Both kettles are dishwasher safe": [ALDER, BIRCH]},
    "| Alder [P:A1] | $39 | 4.6 (212) |": {"Alder": [ALDER], "$39": [ALDER], "4.6 (212)": [ALDER]},
    "A test of 2009 asks for a strap [W:A1].": {"A test of 2009 asks for a strap": ["W:A1"]},
}


def test_the_form_reader_follows_the_rule_and_its_examples() -> None:
    assert all(f"`{report}`" in what_a_mark_covers() for report in OF_THE_RULE)
    for report, said_of in OF_THE_RULE.items():
        layout = read_layout(report, None)
        parts = [(stretch.start, stretch.end, stretch.cited) for stretch in layout.stretches if stretch.cited]
        parts = [(cell.start, cell.end, cell.subjects) for cell in layout.cells] or parts
        covered = {layout.text[start:end].strip(" .,|"): list(of) for start, end, of in parts}
        assert {words: of for words, of in covered.items() if words} == said_of, report


def test_writers_judges_and_docs_have_the_rule_in_the_same_words() -> None:
    rule = what_a_mark_covers()
    assert rule in agent_prompt(information.__file__, "citing").text
    assert rule in extraction_prompt(EXTRACT).shared
    docs = Path(__file__).parents[2] / "docs/scores.md"
    assert rule in "\n".join(line.removeprefix(">").removeprefix(" ") for line in docs.read_text("utf-8").splitlines())


def test_marks_between_a_stop_and_a_line_that_goes_on_are_read_in_linear_time() -> None:
    # Every way to divide the marks was once tried, which took hours for these three.
    marks = "[P:B0KITCHENK][P:B0KITCHENK][C:nws6kqhn]"
    assert len(find_sentences(f"It folds. {marks}|---|---|\n- Flat")) == 3


SOURCE_LINES = {
    "a line each": "One lamp is bright.\nSource: https://a.example/1\n\nThe other lasts.\n[Source](https://a.example/2)\n",
    "one line for all": "One lamp is bright. The other lasts.\nSources: https://a.example/1 and https://a.example/2\n",
    "a sub-item": "- One lamp is bright.\n  - *Source: [A](https://a.example/1)*\n\nThe other lasts.\n\nhttps://a.example/2",
    "a column": "| Lamp | Says | Source |\n|---|---|---|\n| A | One lamp is bright | https://a.example/1 |\n"
    "| B | The other lasts | https://a.example/2 |\n",
}


@pytest.mark.parametrize("form", SOURCE_LINES)
def test_a_line_of_sources_is_no_sentence_and_covers_the_block_above(form: str) -> None:
    report = SOURCE_LINES[form]
    layout = read_layout(report, None)
    assert not any("ource" in report[each.start : each.end] for each in layout.sentences if each.kind == "text")
    places = {mark.source[-1]: report[mark.start : mark.end] for mark in marks_in(layout)}
    assert "One lamp is bright" in places["1"]
    assert "The other lasts" in places["2"]
    assert all(layout.cited[index] for index, each in enumerate(layout.sentences) if each.kind == "text")


A, B = "https://a.example/1", "https://b.example/2"
FIELDS = {
    f"### [Oak]({A})\n\n- Price: $39\n\n### [Ash]({B})\n\n- Price: $32": [],
    f"**[Oak]({A})**\n\n- Price: $39\n\n**[Ash]({B})**\n\n- Price: $32": [],
    f"- [Oak]({A})\n  - Price: $39\n- [Ash]({B})\n  - Price: $32": [],
    f"- [Oak]({A})\n- Price: $39\n- [Ash]({B})\n- Price: $32": [],
    f"### Oak\n\n- Price: $39\n- Stars: 4\n- Link: {A}": [("Price: $39", A), ("Stars: 4", A)],
    f"1. Oak\n   - Price: $39\n2. Ash\n   - Price: $32\n   - [Shop]({B})": [("Price: $32", B)],
    "| | Oak | Ash |\n|---|---|---|\n| Price | $39 | $32 |\n| Shop | [here](http://ecommerce.com/1) | "
    "[here](http://ecommerce.com/2) |": [("$39", "P:1"), ("$32", "P:2")],
}


@pytest.mark.parametrize("report", FIELDS)
def test_a_link_that_may_name_what_follows_covers_nothing_above_and_the_last_of_a_list_covers_its_fields(
    report: str,
) -> None:
    layout = read_layout(report, None)
    owned = [*((each, each.cited) for each in layout.stretches), *((each, each.subjects) for each in layout.cells)]
    said = [(report[each.start : each.end].strip(), cited[0]) for each, cited in owned if cited]
    assert [(words, source) for words, source in said if "[" not in words and words[-1].isdigit()] == FIELDS[report]
