"""The content of a page as markdown: its article, or what its layout shows where that is much more."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import trafilatura
from lxml import html
from lxml.html import HtmlElement

from drretail.env.web.reading.parsing import emptied

_INLINE = re.compile(
    r"a|abbr|acronym|b|bd[io]|big|br|cite|code|data|del|dfn|em|font|i|img|ins|kbd|label|mark|meter|output|picture|q|"
    r"ruby|r[tp]|s|samp|small|source|span|strike|strong|su[bp]|time|tt|u|var|wbr"
)
_FURNITURE_TAG = re.compile(r"nav|footer|aside|dialog|menu|select|input|textarea|datalist|option")
_FURNITURE_ROLE = re.compile(
    r"navigation|banner|contentinfo|search(?:box)?|complementary|(?:alert)?dialog|menu|menubar|toolbar", re.IGNORECASE
)
_FURNITURE = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|megamenu|breadcrumbs?|footer|cookies?|consent|gdpr|onetrust|newsletter|"
    r"subscribe|signup|login|modal|popup|overlay|toast|tooltip|social|share|sharing|sidebar|advert(?:isement)?s?|"
    r"ads?|sponsored|promo|skip|comments?|related|recommend(?:ed|ations?)|recently|pagination|captcha)(?:$|[\s_-])",
    re.IGNORECASE,
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_FIGURE = re.compile(
    r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|kr|zł)\b)\s?\d|\d\s?(?:[$€£¥₹]|(?:USD|EUR|GBP|zł)\b)|"
    r"\d[.,]?\d?\s*(?:out of|von|/)\s*5\b|★"
)
_SPACES = re.compile(r"\s+")
_LONGEST_ITEM = 400
_LINK_SHARE = 0.6
_MAIN_SHARE = 0.3
"""What holds more of a page than this is its content, whatever it is called."""


@dataclass(slots=True)
class _Block:
    """Words that stand on one line; ``item`` is the list item or the cell they belong to."""

    kind: str
    words: list[str] = field(default_factory=list[str])
    linked: int = 0
    """Characters that are links."""
    item: HtmlElement | None = None

    @property
    def text(self) -> str:
        return _SPACES.sub(" ", "".join(self.words)).strip()


def drop_furniture(root: HtmlElement) -> None:
    """Empties what belongs to the site and not to the page: navigation, banners, footers, consent, sharing."""
    body = root.find(".//body")
    weights = _weights(root)
    whole = weights[root if body is None else body]
    for element in [*root.iter()]:
        if element is not root and isinstance(element.tag, str) and _is_furniture(element, weights[element] / whole):
            emptied(element)


def layout_text(root: HtmlElement) -> str:
    """The markdown of a tree without unshown parts and furniture; empty where nothing else is there."""
    blocks = [block for block in _blocks(_main(root)) if block.text]
    lines: list[str] = []
    seen: set[str] = set()
    for line in _lines(blocks):
        # Menus and cards are written twice, for phones and for large screens.
        if line.casefold() not in seen:
            seen.add(line.casefold())
            lines.append(line)
    while lines and lines[-1].startswith("#"):
        lines.pop()
    return "\n\n".join(lines)


def cards(text: str) -> int:
    """How many lines of a text are items of a list with a price or a rating."""
    return sum(line.startswith("- ") and bool(_FIGURE.search(line)) for line in text.split("\n"))


def _main(root: HtmlElement) -> HtmlElement:
    """The part that the page calls its main one, where it holds most of what there is; else its body."""
    body = root.find(".//body")
    body = root if body is None else body
    mains = [*body.iter("main"), *(it for it in body.iter() if it.get("role") == "main")]
    best = max(mains, key=lambda it: len(it.text_content()), default=body)
    return (
        best if 3 * len(best.text_content()) >= len(body.text_content()) or len(best.text_content()) > 2_000 else body
    )


def _blocks(root: HtmlElement) -> Iterator[_Block]:
    block = _Block("p")
    stack: list[tuple[HtmlElement, bool]] = [(root, False)]
    item: list[HtmlElement] = []
    while stack:
        element, leaving = stack.pop()
        tag = element.tag
        if leaving:
            if not _INLINE.fullmatch(tag):
                yield block
                block = _Block("p", item=item[-1] if item else None)
            if item and item[-1] is element:
                item.pop()
                block.item = item[-1] if item else None
            if tag in ("td", "th"):
                block.words.append("")
            _say(block, element.tail, element.getparent())
            continue
        if tag in ("li", "tr", "dd"):
            item.append(element)
        if not _INLINE.fullmatch(tag):
            yield block
            kind = tag if tag in _HEADINGS else "p"
            block = _Block(kind, item=item[-1] if item else None)
        elif tag == "br":
            block.words.append(" ")
        _say(block, element.text, element)
        stack.append((element, True))
        stack += [(child, False) for child in reversed(element) if isinstance(child.tag, str)]
    yield block


def _say(block: _Block, text: str | None, parent: HtmlElement | None) -> None:
    if text:
        block.words.append(text)
        if parent is not None and _in_link(parent):
            block.linked += len(text.strip())


def _in_link(element: HtmlElement) -> bool:
    return element.tag == "a" or any(True for _ in element.iterancestors("a"))


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


def _lines(blocks: list[_Block]) -> Iterator[str]:
    place = 0
    while place < len(blocks):
        end = place + 1
        if blocks[place].item is not None:
            while end < len(blocks) and blocks[end].item is blocks[place].item:
                end += 1
        group = blocks[place:end]
        place = end
        if group[0].item is None or sum(len(it.text) for it in group) > _LONGEST_ITEM:
            yield from (_line(block) for block in group if _is_content(block))
        elif any(_is_content(block) for block in group) or any(_FIGURE.search(block.text) for block in group):
            yield "- " + " · ".join(block.text for block in group)


def _line(block: _Block) -> str:
    level = _HEADINGS.get(block.kind)
    return f"{'#' * level} {block.text}" if level else block.text


def _is_content(block: _Block) -> bool:
    """False for links that lead elsewhere; a heading stays, and so does a link with a price or a rating."""
    text = block.text
    if block.kind in _HEADINGS or _FIGURE.search(text):
        return True
    return block.linked <= _LINK_SHARE * len(text)


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
