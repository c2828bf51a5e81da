"""The content of a page as markdown: its article, or all that it shows where the article is next to nothing."""

import logging
import re
from collections.abc import Iterator

import trafilatura
from lxml import html
from lxml.html import HtmlElement

from drretail.env.web.reading.parsing import emptied

LEAST = 1 / 8
"""Of the words that a page shows: an article of less has missed the page, as it does on lists of cards (.04 to .12
there; on product pages with long reviews it has .15 and more)."""
LONGEST_ITEM = 600
"""Characters of a list item or a row that stands on one line."""
LONGEST_LINK = 200
_INLINE = re.compile(
    r"a|abbr|acronym|b|bd[io]|big|cite|code|data|del|dfn|em|font|i|img|ins|kbd|label|mark|meter|output|picture|q|"
    r"ruby|r[tp]|s|samp|small|source|span|strike|strong|su[bp]|time|tt|u|var|wbr"
)
_ITEMS = ("li", "tr", "dd")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_FURNITURE_TAG = re.compile(r"nav|footer|aside|dialog|menu|select|input|textarea|datalist|option")
_FURNITURE_ROLE = re.compile(
    r"navigation|banner|contentinfo|search(?:box)?|complementary|(?:alert)?dialog|menu|menubar|toolbar", re.IGNORECASE
)
# Not among them: comments, promo and overlay, by which shops name reviews and their products' own advantages.
_FURNITURE = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|megamenu|breadcrumbs?|footer|cookies?|consent|gdpr|onetrust|newsletter|"
    r"subscribe|signup|login|modal|popup|toast|tooltip|social|share|sharing|sidebar|advert(?:isement)?s?|"
    r"ads?|sponsored|skip|related|recommend(?:ed|ations?)|recently|pagination|captcha)(?:$|[\s_-])",
    re.IGNORECASE,
)
_MAIN_SHARE = 0.3
"""What holds more of a page than this is its content, whatever it is called."""
_LINK = re.compile(r"(!?)\[([^\[\]\n]*)\]\(([^()\n]*)\)")
_EMPTY_BULLET = re.compile(r"^([ \t]*[-*])[ \t]*\n\s*(?=[^\s\-*#|])", re.MULTILINE)
# Models quote what they read: the page says [1], not \\[1\\].
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()<>#+.!~-])")
_WORD = re.compile(r"\w+")


def content_markdown(page: HtmlElement, url: str, stated: str = "") -> str:
    """The markdown of a tree without unshown parts; empty where there is no content. The tree is used up.

    ``stated`` stands before it: what is said there the article need not say.
    """
    drop_furniture(page)
    article = article_text(page, url)
    shown = layout_text(page)
    return shown if _words(article) + _words(stated) < LEAST * _words(shown) else article


def article_text(page: HtmlElement, url: str) -> str:
    """What trafilatura takes for the page's text, with its tables, lists and links; empty where it finds none."""
    # It reports pages without text as warnings, which would be printed on people's screens.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        found = trafilatura.extract(
            html.tostring(page, encoding="unicode", method="html"),
            url=url,
            output_format="markdown",
            favor_recall=True,
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


def layout_text(page: HtmlElement) -> str:
    """All text of a tree, a block on a line; an item of a list and a row of a table on one. The tree is used up."""
    body = page.find(".//body")
    body = page if body is None else body
    for element in body.iter():
        if isinstance(element.tag, str) and not _INLINE.fullmatch(element.tag):
            element.text, element.tail = f"\n{element.text or ''}", f"\n{element.tail or ''}"
    for item in [*body.iter(*_ITEMS)]:
        innermost = next(item.iterdescendants(*_ITEMS), None) is None
        if innermost and len(said := " · ".join(_lines(item))) <= LONGEST_ITEM:
            _say(item, f"- {said}" if said else "")
    for heading in [*body.iter(*_HEADINGS)]:
        said = " ".join(_lines(heading))
        _say(heading, f"{'#' * int(heading.tag[1])} {said}" if said else "")
    # Menus and cards are written twice, for phones and for large screens.
    first: dict[str, str] = {}
    for line in _lines(body):
        first.setdefault(line.casefold(), line)
    return "\n\n".join(first.values())


def _lines(element: HtmlElement) -> Iterator[str]:
    lines = (" ".join(line.split()) for line in element.text_content().split("\n"))
    return filter(None, lines)


def _say(element: HtmlElement, text: str) -> None:
    element.clear(keep_tail=True)
    element.text = f"\n{text}\n"


def drop_furniture(root: HtmlElement) -> None:
    """Empties what belongs to the site and not to the page: navigation, banners, footers, consent, sharing."""
    body = root.find(".//body")
    weights = _weights(root)
    whole = weights[root if body is None else body]
    for element in [*root.iter()]:
        if element is not root and isinstance(element.tag, str) and _is_furniture(element, weights[element] / whole):
            emptied(element)


def _weights(root: HtmlElement) -> dict[HtmlElement, int]:
    """The characters of every element that are no links, and one, so that none weighs nothing."""
    weights: dict[HtmlElement, int] = {}
    for element in root.iter():
        weights[element] = weights.get(element, 1)
        if element.tag == "a" or not isinstance(element.tag, str):
            continue
        said = len((element.text or "").strip()) + sum(len((child.tail or "").strip()) for child in element)
        for holder in (element, *element.iterancestors()) if said else ():
            weights[holder] = weights.get(holder, 1) + said
    return weights


def _is_furniture(element: HtmlElement, share: float) -> bool:
    if _FURNITURE_TAG.fullmatch(element.tag) or _FURNITURE_ROLE.fullmatch(element.get("role") or ""):
        return True
    if element.tag == "button":
        return not any(True for _ in element.iterancestors(*_HEADINGS))
    if element.tag == "header":
        return not any(True for _ in element.iterancestors("main", "article", "section"))
    if share > _MAIN_SHARE:
        return False
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    return element.tag not in ("body", "main", "article", "html") and bool(_FURNITURE.search(names[:1000]))
