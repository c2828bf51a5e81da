"""The content of a page as markdown: its article without the site's furniture, or with it where little is left."""

import logging
import re

import trafilatura
from lxml import html
from lxml.html import HtmlElement

from drretail.env.web.reading.parsing import emptied

LEAST = 1 / 4
"""Of the untouched page's article: what is less without furniture has lost content with it (measured: .20 on such
pages; .28 and more where the untouched page only adds reviews and other products)."""
SHORTEST = 120
"""Characters: less than that is no content but what is left of a page that only scripts can fill."""
LONGEST_LINK = 200
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
    """The markdown of a tree without unshown parts; empty where there is no content. Furniture is emptied.

    ``stated`` stands before the article, which need not repeat it.
    """
    untouched = _markup(page)
    shown = _words(" ".join(page.itertext()))
    drop_furniture(page)
    article = article_text(_markup(page), url)
    read = _words(article) + _words(stated)
    if read < LEAST * shown and read < LEAST * _words(whole := article_text(untouched, url)):
        article = whole
    # Of a page that trafilatura makes nothing of, all that it says.
    return article if len(article) >= SHORTEST else max(article, trafilatura.html2txt(page), key=len)


def article_text(markup: str, url: str) -> str:
    """What trafilatura takes for the page's text, with its tables, lists and links; empty where it finds none."""
    # It reports pages without text as warnings, which would be printed on people's screens.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        found = trafilatura.extract(
            markup,
            url=url,
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
    """Links to pages of a bearable length stay; of others, and of pictures, the words."""
    image, words, target = match[1], match[2], match[3].strip()
    if not image and words.strip() and target.startswith(("http://", "https://")) and len(target) <= LONGEST_LINK:
        return match[0]
    return words


def _words(text: str) -> int:
    """Words of the text; addresses of links are none."""
    return sum(1 for _ in _WORD.finditer(_LINK.sub(r"\2", text)))


def _markup(page: HtmlElement) -> str:
    return str(html.tostring(page, encoding="unicode", method="html"))


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
        letters = len((element.text or "").strip()) + sum(len((child.tail or "").strip()) for child in element)
        for holder in (element, *element.iterancestors()) if letters else ():
            weights[holder] = weights.get(holder, 1) + letters
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
