"""Whatever is taken out of a report, the rest stands as it stood."""

import gzip
import json
import random
from pathlib import Path

import pytest

from drretail.grounding.removal import complete, without
from drretail.grounding.statements import Layout, read_layout
from drretail.grounding.structure import read_structure


def layout_of(report: str) -> Layout:
    return read_layout(read_structure(report, None))


def words_of(layout: Layout, struck: frozenset[int] = frozenset()) -> list[str]:
    """The statements that are left, headings aside: these go with what stood below them."""
    return [
        " ".join(layout.text(statement).split())
        for index, statement in enumerate(layout.statements)
        if index not in struck and statement.kind != "heading"
    ]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("deep_research_bench/claude_raw_20.jsonl.gz", "article"),
        ("deepresearch_reporteval/qwen_20.jsonl.gz", "report"),
    ],
)
def test_real_reports_lose_what_is_struck_and_nothing_else(realdata: Path, name: str, field: str) -> None:
    draw = random.Random(42)
    with gzip.open(realdata / "reports" / name, "rt", encoding="utf-8") as lines:
        reports = [json.loads(line)[field] for line in lines]
    for report in reports:
        layout = layout_of(report)
        for share in (0.02, 0.2, 0.7):
            statements = [index for index, it in enumerate(layout.statements) if it.kind != "heading"]
            struck = draw.sample(statements, max(1, int(len(statements) * share)))
            left = without(layout, struck)
            assert words_of(layout_of(left)) == words_of(layout, complete(layout, struck))


def test_a_mark_behind_the_fence_of_code_leaves_the_fence() -> None:
    report = "Set it so:\n\n```\nsize: 3\n``` [21]\n\nThen restart."
    layout = layout_of(report)
    index = next(number for number, it in enumerate(layout.statements) if layout.text(it) == "[21]")
    assert without(layout, [index]).replace("``` \n", "```\n") == report.replace(" [21]", "")


def test_a_sentence_of_a_paragraph_over_several_lines_goes_alone() -> None:
    report = "One is here.\nTwo goes over\nthe line. Three\nis last.\n"
    layout = layout_of(report)
    left = {number: without(layout, [number]) for number in range(3)}
    assert left[0] == "Two goes over\nthe line. Three\nis last.\n"
    assert left[1] == "One is here.\nThree\nis last.\n"
    assert left[2] == "One is here.\nTwo goes over\nthe line.\n"


def test_headings_that_were_empty_before_stay() -> None:
    report = "# Empty\n\n## Full\n\nWords.\n\n## Empty too\n\n## Left\n\nMore."
    layout = layout_of(report)
    index = next(number for number, it in enumerate(layout.statements) if layout.text(it) == "Words.")
    assert without(layout, [index]) == "# Empty\n\n## Empty too\n\n## Left\n\nMore."
