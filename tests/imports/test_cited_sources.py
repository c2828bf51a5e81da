"""What imported reports cite, in every form that reports have."""

import gzip
import json
from pathlib import Path

import pytest

from drretail.imports.sources import cited_sources
from tests.imports.foreign import REPORT

LAB = "https://lab.example/kettles"
FORMS: dict[str, tuple[int, int, int]] = {
    # report: citations, different sources, unresolved
    "A [1]. B [2][3]. C [1, 2].\n\n## References\n[1] https://a.example - T\n[2] https://b.example\n[3] c": (5, 2, 1),
    "A [1] B [2].\n\n## Reference\n[1],https://a.example/x\n[2],": (2, 1, 1),
    "A[^1] B[^n].\n\n[^1]: Title. https://a.example/x.\n[^n]: <https://b.example>": (2, 2, 0),
    "A [T](https://a.example/x_(y)) ([site](https://b.example)).": (2, 2, 0),
    "A [[1]](https://a.example) B [nothing]().": (2, 1, 1),
    "A [https://a.example/x.pdf]. B [Lab: https://b.example/y; https://a.example/x.pdf].": (3, 2, 0),
    "See https://a.example/x), https://b.example/y]; **https://c.example/z**!": (3, 3, 0),
    "见https://a.example/x。另见（https://b.example/y）、https://c.example/z，完": (3, 3, 0),
    "http://a.example/x https://a.example/x https://www.a.example/x/": (3, 1, 0),
    "甲[1]。\n\n参考资料\n1. 标题 https://a.example/1": (1, 1, 0),
    "甲[1]。\n\n## 六、参考来源与链接\n[1] 标题：https://a.example/1。": (1, 1, 0),
    "甲[^1]。\n\n[^1]：https://a.example/1": (1, 1, 0),
    "A [1].\r\n\r\n## References\r\n[1] https://a.example/1 - T\r\n": (1, 1, 0),
    "Sure!\n\n```markdown\n# R\nA [1].\n\n## References\n[1] https://a.example/1\n```\nAnything else?": (1, 1, 0),
    "A [1].\n\n# One\n\n## References\n": (0, 0, 0),
    "A [1] and [2] without any list.": (0, 0, 0),
    "A [7].\n\n[1] https://a.example": (1, 0, 1),
    '<p><a href="https://a.example/1">x</a></p><script>alert(1)</script>': (1, 1, 0),
    "": (0, 0, 0),
}


@pytest.mark.parametrize(("report", "expected"), FORMS.items())
def test_citations_of_every_form_are_counted(report: str, expected: tuple[int, int, int]) -> None:
    found = cited_sources(report)
    assert (len(found.citations), found.cited, found.unresolved) == expected
    assert all(report[citation.start : citation.end] == citation.marker for citation in found.citations)


def test_sources_are_evidence_that_nobody_fetched() -> None:
    found = cited_sources(REPORT)
    assert [(entry.url, entry.title) for entry in found.evidence] == [
        (LAB, "A test of kettles"),
        ("https://shop.example/alder", "https://shop.example/alder"),
        ("https://lab.example/unused", "Never cited"),
    ]
    assert all(entry.is_unfetched and not entry.texts for entry in found.evidence)
    assert [(citation.marker, citation.type, citation.url) for citation in found.citations] == [
        ("[1]", "web", LAB),
        ("[2]", "unresolved", None),
        ("[3]", "web", LAB),
        ("https://shop.example/alder", "web", "https://shop.example/alder"),
    ]


def test_products_of_the_shop_are_evidence_without_a_record() -> None:
    found = cited_sources("Take [it](http://ecommerce.com/B000000001), see [P:B000000002].")
    assert [(entry.id, entry.kind, entry.state) for entry in found.evidence] == [("P:B000000001", "product", "error")]
    assert [citation.type for citation in found.citations] == ["product", "unresolved"]


def test_titles_show_no_hidden_characters_and_end() -> None:
    (entry,) = cited_sources(f"A [1].\n\n## Sources\n[1] https://a.example/ - {'x' * 2000}\u202eend").evidence
    assert len(entry.title) <= 300
    assert "\u202e" not in entry.title


# Counted by hand in the files: marks in the text, entries with an address, marks that lead to no address.
COUNTED = {
    "deep_research_bench/claude_raw_20.jsonl.gz": ("article", 788, 333, 0),
    "deepresearch_reporteval/qwen_20.jsonl.gz": ("report", 2352, 575, 175),
}


@pytest.mark.parametrize("name", COUNTED)
def test_real_reports_come_to_what_was_counted(realdata: Path, name: str) -> None:
    field, citations, sources, unresolved = COUNTED[name]
    with gzip.open(realdata / "reports" / name, "rt", encoding="utf-8") as file:
        found = [cited_sources(json.loads(line)[field]) for line in file]
    assert sum(len(each.citations) for each in found) == citations
    assert sum(len(each.evidence) for each in found) == sources
    assert sum(each.unresolved for each in found) == unresolved
