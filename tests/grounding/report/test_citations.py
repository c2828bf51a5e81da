"""Citations in all the forms in which reports and products write them, what only looks like one, and evidence ids."""

import gzip
import json
import re
import time
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.report.citations import find_citations, listed_sources
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
from drretail.grounding.report.markup import prose
from drretail.grounding.report.reference_list import read_references
from drretail.grounding.report.render import render_report
from drretail.grounding.text.layout import find_sentences, read_layout
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
    report = unit * (20_000 // len(unit)) + LIST
    started = time.process_time()
    find_citations(report, ())
    assert time.process_time() - started < 0.75


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


DOTTED = "\n\n#### **Works cited**\n\n" + "".join(
    f"{number}. Page {number}, accessed May 5, 2025, [https://a.example/{number}](https://a.example/{number})  \n"
    for number in range(1, 21)
)
APA = """

## References

Ma, J. (2021). Desks at work. *Journal of Desks*, 13(6), 573–578. https://a.example/ma

Smith, J. A., Doe, B., & Roe, C. (2018). Standing. https://a.example/smith

Smith, J. A. (2018a). Standing up. https://a.example/standing

World Health Organization. (2020). Guidelines on sitting. www.who.example/sitting
"""


def listed(*lines: str, heading: str = "## Sources") -> str:
    return "\n\n" + "\n".join((heading, *lines)) + "\n"


def cited(report: str) -> list[tuple[str, str]]:
    """(marker, end of the address) of every citation, offsets checked; what leads nowhere is "?"."""
    found = find_citations(report, None)
    assert all(report[citation.start : citation.end] == citation.marker for citation in found)
    return [(one.marker, (one.url or "/?").rstrip("/").rpartition("/")[2]) for one in found]


FIRST, SECOND = "https://a.example/1", "https://a.example/2"
TWO = listed(f"1. A {FIRST}", f"2. B {SECOND}")
CARD = '<grok:render card_id="9" type="x"><argument name="citation_id">8</argument></grok:render>'
LISTS = {"dotted": DOTTED, "apa": APA, "two": TWO}
STYLES = tomllib.loads(Path(__file__).with_name("styles.toml").read_text("utf-8"))


@pytest.mark.parametrize("form", STYLES)
def test_a_style_is_read_by_way_of_the_list(form: str) -> None:
    text, sources, expected = (STYLES[form][key] for key in ("text", "list", "cited"))
    found = cited(text + LISTS.get(sources, sources))
    assert " | ".join(f"{marker} → {end}" for marker, end in found) == expected


NONE = {
    "numbers of the text": "In 2010 an iPhone 15 cost $10, a 4.5 of 5. Version 2.10 at 10:15, in 2024.12 kg. No.5",
    "names that end in a number": "ROS2. Nav2. Qwen2. GPT4. We ran Nav2 and Nav3, then Nav2, Nav3; Nav2.",
    "powers and units": "10<sup>3</sup> m<sup>2</sup> at 5 km², 10⁻³ mol, R² of 0.9, 模型的R², ¹³C and Ca²⁺, x^2^",
    "enumerations": "(1) first\n- (2) second\nIt has (1) weight, (2) price and (3) colour. | (4) | f(5) a(6)\n",
    "years and asides": "It rose (2018) after May (2019), (see 3 below), (in 7 of 9), (12 of 20). Smith (1999) died.",
    "code": "`text.10` and\n```\nso.10 (1)\n```\n",
    "names before Chinese stops": "它用 Python 3，也用 CSS 2。",
    "other links": "[see](#part-2) and [Note 7], [3.5], [x].",
}


@pytest.mark.parametrize("text", NONE)
def test_what_looks_like_a_mark_is_none(text: str) -> None:
    assert cited(NONE[text] + DOTTED) == []
    assert cited(NONE[text] + APA) == []


@pytest.mark.parametrize("form", [form for form in STYLES if not form.startswith(("footnotes", "link"))])
def test_without_a_list_no_number_is_a_mark_but_one_with_a_dagger(form: str) -> None:
    assert [one for one in cited(STYLES[form]["text"]) if not re.search("†|cite|citation", one[0])] == []
    assert cited("So【7†L1-L9】.") == [("【7†L1-L9】", "?")]


CITE = "<" + 'cite index="3-1,3-2,12-4">It is so.</cite>'
EXPORTED = {
    "Claude": (f"{CITE} Next.", ["</cite>"] * 2),
    "OpenAI": ("It is so.citeturn0search1turn3view0 Next.", ["citeturn0search1turn3view0"] * 2),
    "contentReference": (
        "It is so.:contentReference[oaicite:0]{index=0} Next.",
        [":contentReference[oaicite:0]{index=0}"],
    ),
    "Grok": (f"It is so.{CARD} Next.", [CARD]),
    "Perplexity": ("It is so.[web:3] Next [file:1].", ["[web:3]", "[file:1]"]),
    "bare numbers": ("It is so.[1] Next [2][1].\n\nAnd more [2, 1]\n", ["[1]", "[2]", "[1]", "[2, 1]", "[2, 1]"]),
}


@pytest.mark.parametrize("product", EXPORTED)
def test_marks_without_an_address_are_unresolved_and_end_their_sentence(product: str) -> None:
    report, expected = EXPORTED[product]
    assert cited(report) == [(mark, "?") for mark in expected]
    sentences = [report[one.start : one.end] for one in find_sentences(report)]
    assert sentences[0].endswith(f"so.{expected[0]}")
    assert sentences[1].startswith("Next")
    layout = read_layout(report, None)
    assert " ".join(layout.text[layout.sentences[0].start : layout.sentences[0].end].split()) == "It is so."
    assert render_report(report, None).text.startswith("It is so.[unresolved")


def test_bracketed_marks_outweigh_loose_ones_and_numbers_that_the_list_lacks_lead_nowhere() -> None:
    report = f"So [1][2] and [3]. A trial (2). It ended.4 More{DOTTED}"
    assert [marker for marker, _ in cited(report)] == ["[1]", "[2]", "[3]"]
    assert cited(f"So<sup>99</sup>.{DOTTED}") == [("<sup>99</sup>", "?")]
    assert cited(f"It grew.10 It fell.11 It rose.12 It stood.13 It ended.99{DOTTED}")[-1] == ("13", "13")
    report = CITE + listed(*(f"{number}. https://a.example/{number}" for number in range(1, 13)))
    assert cited(report) == [("</cite>", "3"), ("</cite>", "12")]


@pytest.mark.parametrize(
    "text",
    [
        "Put [1] on [2] and then [3] there.",
        "Between [0, 1], [1, 2] and [0, 3].",
        "- [1] first\n- [2] second\n- [3] third\n",
        "It is so [1].",
        "For loads of [7–45] pounds.\n\n## Sources\n\n1. A leaflet\n2. A book\n",
        f"`So it is.citeturn0search1` and `{CARD}`",
        "<span hidden>So it is.citeturn0search1</span>",
    ],
)
def test_numbers_in_brackets_without_a_list_are_marks_only_where_several_end_clauses(text: str) -> None:
    assert cited(text) == []


@pytest.mark.parametrize(
    "heading",
    [
        *("**Key Citations**", "### Ranked sources", "Source(s):", "## 📚 References (12)", "## Appendix A: Sources"),
        *("## Quellen", "## 出典", "### Source Index", "**Sources for this section**"),
    ],
)
def test_the_lines_of_a_list_are_no_citations(heading: str) -> None:
    report = "It is so.\n" + listed("- [A](https://a.example/1)", "- B, www.a.example/2", heading=heading)
    assert cited(report) == []
    assert [source.url for source in listed_sources(report, None).cited] == [FIRST, "https://www.a.example/2"]
    about = f"## Power sources of 2024\n- Eggs, see {FIRST}\n\n## Next\nText."
    assert cited(about) == [(FIRST, "1")], "a section about sources is no list"


@pytest.mark.parametrize(
    ("report", "sentences"),
    [
        (f"It grew.10 It fell.3 So{DOTTED}", ["It grew.10", "It fell.3", "So"]),
        (f"It fell.<sup>3</sup> It rose². It stood. <sup>4</sup> So{DOTTED}", ["It fell.<sup>3</sup>", "It rose²."]),
        (f"Smith et al. (2018) agree. So does Ma (2021).{APA}", ["Smith et al. (2018) agree.", "So does Ma (2021)."]),
        (f"甲。［1］ 乙〔2〕。{DOTTED}", ["甲。［1］", "乙〔2〕。"]),
    ],
)
def test_sentences_end_behind_their_marks(report: str, sentences: list[str]) -> None:
    assert [report[one.start : one.end] for one in find_sentences(report)][: len(sentences)] == sentences


def test_a_mark_owns_its_sentence_its_number_is_no_figure_and_readers_get_a_numbered_link() -> None:
    report = f"It costs $45.20 now.10 It weighs 3 kg.11 Next{DOTTED}"
    layout = read_layout(report, None)
    owned = {report[each.start : each.end]: len(each.cited) for each in layout.stretches[:2]}
    assert owned == {"It costs $45.20 now.10": 1, "It weighs 3 kg.11": 1}
    assert layout.text.startswith("It costs $45.20 now.   It weighs 3 kg.   Next")
    report = f"It grew.10 So [[2]](#ref-2).{listed('10. A https://a.example/1', '2. B https://a.example/2')}"
    linked = "It grew.10 So [[1]](https://a.example/2)."
    assert render_report(report, None).text.startswith(linked)
    report = f"It grew.<sup>2</sup> It fell (see below).{DOTTED}"
    assert render_report(report, None).text.startswith("It grew.[[1]](https://a.example/2) It fell (see below).")


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
