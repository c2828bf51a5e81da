"""The content of a page as markdown: its article and specifications, without the site's furniture."""

import logging
import re
from collections.abc import Iterator
from itertools import islice

from lxml import html
from lxml.html import HtmlElement

from drretail.env.web.reading.parsing import emptied

SHORTEST = 120
"""Characters. A shorter text is no content but the frame of a page that scripts fill."""
LONGEST_LINK = 200
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_FURNITURE_TAG = re.compile(r"nav|footer|aside|dialog|menu|select|input|textarea|datalist|option")
_FURNITURE_ROLE = re.compile(
    r"navigation|banner|contentinfo|search(?:box)?|complementary|(?:alert)?dialog|menu|menubar|toolbar", re.IGNORECASE
)
# Class names say less than tags and roles: shops call their specifications tabs, menus and modals.
_REVIEWS = re.compile(r"(?:^|[\s_-])(?:customer)?(?:reviews?|testimonials?)(?:$|[\s_-])", re.IGNORECASE)
_MAIN_SHARE = 0.3
"""An element that holds a larger share of a page than this is its content, whatever its name."""
_LONGEST_NAME, _LONGEST_VALUE = 60, 300
"""The most characters of a specification's name and value."""
_MOST_SPECIFIED = 60
"""The most rows of a block of specifications, and blocks on a page: each row is searched for in the whole article."""
_BLOCKS = ("p", "div", "li", "dt", "dd", "tr", "td", "th", "option", *_HEADINGS)
_MOST_BLOCKS = 2_000
"""Pages with more blocks are read without trafilatura's fallbacks: jusText compares each short block with its
neighbours up to the next long one, which takes minutes for a large table.
"""
_LINK = re.compile(r"(!?)\[([^\[\]\n]*)\]\(([^()\n]*)\)")
_EMPTY_BULLET = re.compile(r"^([ \t]*[-*])[ \t]*\n\s*(?=[^\s\-*#|])", re.MULTILINE)
# Models quote what they read: the page says [1], not \\[1\\].
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()<>#+.!~-])")
_WORD = re.compile(r"\w+")
_REPEATED = 4
"""The words from which on a line counts as a statement, which is kept only once."""


def content_markdown(page: HtmlElement, url: str, *, of_product: bool, furniture: bool = False) -> str:
    """The markdown of a tree without unshown parts; empty if it has no content. Removes elements from ``page``.

    A product's page loses its buyers' reviews, as articles lose their readers' comments. ``furniture`` keeps the
    furniture: use it if so little is left without it that trafilatura took another part of the page for the article.
    """
    import trafilatura

    if not furniture:
        for element in [*page.iter()]:
            if element is not page and isinstance(element.tag, str) and _is_furniture(element):
                emptied(element)
    if of_product:
        # Empties blocks that are named reviews, unless they make up most of the page.
        weights = _weights(page)
        body = page.find(".//body")
        whole = weights[page if body is None else body]
        for element in [*page.iter()]:
            if not isinstance(element.tag, str) or element.tag in ("html", "body", "main", "article"):
                continue
            names = f"{element.get('id') or ''} {element.get('class') or ''} {element.get('itemprop') or ''}"
            if _REVIEWS.search(names[:1000]) and weights.get(element, 0) <= _MAIN_SHARE * whole:
                emptied(element)
    has_many = next(islice(page.iter(*_BLOCKS), _MOST_BLOCKS, None), None) is not None
    article = article_text(str(html.tostring(page, encoding="unicode", method="html")), url, fast=has_many)
    # If trafilatura finds no article, all text of the page.
    article = article if len(article) >= SHORTEST else max(article, trafilatura.html2txt(page), key=len)
    return "\n".join([article, *_lost_specifications(page, article)]).strip()


def article_text(markup: str, url: str, *, fast: bool) -> str:
    """The text that trafilatura extracts, with tables, lists and links; empty if it finds none.

    ``fast`` leaves out its fallbacks.
    """
    import trafilatura

    # It warns about pages without text, which would be printed on the user's screen.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        found = trafilatura.extract(
            markup,
            url=url,
            fast=fast,
            output_format="markdown",
            include_comments=False,
            include_tables=True,
            include_links=True,
        )
    # A hostile page meets a parser that is not ours: whatever it raises, the page's data can still be read.
    except Exception:  # noqa: BLE001
        return ""
    text = _EMPTY_BULLET.sub(r"\1 ", _LINK.sub(_kept_link, found or ""))
    return _ESCAPED.sub(r"\1", text)


def _kept_link(match: re.Match[str]) -> str:
    """The link, if it leads to a page and is not too long; otherwise, and for pictures, only its words."""
    image, words, target = match[1], match[2], match[3].strip()
    if not image and words.strip() and target.startswith(("http://", "https://")) and len(target) <= LONGEST_LINK:
        return match[0]
    return words


def count_words(text: str) -> int:
    """The number of words, without the addresses of links."""
    return sum(1 for _ in _WORD.finditer(_LINK.sub(r"\2", text)))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(_LINK.sub(r"\2", text).casefold()))


def without_repeats(text: str) -> str:
    """The text without lines that repeat an earlier one, as on pages with one version for narrow and one for wide
    screens.
    """
    held, lines = set[str](), list[str]()
    for line in text.split("\n"):
        plain = _plain(line)
        if plain.count(" ") + 1 < _REPEATED or plain not in held:
            lines.append(line)
            held.add(plain)
    return "\n".join(lines)


def _lost_specifications(page: HtmlElement, article: str) -> Iterator[str]:
    """The rows of tables, definition lists and lists of properties that are missing from the article, as a list."""
    held = f" {_plain(article)} "
    found = (rows for block in page.iter("table", "dl", "ul") if _are_specifications(rows := list(_rows(block))))
    for rows in islice(found, _MOST_SPECIFIED):
        lost = [row for row in rows if f" {_plain(' '.join(row))} " not in held]
        if len(lost) > len(rows) / 2:
            yield ""
            yield from (f"- {name}: {value}" for name, value in lost)


def _are_specifications(rows: list[list[str]]) -> bool:
    """True if every row is a name and a value, and no name occurs twice: picture credits share one, and star counts
    have numbers as names.
    """
    if not 1 < len(rows) <= _MOST_SPECIFIED or any(len(row) != 2 for row in rows):
        return False
    if any(len(name) > _LONGEST_NAME or len(value) > _LONGEST_VALUE for name, value in rows):
        return False
    names = {name for name, value in rows if value and re.search(r"[^\W\d_]", name)}
    return len(names) == len(rows)


def _rows(block: HtmlElement) -> Iterator[list[str]]:
    if block.tag == "dl":
        for name in block.iter("dt"):
            value = name.getnext()
            yield [_line(name), *([_line(value)] if value is not None and value.tag == "dd" else [])]
    elif block.tag == "ul":
        yield from ([part.strip() for part in _line(item).split(":", 1)] for item in block.iterchildren("li"))
    elif block.find(".//table") is None:
        rows = ([_line(cell) for cell in row.iterchildren("td", "th")] for row in block.iter("tr"))
        yield from ([cell.rstrip(": ") for cell in row if cell] for row in rows if any(row))


def _line(element: HtmlElement) -> str:
    return " ".join(element.text_content().split())


def _is_furniture(element: HtmlElement) -> bool:
    if _FURNITURE_TAG.fullmatch(element.tag) or _FURNITURE_ROLE.fullmatch(element.get("role") or ""):
        return True
    if element.tag == "button":
        return not any(True for _ in element.iterancestors(*_HEADINGS))
    return element.tag == "header" and not any(True for _ in element.iterancestors("main", "article", "section"))


def _weights(root: HtmlElement) -> dict[HtmlElement, int]:
    """The number of characters in each element outside links, plus one, so that no element weighs nothing."""
    weights: dict[HtmlElement, int] = {}
    for element in root.iter():
        weights[element] = weights.get(element, 1)
        if element.tag == "a" or not isinstance(element.tag, str):
            continue
        letters = len((element.text or "").strip()) + sum(len((child.tail or "").strip()) for child in element)
        for holder in (element, *element.iterancestors()) if letters else ():
            weights[holder] = weights.get(holder, 1) + letters
    return weights
