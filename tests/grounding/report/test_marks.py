"""Citations as products write them, which the report's own list makes citations, and what only looks like them."""

import re
import tomllib
from pathlib import Path

import pytest

from drretail.grounding.report.citations import find_citations, listed_sources
from drretail.grounding.report.render import render_report
from drretail.grounding.text.layout import find_sentences, read_layout

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


A, B = "https://a.example/1", "https://a.example/2"
TWO = listed(f"1. A {A}", f"2. B {B}")
CARD = '<grok:render card_id="9" type="x"><argument name="citation_id">8</argument></grok:render>'
LISTS = {"dotted": DOTTED, "apa": APA, "two": TWO}
FORMS = tomllib.loads(Path(__file__).with_name("styles.toml").read_text("utf-8"))


@pytest.mark.parametrize("form", FORMS)
def test_a_style_is_read_by_way_of_the_list(form: str) -> None:
    text, sources, expected = (FORMS[form][key] for key in ("text", "list", "cited"))
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


@pytest.mark.parametrize("form", [form for form in FORMS if not form.startswith(("footnotes", "link"))])
def test_without_a_list_no_number_is_a_mark_but_one_with_a_dagger(form: str) -> None:
    assert [one for one in cited(FORMS[form]["text"]) if not re.search("†|cite|citation", one[0])] == []
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
    assert [source.url for source in listed_sources(report, None).cited] == [A, "https://www.a.example/2"]
    about = f"## Power sources of 2024\n- Eggs, see {A}\n\n## Next\nText."
    assert cited(about) == [(A, "1")], "a section about sources is no list"


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
