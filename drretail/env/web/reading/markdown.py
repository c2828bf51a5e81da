"""The content of a page as markdown: trafilatura's article, without the site's furniture."""

import logging
import re
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
_BLOCKS = ("p", "div", "li", "dt", "dd", "tr", "td", "th", "option", *_HEADINGS)
_MOST_BLOCKS = 2_000
"""Pages with more blocks are read without trafilatura's fallbacks: jusText compares each short block with its
neighbours up to the next long one, which takes minutes for a large table.
"""
_LINK = re.compile(r"(!?)\[([^\[\]\n]*)\]\(([^()\n]*)\)")
_EMPTY_BULLET = re.compile(r"^([ \t]*[-*])[ \t]*\n\s*(?=[^\s\-*#|])", re.MULTILINE)
# Models quote what they read: the page says [1], not \\[1\\].
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()<>#+.!~-])")


def content_markdown(page: HtmlElement, url: str) -> str:
    """The markdown of a tree without unshown parts; empty if it has no content. Empties the furniture in ``page``."""
    import trafilatura

    for element in [*page.iter()]:
        if element is not page and isinstance(element.tag, str) and _is_furniture(element):
            emptied(element)
    has_many = next(islice(page.iter(*_BLOCKS), _MOST_BLOCKS, None), None) is not None
    article = article_text(str(html.tostring(page, encoding="unicode", method="html")), url, fast=has_many)
    # If trafilatura finds no article, all text of the page.
    return article if len(article) >= SHORTEST else max(article, trafilatura.html2txt(page), key=len).strip()


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


def _is_furniture(element: HtmlElement) -> bool:
    if _FURNITURE_TAG.fullmatch(element.tag) or _FURNITURE_ROLE.fullmatch(element.get("role") or ""):
        return True
    if element.tag == "button":
        return not any(True for _ in element.iterancestors(*_HEADINGS))
    return element.tag == "header" and not any(True for _ in element.iterancestors("main", "article", "section"))
