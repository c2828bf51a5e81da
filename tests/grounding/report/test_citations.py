"""Citations in all the forms in which reports write them, and what only looks like one."""

import gzip
import json
import time
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.report.citations import find_citations, listed_sources
from drretail.grounding.report.markup import prose
from drretail.grounding.report.reference_list import read_references
from drretail.grounding.text.layout import find_sentences
from drretail.records.evidence import Evidence
from tests.grounding.conftest import FILE, PAGE, SUM, WEB

A = "P:F1"


def found(report: str, evidence: tuple[Evidence, ...] | None) -> str:
    """ "marker = type evidence-id-or-else-URL" of every citation, offsets checked."""
    citations = find_citations(report, evidence)
    assert all(report[citation.start : citation.end] == citation.marker for citation in citations)
    parts = ((one.marker, "=", one.type, one.evidence_id or one.url) for one in citations)
    return "; ".join(" ".join(filter(None, part)) for part in parts)


LIST = "\n\n## References\n[1] https://a.example/x - A\n[2] B: https://b.example/\n[3]\n[4] [P:F1] feeder\n"

NAMES = {"WEB": WEB, "PAGE": PAGE, "SUM": SUM, "FILE": FILE, "LIST": LIST}
FORMS = tomllib.loads(Path(__file__).with_name("citations.toml").read_text("utf-8"))["forms"]


@pytest.mark.parametrize(("report", "expected"), FORMS)
def test_a_report_has_these_citations(report: str, expected: str, evidence: tuple[Evidence, ...]) -> None:
    assert found(report.format(**NAMES), evidence) == expected.format(**NAMES)


def test_without_a_ledger_products_are_cited_by_their_address() -> None:
    report = "http://ecommerce.com/F1, http://ecommerce.com/search?q=x and [P:F1]"
    assert [citation.type for citation in find_citations(report, None)] == ["product", "unresolved", "unresolved"]
    assert [citation.type for citation in find_citations(report, ())] == ["unresolved"] * 3


@given(st.text(st.sampled_from("[]()<>`^|P:B01; ,.-hts/exmpl\n!*中【】#~"), max_size=300))
def test_offsets_are_exact_and_marks_apart_in_any_text(report: str) -> None:
    citations = find_citations(report, ())
    assert all(report[citation.start : citation.end] == citation.marker for citation in citations)
    spans = sorted({(citation.start, citation.end) for citation in citations})
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert len(prose(report)) == len(report)


UNITS = [
    *("[", "](", "![](", "`", "`` ` ", "https://a.b)", "https://a(", "[1] ", "[1]: ", "((", "[a](https://b.c "),
    *("[P:A; ", "【[", "<https://a", "\n[1] x", "\n1. https://a.b", "# Sources\n", "```\n", "[P:B]"),
    # with the list below, these are, or begin, marks in other styles
    *("a", "1", "(1)", "a.1 ", "aa1. ", "¹", "<sup>1", "^1", "(2018) ", "(a 2018; ", "［", "\\[1\\]", "</cite>"),
    *("citeturn0search1", "<" + 'cite index="1-1">', "<grok:render a>", "So. [a](https://b) ", "[[1]](#", "|1|"),
    *("> ", "\n(1) www.a.b", "\n- Ma, J. (2018). x", "& Ma (2018) "),
]


@pytest.mark.parametrize("unit", UNITS)
def test_no_input_is_read_in_more_than_linear_time(unit: str) -> None:
    # Where time grew with the square, these lengths would take many seconds instead of a fraction of one.
    report = unit * (100_000 // len(unit)) + LIST
    started = time.process_time()
    find_citations(report, ())
    assert time.process_time() - started < 2.5


def reports(path: Path, field: str) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)[field]


@pytest.mark.parametrize(
    ("name", "field", "entries", "without_url"),
    [
        ("deep_research_bench/claude_raw_20.jsonl.gz", "article", 333, 0),
        ("deepresearch_reporteval/qwen_20.jsonl.gz", "report", 642, 67),
    ],
)
def test_lists_of_real_reports_are_read(realdata: Path, name: str, field: str, entries: int, without_url: int) -> None:
    read = empty = 0
    for report in reports(realdata / "reports" / name, field):
        for listed in read_references(prose(report)).entries():
            read += 1
            empty += "http" not in report[listed.start : listed.end]
        citations = find_citations(report, None)
        assert all(report[citation.start : citation.end] == citation.marker for citation in citations)
        assert sum(citation.type == "web" for citation in citations) >= 10
    assert (read, empty) == (entries, without_url)


def test_a_list_names_its_sources_with_their_titles_and_a_footnote_what_is_indented_below_it() -> None:
    report = "One [1].\n\nSources:\n[1] https://a.example/ - A page\n- [Title](https://b.example/)\n"
    titles = [(cited.url, cited.title) for cited in listed_sources(report, None).cited]
    assert titles == [("https://a.example/", "A page"), ("https://b.example/", "Title")]
    report = """It is quiet.[^1] It holds a litre.[^2]

[^1]: https://lab.example/a
    Seen in a test of twelve kettles.

    And again a year later.
[^2]: Kettle guide
    https://lab.example/b

After it all.
"""
    cited = [citation.url for citation in find_citations(report, None)]
    assert cited == ["https://lab.example/a", "https://lab.example/b"]
    sentences = [report[each.start : each.end] for each in find_sentences(report)]
    assert sentences == ["It is quiet.[^1]", "It holds a litre.[^2]", "After it all."]
