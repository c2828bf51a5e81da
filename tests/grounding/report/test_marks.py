"""What a mark covers: the form reader, the docs and the prompts follow one rule."""

from pathlib import Path

import pytest

from drretail.agents import prompt_blocks
from drretail.agents.prompt_blocks import agent_prompt
from drretail.eval.claims.claims import EXTRACT
from drretail.eval.claims.extraction import extraction_prompt
from drretail.grounding.report.marks import what_a_mark_covers
from drretail.grounding.text.layout import read_layout

ALDER, BIRCH = "P:A1", "P:B2"


def covered(report: str) -> dict[str, list[str]]:
    """What words are about, by form: of stretches, and of cells where there is a table."""
    layout = read_layout(report, None)
    parts = [(stretch.start, stretch.end, stretch.cited) for stretch in layout.stretches if stretch.cited]
    parts = [(cell.start, cell.end, cell.subjects) for cell in layout.cells] or parts
    return {layout.text[start:end].strip(" .,|"): list(of) for start, end, of in parts}


@pytest.mark.parametrize(
    ("report", "said_of"),
    [
        (
            "The Alder costs $39 [P:A1], the Birch $45 [P:B2].",
            {"The Alder costs $39": [ALDER], "the Birch $45": [BIRCH]},
        ),
        ("Both kettles are dishwasher safe [P:A1][P:B2].", {"Both kettles are dishwasher safe": [ALDER, BIRCH]}),
        ("| Alder [P:A1] | $39 | 4.6 (212) |", {"Alder": [ALDER], "$39": [ALDER], "4.6 (212)": [ALDER]}),
    ],
)
def test_the_form_reader_reads_the_examples_as_the_rule_says(report: str, said_of: dict[str, list[str]]) -> None:
    assert f"`{report}`" in what_a_mark_covers()
    assert covered(report) == said_of


def test_writers_judges_and_docs_have_the_rule_in_the_same_words() -> None:
    rule = what_a_mark_covers()
    assert rule in agent_prompt(prompt_blocks.__file__, "citing").text
    assert rule in extraction_prompt(EXTRACT).shared
    docs = Path(__file__).parents[3] / "docs/faithfulness.md"
    assert rule in "\n".join(line.removeprefix(">").removeprefix(" ") for line in docs.read_text("utf-8").splitlines())
