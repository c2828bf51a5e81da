"""The scanner: marks of all kinds, what is none, and what is not read. Also tests marks.py and references.py."""

import gzip
import json
import re
import time
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.records.evidence import CitationCounts, Evidence
from drretail.reports.citations import Token, find_citations, scan
from tests.reports.conftest import FILE, PAGE, SUM, WEB

SOURCES = [f"https://a.example/{number}" for number in (1, 2, 3)]
LISTS = {
    " NUMBERED": "\n\nSources\n" + "".join(f"{number}. {url}\n" for number, url in enumerate(SOURCES, 1)),
    " SQUARE": "\n\n" + "".join(f"[{number}] {url}\n" for number, url in enumerate(SOURCES, 1)),
}
KINDS = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text("utf-8"))
UNITS = KINDS.pop("units")
_MARK = re.compile("⟦(.*?)→(.*?)⟧")


def said_of(report: str, token: Token) -> str:
    ends = [cited.reason or (cited.url or cited.name).rpartition("/")[2] for cited in token.cited]
    return f"{report[token.start : token.end]}→{' '.join(ends)}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_token_of_a_kind_is_read_listed_or_not_read_with_its_reason(kind: str) -> None:
    for case in KINDS[kind]:
        for name, entries in LISTS.items():
            case = case.replace(name, entries)
        uncited, case = case.split(maxsplit=1) if kind == "others" else ("", case)
        report = _MARK.sub(r"\1", case)
        scanned = scan(report, None)
        tokens = [token for token in scanned.tokens if not token.is_listed]
        assert [said_of(report, token) for token in tokens] == [f"{words}→{to}" for words, to in _MARK.findall(case)]
        assert uncited in ("", str(scanned.counts.not_read.get("uncited", 0)))


LIST = "\n\n## References\n[1] https://a.example/x - A\n[3]\n[4] [P:F1] feeder\n"
# With the evidence of a run: marks with their types, and their evidence ids, else their addresses.
FORMS = {
    f"[P:F1/F1-M] [P:F1; {WEB}; P:F1] [F1]": f"[P:F1/F1-M] product P:F1|[P:F1; {WEB}; P:F1] product P:F1|"
    f"[P:F1; {WEB}; P:F1] web {WEB}|[F1] product P:F1",
    f"[O:0000000012] [U:orders@A2_1] [{SUM}] [{FILE}] [see P:F1 for this] 【P:F2】。": (
        f"[O:0000000012] internal O:0000000012|[U:orders@A2_1] internal U:orders@A2_1|[{SUM}] internal {SUM}|"
        f"[{FILE}] internal {FILE}|P:F1 product P:F1|【P:F2】 product P:F2"
    ),
    "[P:XYZ; P:ABC] [U:orders] [W:made-up] [unresolved: P:XYZ] [C: drive] [F:ratio x]": (
        "[P:XYZ; P:ABC] unresolved|[P:XYZ; P:ABC] unresolved|[U:orders] unresolved|[W:made-up] unresolved|"
        "[unresolved: P:XYZ] unresolved"
    ),
    f"http://ecommerce.com/F1. ({PAGE}) [this feeder](P:F1)": (
        f"http://ecommerce.com/F1 product P:F1|{PAGE} web {WEB}|[this feeder](P:F1) product P:F1"
    ),
    "http://ecommerce.com/F9, [P:F2](http://ecommerce.com/F1), mail@c.example": (
        "http://ecommerce.com/F9 unresolved http://ecommerce.com/F9|[P:F2](http://ecommerce.com/F1) product P:F2"
    ),
    f"Empty [3], none [9], inner [4], [2023], [0.5, 2], [ ].{LIST}": "[9] unresolved|[4] product P:F1",
    "Both [1].\n\n## Sources\n- [1] https://a.example/ and [P:F1]\n\nThanks P:F2!": (
        "[1] web https://a.example/|[1] product P:F1|P:F2 product P:F2"
    ),
    "```\n[P:F1] https://c.example/\n```\nand `see [P:F1]`": "",
}


def test_a_report_has_these_citations(evidence: tuple[Evidence, ...]) -> None:
    for report, expected in FORMS.items():
        read = [citation for citation in find_citations(report, evidence) if citation.unread is None]
        parts = [(citation.marker, citation.type, citation.evidence_id or citation.url) for citation in read]
        assert "|".join(" ".join(filter(None, part)) for part in parts) == expected


def test_without_a_ledger_products_are_cited_by_their_address() -> None:
    report = "http://ecommerce.com/F1, http://ecommerce.com/search?q=x and [P:F1]"
    assert [citation.type for citation in find_citations(report, None)] == ["product", "unresolved", "unresolved"]
    assert [citation.type for citation in find_citations(report, ())] == ["unresolved"] * 3
    assert scan(report, ()).counts.not_read == {}, "they are read, and lead nowhere"


@given(st.text(st.sampled_from("[]()<>`^|P:B01; ,.-hts/exmpl\n!*中【】#~"), max_size=300))
def test_offsets_are_exact_and_marks_apart_in_any_text(report: str) -> None:
    citations = find_citations(report, ())
    assert all(report[citation.start : citation.end] == citation.marker for citation in citations)
    spans = sorted({(citation.start, citation.end) for citation in citations})
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.parametrize("unit", UNITS)
def test_no_input_is_read_in_more_than_linear_time(unit: str) -> None:
    # Where time grew with the square, these lengths would take many seconds instead of a fraction of one.
    report = unit * (20_000 // len(unit)) + LIST
    started = time.process_time()
    find_citations(report, ())
    assert time.process_time() - started < 1.5


def test_real_reports_are_read(realdata: Path) -> None:
    counted: dict[str, tuple[str, int, dict[str, int]]] = {
        "deep_research_bench/claude_raw_20.jsonl.gz": ("article", 333, {}),
        "deepresearch_reporteval/qwen_20.jsonl.gz": ("report", 575, {"no_address": 175}),
    }
    for name, (field, listed, not_read) in counted.items():
        with gzip.open(realdata / "reports" / name, "rt", encoding="utf-8") as file:
            counts = [scan(json.loads(line)[field], None).counts for line in file]
        summed = CitationCounts.summed(counts)
        assert (summed.listed, summed.not_read) == (listed, not_read)
        assert all(count.read >= 10 for count in counts)


def test_all_forms_of_an_address_are_one_source() -> None:
    report = "A (https://a.example/x?srsltid=1), b https://A.example/x/, c [d](http://www.a.example/x?utm_source=y)."
    assert len({cited.source for mark in scan(report, None).marks for cited in mark.cited}) == 1
