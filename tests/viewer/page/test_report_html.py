"""The report's Markdown as HTML with marks. Also tests frame.py. report_html: tests/viewer/page/test_run_part.py."""

from time import process_time

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from drretail.reports.render import render_report
from drretail.viewer.page.frame import is_web_address, place
from drretail.viewer.page.report_html import HtmlMark, marked_html, moved
from tests import build
from tests.viewer.dom import Element, parse

PARTS = st.sampled_from(
    [
        *("word ", "two words", "**", "*", "_", "`", "``", "~~", "\n", "\n\n", "- ", "  - ", "1. ", "> ", "# ", "## "),
        *("| a | b |\n|---|--:|\n| ", " | ", " |\n", "\\|", "\\*", "\\", "&amp;", "&#65;", "&", "<b>"),
        *("<https://a.b/c>", "[x](http://a.b/c)", "[[1]](http://a.b/d)", "[", "](http://a.b)", "](", ")"),
        *("![alt](http://a.b/i.png)", "```\n", "    ", "\t", "  \n", "\r\n", "é", "日本", "😀"),
        *("http://e.com/x ", "---\n", "\n[r]: http://a.b\n", "[r]"),
    ]
)
MARKDOWN = st.lists(PARTS, max_size=25).map("".join)


@given(MARKDOWN)
def test_every_text_stands_where_its_place_says(source: str) -> None:
    same = source.replace("\r\n", " \n").replace("\r", "\n")
    for piece in place(source):
        if piece.token.type in ("text", "code_inline") and "\t" not in source:
            flat = same.replace("\n", " ") if piece.token.type == "code_inline" else same
            placed = [each for each in zip(piece.token.content, piece.offsets, strict=True) if each[1] >= 0]
            # Addresses in angle brackets are normalised, others are verbatim.
            assert piece.token.content.startswith("http") or all(flat[at] == character for character, at in placed)


@given(MARKDOWN)
def test_the_text_is_that_of_the_plain_parser(source: str) -> None:
    plain = (
        MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable(["table", "strikethrough"]).disable("image")
    )
    plain.validateLink = is_web_address  # other addresses stay as they are written
    same = source.replace("\r\n", " \n").replace("\r", "\n")
    assert squeezed(parse(marked_html(source, []).html).text) == squeezed(parse(plain.render(same)).text)


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_a_long_line_of_signs_is_parsed_in_the_time_of_a_long_line() -> None:
    def took(source: str) -> float:
        times: list[float] = []
        for _ in range(3):
            begun = process_time()
            place(source)
            times.append(process_time() - begun)
        return min(times)

    # Ten times as long takes about ten times as long; a copy at every sign would take a hundred times.
    assert took("<b>" * 10_000) < 40 * took("<b>" * 1_000)


TABLE = "| Product | Price |\n|---|--:|\n| **Feeder** [[1]](http://e.com/P1) | $24.99 |\n| Bath | $55 |\n"


def mark(source: str, words: str, target: str = "c1", style: str = "full", rank: int = 1) -> HtmlMark:
    start = source.index(words)
    return HtmlMark(start, start + len(words), target, style, rank, "✓", f"Claim {target}")


def shown(source: str, *marks: HtmlMark) -> Element:
    return parse(marked_html(source, marks).html)


def marked(page: Element, target: str = "c1") -> str:
    return "".join(found.text for found in page.all("mark") if target in found.attributes["data-for"].split())


def test_rows_are_marked_cell_by_cell_and_overlapping_marks_look_like_the_worse() -> None:
    page = shown(TABLE, mark(TABLE, "| **Feeder** [[1]](http://e.com/P1) | $24.99 |"))
    assert marked(page) == "Feeder [1]$24.99"
    assert len(list(page.all("tr"))) == 3
    assert [cell.attributes.get("class") for cell in page.all("td")] == [None, "right", None, "right"]

    source = "The feeder costs $19.99 and is green."
    page = shown(source, mark(source, source, "c1"), mark(source, "$19.99", "f1", "finding error", rank=9))
    assert marked(page, "c1") == source
    assert marked(page, "f1") == "$19.99"
    assert [found.attributes["class"] for found in page.all("mark")] == ["full", "finding error", "full"]


def test_only_web_addresses_become_links() -> None:
    for url in ("javascript:alert(1)", "JaVaScript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc"):
        page = shown(f"[x]({url}) and <{url}> and [r]\n\n[r]: {url}\n")
        assert not [link for link in page.all("a") if "href" in link.attributes], url


def test_numbers_lead_to_the_source_and_quotes_in_addresses_do_not_end_the_attribute() -> None:
    html = marked_html("A [[1]](http://e.com/P1) [words](http://e.com/P1)", [], {"http://e.com/P1": "r1-e2"}).html
    assert [link.attributes["href"] for link in parse(html).all("a")] == ["#r1-e2", "http://e.com/P1"]
    page = shown('[x](http://a.b/"onmouseover="alert(1)) [y](http://a.b/<script>)')
    assert all(set(link.attributes) <= {"href", "rel"} for link in page.all("a"))
    assert not list(page.all("script"))


@st.composite
def marked_sources(draw: st.DrawFn) -> tuple[str, list[HtmlMark]]:
    source = draw(MARKDOWN)
    ends = st.tuples(st.integers(0, len(source)), st.integers(0, len(source)))
    spans = draw(st.lists(ends, max_size=6))
    return source, [HtmlMark(min(s), max(s), f"c{n}", "full", n, "✓", "c") for n, s in enumerate(spans)]


@given(marked_sources())
def test_marks_change_neither_text_nor_structure(case: tuple[str, list[HtmlMark]]) -> None:
    source, marks = case
    plain, with_marks = parse(marked_html(source, []).html), parse(marked_html(source, marks).html)
    assert with_marks.text == plain.text
    assert structure(with_marks) == structure(plain)


def structure(element: Element) -> list[object]:
    """The elements without marks and badges."""
    found: list[object] = []
    for child in element.children:
        if isinstance(child, Element) and child.tag == "mark":
            found += structure(child)
        elif isinstance(child, Element) and "badge" not in child.attributes.get("class", "").split():
            found.append((child.tag, tuple(child.attributes.items()), structure(child)))
    return found


KNOWN = [
    build.evidence("P:B1", title="Feeder", url="http://ecommerce.com/B1"),
    build.evidence("O:0000000001", title="An order"),
]
REPORT = "One [P:B1]. Two words [P:B1; O:0000000001] here. Three [P:NONE].\n\n## Sources\n- [P:B1] Feeder\n"


def rendered_words(words: str) -> str:
    rendered = render_report(REPORT, KNOWN)
    start, end = moved(REPORT.index(words), REPORT.index(words) + len(words), rendered.edits)
    return rendered.text[start:end]


def test_a_sentence_is_found_with_its_numbers_and_a_span_takes_the_whole_of_a_mark() -> None:
    assert rendered_words("One [P:B1].") == "One [[1]](http://ecommerce.com/B1)."
    assert rendered_words("Two words [P:B1; O:0000000001] here.").startswith(
        "Two words [[1]](http://ecommerce.com/B1) (order"
    )
    assert rendered_words("Two words [P:B1; O:0000000001] here.").endswith(") here.")
    assert rendered_words("Three [P:NONE].") == "Three [unresolved: P:NONE]."
    assert rendered_words("words [P:B1; O:") == rendered_words("words [P:B1; O:0000000001]")
    assert rendered_words("000000001] here") == rendered_words("[P:B1; O:0000000001] here")
