"""Citations as products write them, which the report's own list makes citations, and what only looks like them."""

import re

import pytest

from drretail.grounding.report.citations import find_citations, listed_sources
from drretail.grounding.report.render import render_report
from drretail.grounding.text.layout import read_layout
from drretail.grounding.text.sentences import find_sentences

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
FORMS: dict[str, tuple[str, str, str]] = {
    "glued to the stop": (
        "It grew.10, 11 It fell in the U.S.3\n\n| so.2 |",
        DOTTED,
        "10, 11 → 10 | 10, 11 → 11 | 3 → 3 | 2 → 2",
    ),
    "glued behind closing marks": (
        '"So."4 (All of it).5 **Bold.**6 By 40%.7,8 And more',
        DOTTED,
        "4 → 4 | 5 → 5 | 6 → 6 | 7,8 → 7 | 7,8 → 8",
    ),
    "glued to words before the stop": (
        "A camera7. A lens7, a **Tripod**9. A strap14; a bag2. Nav2 is a name, so nothing for Nav2.",
        DOTTED,
        "7 → 7 | 7 → 7 | 9 → 9 | 14 → 14 | 2 → 2",
    ),
    "sup": (
        'So<sup>1</sup> and.<sup>2, 3</sup> In 2023<sup>4</sup> <sup>[5]</sup> <sup><a href="#r6">6</a></sup>',
        DOTTED,
        (
            "<sup>1</sup> → 1 | <sup>2, 3</sup> → 2 | <sup>2, 3</sup> → 3 | <sup>4</sup> → 4 | [5] → 5 | "
            '<sup><a href="#r6">6</a></sup> → 6'
        ),
    ),
    "superscripts": (
        "So¹ and so¹² and³⁻⁵, more^6^.",
        DOTTED,
        "¹ → 1 | ¹² → 12 | ³⁻⁵ → 3 | ³⁻⁵ → 4 | ³⁻⁵ → 5 | ^6^ → 6",
    ),
    "superscripts side by side": (
        "So it is¹².",
        f"\n\nSource: Conversation with Bing, 1/2/2024\n(1) A. {A}.\n(2) B. {B}.\n",
        "¹² → 1 | ¹² → 2",
    ),
    "full-width and tortoise brackets": (
        "甲［1］乙〔2〕丙【1】丁［1，2］。",
        listed(f"［1］ 甲 {A}", "〔2〕乙 www.a.example/2", heading="## 参考文献"),
        "［1］ → 1 | 〔2〕 → 2 | 【1】 → 1 | ［1，2］ → 1 | ［1，2］ → 2",
    ),
    "round brackets": (
        "In a trial (2001) of 12 (1). So (1)(2). And (1, 2), f(2) (see 3).",
        listed(f"(1) A. {A}", f"(2) B. {B}"),
        "(1) → 1 | (1) → 1 | (2) → 2 | (1, 2) → 1 | (1, 2) → 2",
    ),
    "named sources": (
        "So [Source 1] and [Sources 1, 2] [citation:2] [ref_1] 【来源2】 (Source 2).",
        TWO,
        (
            "[Source 1] → 1 | [Sources 1, 2] → 1 | [Sources 1, 2] → 2 | [citation:2] → 2 | [ref_1] → 1 | "
            "【来源2】 → 2 | (Source 2) → 2"
        ),
    ),
    "links into the list": (
        "So [[2]](#ref-2)[S1](#s1), see [the table](#t).",
        listed(
            f'<a id="ref-2"></a>**[2]** `turn1` - [B]({B})', "", "### Further", "", '<a id="s1"></a>**[S1]** No address'
        ),
        "[[2]](#ref-2) → 2 | [S1](#s1) → ?",
    ),
    "footnotes that the list has as numbers": ("So[^2^] and so[^1].", TWO, "[^2^] → 2 | [^1] → 1"),
    "footnotes": ("So[^2] and[^1^].", f"\n\n[^2]: {B}\n[^1^]: {A}\n", "[^2] → 2 | [^1^] → 1"),
    "footnotes that are shown beside the links' own numbers": (
        "So[^1^][3]. And[^2^][1] [^1^][3].",
        f"\n\n[1]: {A}\n[2]: {B}\n[3]: https://a.example/3\n",
        "[^1^][3] → 3 | [^2^][1] → 1 | [^1^][3] → 3",
    ),
    "superscripts behind prices": (
        "It costs $60¹ or €9.50³, that one $90¹³.",
        listed(f"1. {A}", f"2. {B}", "3. https://a.example/3"),
        "¹ → 1 | ³ → 3 | ¹³ → 1 | ¹³ → 3",
    ),
    "a list with sub-headings": (
        "So [1] and [2].",
        listed("### Web", f"[1] A {A}", "", "### Files", "", "2. B, a file"),
        "[1] → 1 | [2] → ?",
    ),
    "a table as list": (
        "So [1] and [2].",
        listed("| # | Title | Link |", "|---|---|---|", f"| 1 | A | {A} |", f"| [2] | [B]({B}) | |"),
        "[1] → 1 | [2] → 2",
    ),
    "a quoted list, and one of raised numbers": (
        "So [1].<sup>2</sup>",
        f"\n\n**References**\n> 1. A {A}\n\n**Notes**\n<sup>2</sup> B {B}\n",
        "[1] → 1 | <sup>2</sup> → 2",
    ),
    "author and year": (
        "It fell (Ma, 2021). Smith et al. (2018) say so, as does (see Smith, 2018a; World Health Organization, 2020). "
        "So does the WHO (2020). "
        "Not so in May (2021), in 2018, or for $300 (2021).",
        APA,
        (
            "(Ma, 2021) → ma | (2018) → smith | "
            "(see Smith, 2018a; World Health Organization, 2020) → standing | "
            "(see Smith, 2018a; World Health Organization, 2020) → sitting | (2020) → sitting"
        ),
    ),
    "an organisation with its initials, and without a date": (
        "So it is (World Health Organization [WHO], 2020; Lab, n.d.).",
        f"{APA}Lab. (n.d.). Chairs. https://a.example/lab\n",
        (
            "(World Health Organization [WHO], 2020; Lab, n.d.) → sitting | "
            "(World Health Organization [WHO], 2020; Lab, n.d.) → lab"
        ),
    ),
    "doubled brackets": (
        "So [[1]][[2]]. So [[2]].",
        f"\n\n[[1]] {A}\n[[2]]: B. {B}\n",
        "[[1]] → 1 | [[2]] → 2 | [[2]] → 2",
    ),
    "a list of numbers without dots": (
        "It is 68 °C.1 It weighs 2 g.1,2 So it is.2 Next",
        listed(f"1 A, {A}", f"2 B, {B}", heading="References"),
        "1 → 1 | 1,2 → 1 | 1,2 → 2 | 2 → 2",
    ),
    "a list in one line": ("So [1] [2].", f"\n\nReferences: [1] [A]({A}) [2] B, {B}\n", "[1] → 1 | [2] → 2"),
    "footnotes of a Word file": (
        "So it is<sup>[[2]](#footnote-2)</sup>.",
        f"\n\n1. A, {A} [↑](#footnote-ref-1)\n2. B, {B} [↑](#footnote-ref-2)\n",
        "[[2]](#footnote-2) → 2",
    ),
    "apart from the text, and in cells": (
        "It grew.10 It (e.g., Merge 12; Codat for posts 13) is.11 Keys 9, as Finch** 7**). The control 5:\n\n"
        "SOC 2, as SOC 2 names it. In version 3, on May 5, over 6, 2,800 feet, $12, Wi-Fi 7. Step 1, so.4\n\n"
        "| Feature | Deco 5 | eero Max 7 |\n| :---- | :---- | :---- |\n| **Price** 8 | $499 12 | $1,699 |\n"
        "| **Ports** | 4 × 2.5 GbE 2 | 10 GbE14 |\n| Unlimited 8 | 3 | 12 dB8 |\n| Rank | 4 of 5 | Yes 9, 10 |\n",
        DOTTED,
        (
            "10 → 10 | 12 → 12 | 13 → 13 | 11 → 11 | 9 → 9 | 7 → 7 | 5 → 5 | 4 → 4 | 8 → 8 | 12 → 12 | 2 → 2 | "
            "9, 10 → 9 | 9, 10 → 10"
        ),
    ),
    "glued in cells": (
        "So it is good7. Depth is sound14. A fisheye (kb:k)8. It holds19. All of it12. Yet more12.\n\n"
        "| Model | Roll | AUC |\n| :-- | :-- | :-- |\n| **Calib** (ECCV 2024\\)7  | (Pitch)7 | \\[cite: 7, 19\\] |\n"
        "| Llama3 | Not regressed18 | fields7  |\n",
        DOTTED,
        (
            "7 → 7 | 14 → 14 | 8 → 8 | 19 → 19 | 12 → 12 | 12 → 12 | 7 → 7 | 7 → 7 | \\[cite: 7, 19\\] → 7 | "
            "\\[cite: 7, 19\\] → 19 | 18 → 18 | 7 → 7"
        ),
    ),
    "links without words": (f"So it is. []({A}) And so.[]({B})[](#x)", TWO, f"[]({A}) → 1 | []({B}) → 2"),
    "links of numbers above addresses, without a heading": (
        f"So it is[\\[1\\]]({A}#:~:text=so)[\\[2\\]]({B}).\n\n------",
        f"\n\n[\\[1\\]]({A}#:~:text=so) [\\[3\\]]({A})\nA title\nthat wraps\n\n<{A}>\n\n[\\[2\\]]({B}) B\n\n{B}\n",
        f"[\\[1\\]]({A}#:~:text=so) → 1#:~:text=so | [\\[2\\]]({B}) → 2",
    ),
    "a column of sources": (
        "So [2].\n\n| Pan | Stars | Source |\n|---|---|---|\n| A | 1 | 1 |\n| B | 2 | 1, 2 |\n| C | 2 | 2 tests |\n",
        TWO,
        "[2] → 2 | 1 → 1 | 1, 2 → 1 | 1, 2 → 2",
    ),
    "letters with numbers": (
        "So [S1], and so [S2, S3]; vitamins [B12].",
        listed(f"- S1: {A}", f"- **S2.** {B}", "- S3 – https://a.example/3"),
        "[S1] → 1 | [S2, S3] → 2 | [S2, S3] → 3",
    ),
    "hidden marks": (
        'So [1]. <span style="display:none">[2][^1]</span><!-- [2] -->',
        listed(f"[1] {A}", f"[2] {B}"),
        "[1] → 1",
    ),
    "a list whose numbers are links": ("It fell [2].", listed(f"[1]({A})", f"[2]({B})"), "[2] → 2"),
    "steps at the end that nothing marks": (
        "It fell.",
        f"\n\n1. Order A at {A}\n2. Or B at {B}\n",
        f"{A} → 1 | {B} → 2",
    ),
    "cards that the list names": (
        f"It fell.{CARD}",
        listed(f"- [A]({A}){CARD.replace('>8<', '>7<')}", f"- [B]({B}){CARD}"),
        f"{CARD} → 2",
    ),
    "behind a space before Chinese stops": (
        "椅子高 55 厘米 1。它重 8 公斤 2，很轻。\n\n| 椅 | 高 |\n|--|--|\n| 甲 | 7 公斤 2 |",
        TWO,
        "1 → 1 | 2 → 2 | 2 → 2",
    ),
    "behind Latin words and brackets before Chinese stops": (
        "它用 Tailwind CSS 2。组件（Alpine.js）1。加密 1，也可以 (Caddy) 2。Python 3 的版本，Python 3。",
        TWO.rstrip() + "\n3. C https://a.example/3\n",
        "2 → 2 | 1 → 1 | 1 → 1 | 2 → 2",
    ),
    "a list of titles before the list of addresses": (
        "So [1][2].",
        listed("- [1] A: its title", "- [2] B: its title") + listed(f"1. {A}", f"2. {B}", heading="## Citations"),
        "[1] → 1 | [2] → 2",
    ),
    "footnotes without an address beside a list": (
        "So it is[^1] [1].\n\n[^1]: By weight, not by size.",
        TWO,
        "[^1] → ? | [1] → 1",
    ),
    "definitions that run together": ("So [1] it is.", f"\n\n---[1]: {A}[2]: {B}\n\nCitations:\n[1] {A}\n", "[1] → 1"),
    "links beside names of studies": (
        "**Ma, *Journal of Desks* (2021)** found so ([JD, 2021](https://a.example/ma)). More ([S](https://a.example/s)).",
        APA,
        "[JD, 2021](https://a.example/ma) → ma | [S](https://a.example/s) → s",
    ),
}
"""By name: a report's text, its list, and each mark with the end of the address that it leads to."""


@pytest.mark.parametrize("form", FORMS)
def test_a_style_is_read_by_way_of_the_list(form: str) -> None:
    body, sources, expected = FORMS[form]
    assert " | ".join(f"{marker} → {end}" for marker, end in cited(body + sources)) == expected


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
    assert [one for one in cited(FORMS[form][0]) if not re.search("†|cite|citation", one[0])] == []
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
