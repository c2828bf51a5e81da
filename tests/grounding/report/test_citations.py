"""The scanner: citations of all kinds, what only looks like one, what is not read and why; and evidence ids."""

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

from drretail.eval.claims.audit import marks_in
from drretail.grounding.report.citations import find_citations, scan
from drretail.grounding.report.evidence_ids import (
    calculation_evidence_id,
    file_evidence_id,
    normalise_url,
    order_evidence_id,
    parse_evidence_id,
    product_evidence_id,
    read_evidence_ids,
    user_evidence_id,
    web_evidence_id,
)
from drretail.grounding.text.layout import find_sentences, read_layout
from drretail.records.evidence import Evidence
from tests.grounding.conftest import FILE, PAGE, SUM, WEB
from tests.grounding.report.kinds import tokens_of

LIST = "\n\n## References\n[1] https://a.example/x - A\n[2] B: https://b.example/\n[3]\n[4] [P:F1] feeder\n"

NAMES = {"WEB": WEB, "PAGE": PAGE, "SUM": SUM, "FILE": FILE, "LIST": LIST}
FORMS = tomllib.loads(Path(__file__).with_name("citations.toml").read_text("utf-8"))["forms"]
KINDS = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text("utf-8"))


@pytest.mark.parametrize(("report", "expected"), FORMS)
def test_a_report_has_these_citations(report: str, expected: str, evidence: tuple[Evidence, ...]) -> None:
    report = report.format(**NAMES)
    citations = find_citations(report, evidence)
    assert all(report[citation.start : citation.end] == citation.marker for citation in citations)
    parts = ((one.marker, "=", one.type, one.evidence_id or one.url) for one in citations)
    assert "; ".join(" ".join(filter(None, part)) for part in parts) == expected.format(**NAMES)


@pytest.mark.parametrize("kind", KINDS)
def test_every_token_of_a_kind_is_read_listed_or_not_read_with_its_reason(kind: str) -> None:
    report = KINDS[kind]["report"]
    assert tokens_of(report) == KINDS[kind]["tokens"]
    counts = scan(report, None).counts
    assert counts.listed == KINDS[kind]["listed"]
    words = KINDS[kind]["tokens"].split()
    assert all(words.count(reason) == times for reason, times in counts.not_read.items())


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


UNITS = [
    *("[", "](", "![](", "`", "`` ` ", "https://a.b)", "https://a(", "[1] ", "[1]: ", "((", "[a](https://b.c "),
    *("[P:A; ", "【[", "<https://a", "\n[1] x", "\n1. https://a.b", "# Sources\n", "```\n", "[P:B]", "a.1 ", "¹"),
    *(
        "<sup>1",
        "(2018) ",
        "(a 2018; ",
        "\\[1\\]",
        "<a href=",
        "<b ",
        "\n|1|",
        "> ",
        "~~",
        "<!-- ",
        "\n- Ma, J. (2018). x",
    ),
]


@pytest.mark.parametrize("unit", UNITS)
def test_no_input_is_read_in_more_than_linear_time(unit: str) -> None:
    # Where time grew with the square, these lengths would take many seconds instead of a fraction of one.
    report = unit * (20_000 // len(unit)) + LIST
    started = time.process_time()
    find_citations(report, ())
    assert time.process_time() - started < 1.5


@pytest.mark.parametrize(
    ("name", "field", "listed", "not_read"),
    [
        ("deep_research_bench/claude_raw_20.jsonl.gz", "article", 333, {"in_code": 46}),
        ("deepresearch_reporteval/qwen_20.jsonl.gz", "report", 575, {"no_address": 175}),
    ],
)
def test_real_reports_are_read(realdata: Path, name: str, field: str, listed: int, not_read: dict[str, int]) -> None:
    with gzip.open(realdata / "reports" / name, "rt", encoding="utf-8") as file:
        counts = [scan(json.loads(line)[field], None).counts for line in file]
    missing = [reason for count in counts for reason, times in count.not_read.items() for _ in range(times)]
    assert {reason: missing.count(reason) for reason in missing} == not_read
    assert sum(count.listed for count in counts) == listed
    assert all(count.read >= 10 for count in counts)


def test_a_list_names_its_sources_with_their_titles_and_a_footnote_what_is_indented_below_it() -> None:
    report = "One [1].\n\nSources:\n[1] https://a.example/ - A page\n- [Title](https://b.example/)\n"
    titles = [(cited.url, cited.title) for cited in scan(report, None).listed.cited]
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


TWENTY = "\n\n#### **Works cited**\n\n" + "".join(
    f"{n}. Page {n}, [https://a.example/{n}](https://a.example/{n})\n" for n in range(1, 21)
)
NONE = {
    "numbers of the text": "In 2010 an iPhone 15 cost $10, a 4.5 of 5. Version 2.10 at 10:15, in 2024.12 kg. No.5",
    "powers and units": "10<sup>3</sup> m<sup>2</sup> at 5 km², 10⁻³ mol, R² of 0.9, 模型的R², ¹³C and Ca²⁺, x^2^",
    "enumerations": "(1) first\n- (2) second\nIt has (1) weight, (2) price and (3) colour. | (4) | f(5) a(6)\n",
    "years and asides": "It rose (2018) after May (2019), (see 3 below), (in 7 of 9), (12 of 20). Smith (1999) died.",
    "code": "`text.10` and\n```\nso.10 (1)\n```\n",
    "other links": "[see](#part-2) and [Note 7], [3.5], [x].",
}


@pytest.mark.parametrize("text", NONE)
def test_what_looks_like_a_mark_is_none(text: str) -> None:
    assert find_citations(NONE[text] + TWENTY, None) == []


@pytest.mark.parametrize(
    ("report", "marks"),
    [
        ("It is so.\ue200cite\ue202turn0search1\ue202turn3view0\ue201 Next.", 2),
        ("It is so.:contentReference[oaicite:0]{index=0} Next.", 1),
        ("It is so.[web:3] Next [file:1].", 2),
        ("So【7†L1-L9】.", 1),
        ("It is so.[1] Next [2][1].\n\nAnd more [2, 1]\n", 5),
        ("Put [1] on [2] and then [3] there.", 0),
        ("Between [0, 1], [1, 2] and [0, 3].", 0),
        ("- [1] first\n- [2] second\n- [3] third\n", 0),
        ("For loads of [7–45] pounds.\n\n## Sources\n\n1. A leaflet\n2. A book\n", 0),
    ],
)
def test_marks_without_a_list_lead_nowhere_where_they_can_mean_nothing_else(report: str, marks: int) -> None:
    assert scan(report, None).counts.not_read == ({"no_entry": marks} if marks else {})


@pytest.mark.parametrize(
    "heading",
    [
        "**Key Citations**",
        "Source(s):",
        "## 📚 References (12)",
        "## Appendix A: Sources",
        "## 出典",
        "## 12. Quellen und Links",
    ],
)
def test_the_lines_of_a_list_are_no_citations(heading: str) -> None:
    report = (
        f"It is so.\n\n\n{heading}\n- [A](https://a.example/1)\n- B, www.a.example/2\n\n---\n\n**Ask me for more.**\n"
    )
    assert find_citations(report, None) == []
    assert [source.url for source in scan(report, None).listed.cited] == [
        "https://a.example/1",
        "https://www.a.example/2",
    ]
    about = "## Power sources of 2024\n- Eggs, see https://a.example/1\n\n## Next\nText."
    assert len(find_citations(about, None)) == 1, "a section about sources is no list"


def test_forms_of_an_address_are_one_source() -> None:
    report = "A (https://a.example/x?srsltid=1), b https://A.example/x/, c [d](http://www.a.example/x?utm_source=y)."
    assert {cited.source for mark in scan(report, None).marks for cited in mark.cited} == {
        "https://a.example/x?srsltid=1"
    }


SOURCE_LINES = {
    "a line each": "One lamp is bright.\nSource: https://a.example/1\n\nThe other lasts.\n[Source](https://a.example/2)\n",
    "one line for all": "One lamp is bright. The other lasts.\nSources: https://a.example/1 and https://a.example/2\n",
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


@pytest.mark.parametrize(
    ("report", "sentences"),
    [
        (f"It grew.10 It fell.3 So{TWENTY}", ["It grew.10", "It fell.3", "So"]),
        (f"It fell.<sup>3</sup> It rose². It stood. <sup>4</sup> So{TWENTY}", ["It fell.<sup>3</sup>", "It rose²."]),
    ],
)
def test_sentences_end_behind_their_marks(report: str, sentences: list[str]) -> None:
    assert [report[one.start : one.end] for one in find_sentences(report)][: len(sentences)] == sentences


def test_figures_beside_marks_keep_their_own_digits() -> None:
    report = f"It costs $45.20 now.10 It weighs 3 kg.11 Next{TWENTY}"
    layout = read_layout(report, None)
    owned = {report[each.start : each.end]: len(each.cited) for each in layout.stretches[:2]}
    assert owned == {"It costs $45.20 now.10": 1, "It weighs 3 kg.11": 1}
    assert layout.text.startswith("It costs $45.20 now.   It weighs 3 kg.   Next")


SAME = [
    ("HTTPS://Example.ORG/a", "https://example.org/a"),
    ("http://example.org:80", "http://example.org/"),
    ("https://example.org/a#part", "https://example.org/a"),
    ("https://example.org/a/", "https://example.org/a"),
    ("https://example.org/a?utm_source=x&b=1&gclid=2&fbclid=3&UTM_Medium=y", "https://example.org/a?b=1"),
    ("https://example.org/%7euser/%e4%b8%ad", "https://example.org/~user/中"),
    ("https://example.org/a b", "https://example.org/a%20b"),
    ("  https://example.org./a \n", "https://example.org/a"),
    ("https://bücher.example/", "https://xn--bcher-kva.example"),
    ("https://example.org/a?x=1&amp;y=2&srsltid=Af", "https://example.org/a?x=1&y=2"),
    ("https://example.org/a_%28b%29", "https://example.org/a_(b)"),
]
DIFFERENT = [
    ("http://example.org/a", "https://example.org/a"),
    ("https://example.org/a", "https://example.org/A"),
    ("https://example.org/?a=1&b=2", "https://example.org/?b=2&a=1"),
    ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ("https://example.org/?utm=1", "https://example.org/"),
]


@pytest.mark.parametrize(
    ("one", "other", "is_same"), [*((*pair, True) for pair in SAME), *((*pair, False) for pair in DIFFERENT)]
)
def test_spellings_of_an_address_are_one_source_and_others_others(one: str, other: str, *, is_same: bool) -> None:
    assert (normalise_url(one) == normalise_url(other)) is is_same
    assert (web_evidence_id(one) == web_evidence_id(other)) is is_same


@pytest.mark.parametrize("text", ["", "nowhere", "https://", "http://[::1", "https://a.example:port/", "mailto:a@b.c"])
def test_what_is_no_address_stands_for_itself(text: str) -> None:
    assert normalise_url(text) == text


@given(st.text(st.sampled_from("abAB%2fF7E/:.?#&=utm_@[]中 +\\"), max_size=40))
def test_normalising_twice_changes_nothing(tail: str) -> None:
    once = normalise_url(f"https://example.org/{tail}")
    assert normalise_url(once) == once


def test_ids_name_their_records_and_a_file_s_is_a_hash_where_no_mark_could_hold_its_name() -> None:
    assert product_evidence_id("B09G3KKBK7") == "P:B09G3KKBK7"
    assert order_evidence_id("0940062991") == "O:0940062991"
    assert user_evidence_id("profile", "A1", "A1") == "U:profile"
    assert user_evidence_id("orders", "A1_1", "A1") == "U:orders@A1_1"
    assert user_evidence_id("statistics", "A1", None) == "U:statistics@A1"
    assert web_evidence_id("https://example.org/a") == "W:wwyq3ucc"
    assert calculation_evidence_id("1 + 1") == "C:jinsdwdw"
    assert calculation_evidence_id(" 2 *\t(3+4)") == calculation_evidence_id("2*(3 + 4)")
    assert file_evidence_id("order_history-2.csv") == "F:order_history-2.csv"
    for name in ("my orders.csv", "ä.md", "list]", "notes.", "a" * 120):
        assert re.fullmatch(r"F:[a-z2-7]{8}", file_evidence_id(name))
    assert file_evidence_id("my orders.csv") != file_evidence_id("my orders.txt")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("P:B09G3KKBK7", "product"),
        ("O:0940062991", "order"),
        ("U:profile", "user"),
        ("U:orders@AEXGISIVX7WBUNI7UHHERVB3DF7Q_1", "user"),
        ("W:abcd2345", "web"),
        ("F:orders.csv", "file"),
        ("F:orders.csv.", None),
        ("W:ABCD2345", None),
        ("W:abcd0189", None),
        ("U:admin", None),
        ("P:a b", None),
        ("p:B09G3KKBK7", None),
        ("P:B09G3KKBK7\n", None),
    ],
)
def test_an_id_is_told_by_its_form(text: str, kind: str | None) -> None:
    assert parse_evidence_id(text) == kind


CLEANING = web_evidence_id("https://birds.example/clean?utm_source=x")
KNOWN = ("P:B0TEST0001", "O:0000000007", "P:0000000007", "U:profile", "W:abcd2345", CLEANING)


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("[P:B0TEST0001]", ("P:B0TEST0001",)),
        ("b0test0001", ("P:B0TEST0001",)),
        ("https://ecommerce.com/B0TEST0001", ("P:B0TEST0001",)),
        ("[P:B0TEST0001][W:abcd2345]", ("P:B0TEST0001", "W:abcd2345")),
        ("U:profile, O:0000000007", ("U:profile", "O:0000000007")),
        ("0000000007", ()),
        ("P:B0TEST0001 and more", ()),
        ("<https://birds.example/clean/>", (CLEANING,)),
        ("https://birds.example/other", ()),
    ],
)
def test_a_known_id_is_read_in_any_form_or_by_its_page_and_never_as_another(written: str, ids: tuple[str, ...]) -> None:
    assert read_evidence_ids(written, KNOWN) == ids
