"""The tree of a page as a reader sees it: without scripts, and without text that is not shown."""

import re

from lxml import html
from lxml.html import HtmlElement

from drretail.env.web.fetching.fetched import Fetched

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
    """The body as text, by the header's encoding, UTF-8, or the page's own declaration; bytes that fit
    none become �.
    """
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
    elements = (each for each in root.iter() if isinstance(each.tag, str) and each.tag != "body")
    hidden = [each for each in elements if _is_hidden(each) and not (waiting and _waits(each))]
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
    """True for an inline style that hides text: no size or opacity, out of sight, or in the colour of
    its background.
    """
    style = "".join(style.split()).casefold()
    colour, ground = _COLOUR.search(style), _GROUND.search(style)
    return bool(_UNSEEN_STYLE.search(style)) or (colour is not None and ground is not None and colour[1] == ground[1])


def _waits(element: HtmlElement) -> bool:
    style = re.sub(r"\s+", "", (element.get("style") or "")[:2000]).casefold()
    return not hides(_WAITING_STYLE.sub("", style))


def _is_hidden(element: HtmlElement) -> bool:
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return True
    is_frame = element.tag in ("html", "body", "img", "main", "article")
    return not is_frame and hides((element.get("style") or "")[:2000])
