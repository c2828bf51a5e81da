"""Citations in all the forms in which reports write them, and what only looks like one."""

import gzip
import json
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.report.citations import find_citations, listed_sources
from drretail.grounding.report.markup import prose
from drretail.grounding.report.reference_list import read_references
from drretail.grounding.text.sentences import find_sentences
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

FORMS: dict[str, str] = {
    # ids
    "Good [P:F1].": "[P:F1] = product P:F1",
    f"[P:F1; {WEB}]": f"[P:F1; {WEB}] = product P:F1; [P:F1; {WEB}] = web {WEB}",
    "[P:F1,P:F2]": "[P:F1,P:F2] = product P:F1; [P:F1,P:F2] = product P:F2",
    "[P:F1; P:F1]": "[P:F1; P:F1] = product P:F1",
    f"[O:0000000012] [U:profile] [U:orders@A2_1] [{SUM}] [{FILE}]": (
        "[O:0000000012] = internal O:0000000012; "
        "[U:profile] = internal U:profile; "
        "[U:orders@A2_1] = internal U:orders@A2_1; "
        f"[{SUM}] = internal {SUM}; "
        f"[{FILE}] = internal {FILE}"
    ),
    "[see P:F1 for this]": "[see P:F1 for this] = product P:F1",
    "[P:XYZ; P:ABC]": "[P:XYZ; P:ABC] = unresolved; [P:XYZ; P:ABC] = unresolved",
    "[U:orders] [W:made-up]": "[U:orders] = unresolved; [W:made-up] = unresolved",
    "这款喂食器很好【P:F1】，见[P:F2]。": ("【P:F1】 = product P:F1; [P:F2] = product P:F2"),
    "| cell [P:F1] | `[P:F2]` |": ("[P:F1] = product P:F1; [P:F2] = product P:F2"),
    # URLs and links
    "See http://ecommerce.com/F1.": "http://ecommerce.com/F1 = product P:F1",
    "See http://ecommerce.com/F9.": ("http://ecommerce.com/F9 = unresolved http://ecommerce.com/F9"),
    f"({PAGE})": f"{PAGE} = web {WEB}",
    f"{PAGE}#top, or http://garden.example/feeders_(wild)/": (
        f"{PAGE}#top = web {WEB}; http://garden.example/feeders_(wild)/ = web {WEB}"
    ),
    '[a page](https://c.example/x_(y) "title")': (
        '[a page](https://c.example/x_(y) "title") = web https://c.example/x_(y)'
    ),
    "<https://c.example/?a=1>, **https://d.example/x**": (
        "<https://c.example/?a=1> = web https://c.example/?a=1; https://d.example/x = web https://d.example/x"
    ),
    "So [[1](https://c.example/)][[2](https://d.example/)].": (
        "[1](https://c.example/) = web https://c.example/; [2](https://d.example/) = web https://d.example/"
    ),
    "[P:F2](http://ecommerce.com/F1)": ("[P:F2](http://ecommerce.com/F1) = product P:F2"),
    "[this feeder](P:F1)": "[this feeder](P:F1) = product P:F1",
    # numbers with a list
    f"One [1][2].{LIST}": "[1] = web https://a.example/x; [2] = web https://b.example/",
    f"One [1, 2] or [1-2].{LIST}": (
        "[1, 2] = web https://a.example/x; "
        "[1, 2] = web https://b.example/; "
        "[1-2] = web https://a.example/x; "
        "[1-2] = web https://b.example/"
    ),
    f"Empty [3], none [9], inner [4].{LIST}": "[3] = unresolved; [9] = unresolved; [4] = product P:F1",
    f"In [2023], at [0, 1] or [0], of [0.5, 2], as [x] and [ ].{LIST}": "",
    "One [1].\n\n[1],https://a.example/x\n[2],\n": "[1] = web https://a.example/x",
    "One [2].\n\nSources:\n1. A page: https://a.example/\n2. https://b.example/ B\n": "[2] = web https://b.example/",
    "One [1].\n\n参考文献：\n[1] https://zh.example/中文 - 页\n": "[1] = web https://zh.example/中文",
    "A [1].\n\n### Sources\n[1] https://a.example/\n\n# Two\nB [1].\n\n### Sources\n[1] https://b.example/\n": (
        "[1] = web https://a.example/; [1] = web https://b.example/"
    ),
    "One [1].\n\n## Sources\n- [1] P:F1 — feeder\n\nThanks [P:F2]!": ("[1] = product P:F1; [P:F2] = product P:F2"),
    "Both [1].\n\n## Sources\n[1] https://a.example/ and [P:F1]\n": (
        "[1] = web https://a.example/; [1] = product P:F1"
    ),
    "One【1†source】.\n\n[1] https://a.example/": "【1†source】 = web https://a.example/",
    "One [1].\n\n## References\n[1] A title\n    https://a.example/x\n[2] B\n": "[1] = web https://a.example/x",
    f"One [cite: 1, 2].{LIST}": "[cite: 1, 2] = web https://a.example/x; [cite: 1, 2] = web https://b.example/",
    f"An empty link [1]() with a number.{LIST}": "[1]() = web https://a.example/x",
    # footnotes and definitions
    "甲[^1]。\n\n[^1]：https://a.example/x": "[^1] = web https://a.example/x",
    "One[^1] two[^b].\n\n[^1]: https://a.example/x\n[^b]: see [P:F1]\n": (
        "[^1] = web https://a.example/x; [^b] = product P:F1"
    ),
    "As [they say][foo].\n\n[Foo]: https://a.example/x\n": "[foo] = web https://a.example/x",
    # files
    "Both [F:list.txt; P:F1].": (f"[{FILE}; P:F1] = internal {FILE}; [{FILE}; P:F1] = product P:F1"),
    "One [1].\n\n## Sources\n[1] Your list, F:list.txt.\n": f"[1] = internal {FILE}",
    "No such [F:other.txt].": "[F:other.txt] = unresolved",
    # what only looks like a citation
    "Arrays a[0], [1, 2], [2023], [12] without any list.": "",
    "![a picture](https://c.example/p.png)": "",
    "```\n[P:F1] https://c.example/\n```\nand `see [P:F1]`": "",
    "```\n[P:F1]\n``` [P:F2]": "[P:F2] = product P:F2",
    # a report in a Markdown fence, and a fence that is never closed
    "```markdown\nGood [P:F1].\n```": "[P:F1] = product P:F1",
    "```\nGood [P:F1].": "[P:F1] = product P:F1",
    "[unresolved: P:XYZ] and [unresolved: 3]": "[unresolved: P:XYZ] = unresolved; [unresolved: 3] = unresolved",
    "[C: drive] and [F:ratio x]": "",
    "mail@c.example, www.c.example and https:// alone": "",
}


@pytest.mark.parametrize(("report", "expected"), FORMS.items())
def test_a_report_has_these_citations(report: str, expected: str, evidence: tuple[Evidence, ...]) -> None:
    assert found(report, evidence) == expected


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
