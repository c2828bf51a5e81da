"""Raw pages as text for models and judges: encoding and tree, the article without the furniture, its dates; knows
bot checks, consent walls, logins (walls.txt).

Dates are taken only from a page's metadata and its byline, never from the rest of its text.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lxml import html
from lxml.html import HtmlElement

from drretail.env.web.base import Fetched, WebPage
from drretail.env.web.live import LONGEST_TITLE, clean_line, clean_text, iso_day
from drretail.env.web.structured_data import Node, ld_nodes, product_data, product_text, type_names

MOST_ELEMENTS = 20_000
"""The most elements that are read; the largest page measured has 7,000."""
MOST_ATTRIBUTES = 200
"""The most attributes of one tag; real ones have up to 80."""
_TAG = re.compile(r"<([A-Za-z][A-Za-z0-9:-]*)")
_ATTRIBUTE = re.compile(r"[\s/]*+[^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?")
_RAW = {name: re.compile(rf"</{name}", re.IGNORECASE) for name in ("script", "style", "textarea", "title")}


def bounded_tags(markup: str) -> str:
    """The markup up to tag ``MOST_ELEMENTS``, with the first ``MOST_ATTRIBUTES`` of each tag; linear in its length."""
    parts: list[str] = []
    kept, place, tags = 0, 0, 0
    while (tag := _TAG.search(markup, place)) is not None:
        tags += 1
        if tags > MOST_ELEMENTS:
            return "".join([*parts, markup[kept : tag.start()]])
        place = tag.end()
        count = 0
        cut = None
        while place < len(markup) and markup[place] != ">":
            match = _ATTRIBUTE.match(markup, place)
            end = match.end() if match else place
            if count == MOST_ATTRIBUTES:
                cut = place
            place = end if end > place else place + 1
            count += 1
        if cut is not None:
            parts.append(markup[kept:cut])
            kept = place
        raw = _RAW.get(tag[1].lower())
        if raw is not None:
            closing = raw.search(markup, place)
            place = len(markup) if closing is None else closing.start()
    return "".join([*parts, markup[kept:]])


LONGEST_BODY = 4_000_000
"""The most characters of markup that are read."""
LONGEST_SHOWN = 600_000
"""The most characters of text in which the page's content is looked for; three times the text that is kept."""
WIDEST_CELL = 100
"""The largest span of a table cell in columns or rows: a table is written out with so many cells."""
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_NEVER_SHOWN = ("script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas", "head")
_UNSEEN_STYLE = re.compile(
    r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|opacity:0*(?:\.0+)?(?:;|$|!)|font-size:0*(?:\.\d+)?(?:px|pt|em|rem|%)?(?:;|$|!)"
    r"|(?:max-)?(?:height|width):0(?:px)?(?:;|$|!)|text-indent:-\d{3,}|(?:left|right|top|bottom):-\d{3,}|transform:scale\(0\)"
    r"|clip:rect\(0|clip-path:inset\((?:50|100)%|color:transparent)"
)
_COLOUR = re.compile(r"(?:^|;)color:([^;!]+)")
_GROUND = re.compile(r"(?:^|;)background(?:-color)?:([^;!]+)")
_WAITING_STYLE = re.compile(r"(?:display:none|visibility:hidden|opacity:0*(?:\.0+)?(?=[;!]|$))(?:!important)?")


def decoded(fetched: Fetched) -> str:
    """The body as text, by the header's encoding, UTF-8, or the page's own declaration; unfit bytes become �."""
    named = _META_CHARSET.search(fetched.body[:4096])
    guesses = (fetched.charset, "utf-8", None if named is None else named[1].decode("ascii"))
    for codec in filter(None, guesses):
        try:
            return fetched.body.decode(codec)[:LONGEST_BODY]
        except (UnicodeDecodeError, LookupError):
            continue
    return fetched.body.decode("utf-8" if named is None else "cp1252", "replace")[:LONGEST_BODY]


def parsed(markup: str) -> HtmlElement | None:
    """The tree, even of unclosed or broken markup; None if there is nothing to read."""
    markup = markup.replace("\0", "")
    if not markup.strip():
        return None
    # lxml refuses decoded text that begins with an encoding declaration.
    markup = bounded_tags(re.sub(r"^\s*<\?xml[^>]*\?>", "", markup))
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, no_network=True, recover=True)
    try:
        root = html.document_fromstring(markup, parser=parser)
    except (ValueError, html.etree.LxmlError):
        return None
    for cell in root.iter("td", "th"):
        for name in ("colspan", "rowspan"):
            span = cell.get(name)
            if span is not None and not (len(span) <= len(str(WIDEST_CELL)) and span.isdecimal()):
                del cell.attrib[name]
    return root


def drop_unshown(root: HtmlElement, *, waiting: bool = False) -> int:
    """Empties elements that a browser would not show; returns how many there were, not counting scripts and the like.

    ``waiting`` keeps blocks that only wait to be shown (``hidden``, ``display: none``, or to be faded in). Text of no
    size, out of sight or in the colour of its background is removed all the same.
    """
    hidden = list[HtmlElement]()
    for element in root.iter():
        if not isinstance(element.tag, str) or element.tag == "body":
            continue
        style = (element.get("style") or "")[:2000]
        is_frame = element.tag in ("html", "img", "main", "article")
        is_hidden = element.get("hidden") not in (None, "until-found") or (not is_frame and hides(style))
        waits = waiting and not hides(_WAITING_STYLE.sub("", re.sub(r"\s+", "", style).casefold()))
        if is_hidden and not waits:
            hidden.append(element)
    for element in [*root.iter(*_NEVER_SHOWN), *hidden]:
        emptied(element)
    left = LONGEST_SHOWN
    for element in root.iter():
        element.text = element.text and element.text[:left]
        left -= len(element.text or "")
        element.tail = element.tail and element.tail[:left]
        left -= len(element.tail or "")
    return len(hidden)


def emptied(element: HtmlElement) -> None:
    """Empties an element but keeps its place: removing it would copy the text behind it, again and again."""
    element.clear(keep_tail=True)
    element.tag = "span"


def hides(style: str) -> bool:
    """True for an inline style that hides text: no size or opacity, out of sight, or in its background's colour."""
    style = "".join(style.split()).casefold()
    colour, ground = _COLOUR.search(style), _GROUND.search(style)
    return bool(_UNSEEN_STYLE.search(style)) or (colour is not None and ground is not None and colour[1] == ground[1])


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

    # It warns about pages without text, which would be printed on the user's screen.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    for element in [*page.iter()]:
        if element is not page and isinstance(element.tag, str) and _is_furniture(element):
            emptied(element)
    markup = str(html.tostring(page, encoding="unicode", method="html"))
    try:
        extracted = trafilatura.extract(
            markup,
            url=url,
            fast=next(islice(page.iter(*_BLOCKS), _MOST_BLOCKS, None), None) is not None,
            output_format="markdown",
            include_comments=False,
            include_tables=True,
            include_links=True,
        )
    # A hostile page meets a parser that is not ours: whatever it raises, the page's data can still be read.
    except Exception:  # noqa: BLE001
        extracted = None
    article = _ESCAPED.sub(r"\1", _EMPTY_BULLET.sub(r"\1 ", _LINK.sub(_kept_link, extracted or "")))
    # If trafilatura finds no article, all text of the page.
    return article if len(article) >= SHORTEST else max(article, trafilatura.html2txt(page), key=len).strip()


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


REFUSING = frozenset({401, 402, 403, 407, 429, 451})
"""HTTP statuses by which a site refuses to show a page."""
MOST_BESIDE = 60
"""The most words beside the sentences in which a page says that it is a wall; with more, it only mentions one."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")
_WALLS = Path(__file__).with_name("walls.txt").read_text(encoding="utf-8")
_SAYS = re.compile("|".join(_WALLS.splitlines()), re.IGNORECASE | re.MULTILINE)


def is_wall(title: str, text: str) -> bool:
    """True for a page that says it is a bot check, a consent wall or a login, and on which little else stands."""
    sentences = _SENTENCE_END.split(text)
    says = [sentence for sentence in (title, *sentences) if _SAYS.search(sentence)]
    beside = sum(len(sentence.split()) for sentence in sentences if sentence not in says)
    return bool(says) and beside <= MOST_BESIDE


_LETTER = re.compile(r"\w")


def read_page(fetched: Fetched) -> WebPage:
    """The page's text: its product data, then its content as markdown. The state says why a page has none.

    "no_content" = only navigation, or a page that only scripts could fill; "blocked" = a bot check, a consent wall, a
    login, or HTTP 401, 402, 403, 407, 429, 451; "not_found" = no such page or host; "error" = any other failure.
    """
    if fetched.state != "ok":
        return WebPage(fetched.url, title="", text="", state=fetched.state)
    if fetched.status is not None and fetched.status >= 400:
        return WebPage(fetched.url, title="", text="", state="blocked" if fetched.status in REFUSING else "error")
    markup = decoded(fetched)
    if fetched.content_type.startswith("text/plain"):
        return _page(fetched, "", clean_text(markup), None)
    root = parsed(markup)
    if root is None:
        return _page(fetched, "", "", None)
    title = clean_line(_title(root), LONGEST_TITLE)
    nodes = ld_nodes(root)
    date = page_dates(root, nodes).latest
    products = product_data(root)
    url = fetched.final_url or fetched.url
    drop_unshown(root)
    body = content_markdown(root, url)
    # Pages that wait to be faded in show hardly any: then with the blocks that scripts show.
    if len(body) < SHORTEST and (waiting := parsed(markup)) is not None:
        drop_unshown(waiting, waiting=True)
        body = max(body, content_markdown(waiting, url), key=len)
    if len(body) < SHORTEST:
        body = max([body, *(str(node.get("articleBody") or "") for node in nodes)], key=len)
    if not products and is_wall(title, body):
        return WebPage(fetched.url, title, text="", state="blocked", date=date)
    text = clean_text("\n\n".join(filter(None, (product_text(products, body), body))))
    return _page(fetched, title, text, date, shortest=1 if products else SHORTEST)


def _page(fetched: Fetched, title: str, text: str, date: str | None, *, shortest: int = SHORTEST) -> WebPage:
    if len(text) < shortest or not _LETTER.search(text):
        return WebPage(fetched.url, title, text="", state="no_content", date=date)
    return WebPage(fetched.url, title, text, state="ok", date=date)


def _title(root: HtmlElement) -> str:
    for meta in root.iter("meta"):
        if meta.get("property") == "og:title" and meta.get("content"):
            return str(meta.get("content"))
    for tag in ("title", "h1"):
        element = next(root.iter(tag), None)
        if element is not None and element.text_content().strip():
            return str(element.text_content())
    return ""


_PUBLISHED = re.compile(
    r"(?:article|og):published(?:_time)?|article\.published|datepublished|datecreated|date|pub-?date|publish-?date|"
    r"publish_date|publication_date|citation_publication_date|parsely-pub-date|sailthru\.date|"
    r"dc(?:terms)?\.(?:date|date\.issued|issued|created)"
)
_MODIFIED = re.compile(
    r"(?:article|og):(?:modified|updated)(?:_time)?|article\.updated|datemodified|last-?modified|lastmod|modified|revised|"
    r"dc(?:terms)?\.(?:modified|date\.modified)"
)
# A page holds many dated things (reviews, comments, offers): only these types are the page itself.
_PAGE = re.compile(
    r"(?:(?:news|tech|scholarly)?article|blogposting|report|(?:item|about|collection|faq|qa|medicalweb|web)page|howto|"
    r"recipe|review|product|productgroup)"
)
_DATING = re.compile(r"publi|update|modif|revis|posted|post-?date|entry-?date|date", re.IGNORECASE)
_CHANGED = re.compile(r"update|modif|revis", re.IGNORECASE)
_BYLINE = re.compile(r"date|byline|publi|pub-|update|modif|revis|author|meta|time", re.IGNORECASE)
_LONGEST_BYLINE = 400
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?"
_BYLINE_DATE = re.compile(
    r"\b(?:updated|modified|revised|published|posted)(?: on| at|:)?:? ?"
    r"(?:(?P<iso>\d{4}-\d\d-\d\d)|"
    rf"(?P<month>{_MONTH}) (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})|"
    rf"(?P<day2>\d{{1,2}})\.? (?P<month2>{_MONTH}),? (?P<year2>\d{{4}}))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PageDates:
    """ISO days (YYYY-MM-DD); None if the page does not state them."""

    published: str | None = None
    modified: str | None = None

    @property
    def latest(self) -> str | None:
        """The day up to which the page may know things."""
        return max(filter(None, (self.published, self.modified)), default=None)


def page_dates(page: HtmlElement, nodes: Iterable[Node]) -> PageDates:
    """The first date of each kind in the page's head, then its JSON-LD, then its byline."""
    dates = list(_stated_dates(page, nodes))
    return PageDates(
        published=next((day for kind, day in dates if kind == "published"), None),
        modified=next((day for kind, day in dates if kind == "modified"), None),
    )


def _stated_dates(page: HtmlElement, nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    for meta in page.iter("meta"):
        name = next((str(meta.get(key)).casefold() for key in ("property", "name", "itemprop") if meta.get(key)), "")
        yield from _dated(name, meta.get("content"))
    for node in nodes:
        if any(_PAGE.fullmatch(name) for name in type_names(node)):
            for name in ("datePublished", "dateModified"):
                yield from _dated(name.casefold(), node.get(name))
    for element in page.iter("time"):
        names = " ".join(filter(None, (element.get("itemprop"), element.get("class"), element.text_content()[:80])))
        if element.get("pubdate") is not None or _DATING.search(names):
            yield from _dated("modified" if _CHANGED.search(names) else "date", element.get("datetime"))
    for element in page.iter("span", "div", "meta"):
        if (name := str(element.get("itemprop")).casefold()) in ("datepublished", "datemodified"):
            yield from _dated(name, element.get("content") or element.get("datetime") or element.text)
    # "Updated March 13, 2024" in an element whose class or id suggests dates or authors.
    for element in page.iter("p", "div", "span", "small", "time", "li"):
        if not _BYLINE.search(f"{element.get('class') or ''} {element.get('id') or ''}"):
            continue
        text = " ".join(element.text_content()[:_LONGEST_BYLINE].split())
        for match in _BYLINE_DATE.finditer(text):
            day = match["iso"]
            if day is None:
                month = _MONTHS.index((match["month"] or match["month2"])[:3].casefold()) + 1
                day = f"{match['year'] or match['year2']}-{month:02}-{int(match['day'] or match['day2']):02}"
            yield from _dated("modified" if _CHANGED.search(match[0]) else "date", day)


def _dated(name: str, value: object) -> Iterator[tuple[str, str]]:
    day = iso_day(value.strip()) if isinstance(value, str) else None
    if day is not None and day >= "1990":
        if _PUBLISHED.fullmatch(name):
            yield "published", day
        elif _MODIFIED.fullmatch(name):
            yield "modified", day
