"""The content of a page as markdown: its article, or what its layout shows where that is much more."""

import logging
import re

import trafilatura
from lxml import html
from lxml.html import HtmlElement

from drretail.env.web.reading.layout import cards, drop_furniture, layout_text

ENOUGH = 0.6
"""Of the layout's words that the article must have to be the content: it has .8 and more on articles, and less than
half on the product and list pages whose content it misses (docs/web.md)."""
FEWEST_CARDS = 4
"""Of a list: an article that takes them apart loses which price is whose."""
LONGEST_LINK = 200
_LINK = re.compile(r"(!?)\[([^\[\]\n]*)\]\(([^()\n]*)\)")
_EMPTY_BULLET = re.compile(r"^([ \t]*[-*])[ \t]*\n\s*(?=[^\s\-*#|])", re.MULTILINE)
# Models quote what they read: the page says [1], not \\[1\\].
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()<>#+.!~-])")
_WORD = re.compile(r"\w+")


def content_markdown(page: HtmlElement, url: str) -> str:
    """The markdown of a tree without unshown parts; empty where there is no content. Furniture is emptied."""
    drop_furniture(page)
    article, layout = article_text(page, url), layout_text(page)
    is_list = cards(layout) >= FEWEST_CARDS and 2 * cards(article) < cards(layout)
    return layout if is_list or _words(article) < ENOUGH * _words(layout) else article


def article_text(page: HtmlElement, url: str) -> str:
    """What trafilatura takes for the page's text, with its tables, lists and links; empty where it finds none."""
    # It reports pages without text as warnings, which would be printed on people's screens.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        found = trafilatura.extract(
            html.tostring(page, encoding="unicode", method="html"),
            url=url,
            output_format="markdown",
            include_comments=False,
            include_tables=True,
            include_links=True,
        )
    # A hostile page meets a parser that is not ours: whatever it raises, the layout can still be read.
    except Exception:  # noqa: BLE001
        return ""
    text = _EMPTY_BULLET.sub(r"\1 ", _LINK.sub(_kept_link, found or ""))
    return _ESCAPED.sub(r"\1", text)


def _kept_link(match: re.Match[str]) -> str:
    """Links to pages of a bearable length stay; of others, and of pictures, the words."""
    image, words, target = match[1], match[2], match[3].strip()
    if not image and words.strip() and target.startswith(("http://", "https://")) and len(target) <= LONGEST_LINK:
        return match[0]
    return words


def _words(text: str) -> int:
    """Words of the text; addresses of links are none."""
    return sum(1 for _ in _WORD.finditer(_LINK.sub(r"\2", text)))
