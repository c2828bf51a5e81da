from time import process_time

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from drretail.viewer.page.markdown import Piece, place
from drretail.viewer.page.report_html import marked_html
from tests.viewer.dom import parse

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


def places_of(source: str, wanted: str) -> list[list[int]]:
    return [list(piece.offsets) for piece in place(source) if piece.token.content == wanted]


def placed_rightly(piece: Piece, source: str) -> bool:
    texts = (
        (character, source[at]) for character, at in zip(piece.token.content, piece.offsets, strict=True) if at >= 0
    )
    return all(character == found for character, found in texts)


def test_cells_know_their_place_html_is_text_and_images_are_not_loaded() -> None:
    source = "| A | A |\n|---|---|\n| x \\| y | A |\n"
    assert places_of(source, "A") == [[2], [6], [source.rindex("A")]]
    (cell,) = places_of(source, "x | y")
    assert "".join(source[at] for at in cell) == "x | y"

    html = marked_html('<script>alert(1)</script>\n\nA <img src="x"> and ![alt](http://a.b/i.png)', []).html
    assert "<script" not in html
    assert "<img" not in html
    assert "alt" in parse(html).text


@given(MARKDOWN)
def test_every_text_stands_where_its_place_says(source: str) -> None:
    same = source.replace("\r\n", " \n").replace("\r", "\n")
    for piece in place(source):
        if piece.token.type in ("text", "code_inline") and "\t" not in source:
            flat = same.replace("\n", " ") if piece.token.type == "code_inline" else same
            # Addresses in angle brackets are normalised, others are verbatim.
            assert piece.token.content.startswith("http") or placed_rightly(piece, flat)


@given(MARKDOWN)
def test_the_text_is_that_of_the_plain_parser(source: str) -> None:
    plain = (
        MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable(["table", "strikethrough"]).disable("image")
    )
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
