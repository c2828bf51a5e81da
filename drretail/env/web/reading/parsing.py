"""The tree of a page as a reader sees it: without scripts, and without text that is there but not shown."""

import re

from lxml import html
from lxml.html import HtmlElement

from drretail.env.web.fetching.fetched import Fetched

MOST_ELEMENTS = 20_000
"""That are read; the largest of the pages measured has 7,000."""
MOST_ATTRIBUTES = 200
"""Of one tag; real ones have up to 80."""
_TAG = re.compile(r"<([A-Za-z][A-Za-z0-9:-]*)")
_ATTRIBUTE = re.compile(r"[\s/]*+[^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?")
_RAW = {name: re.compile(rf"</{name}", re.IGNORECASE) for name in ("script", "style", "textarea", "title")}


def bounded_tags(markup: str) -> str:
    """The markup up to tag ``MOST_ELEMENTS``, with the first ``MOST_ATTRIBUTES`` of each; linear in its length."""
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
            found = _ATTRIBUTE.match(markup, place)
            end = found.end() if found else place
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
"""Characters of markup that are read."""
LONGEST_SHOWN = 600_000
"""Characters of text that are looked through for the page's content; three times what of it is kept."""
WIDEST_CELL = 100
"""Columns or rows: whoever writes a table out writes so many cells."""
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
    """The body's characters, by its header, its own word, or what fits; bytes that fit nothing become �."""
    named = _META_CHARSET.search(fetched.body[:4096])
    guesses = (fetched.charset, "utf-8", None if named is None else named[1].decode("ascii"))
    for codec in filter(None, guesses):
        try:
            return fetched.body.decode(codec)[:LONGEST_BODY]
        except (UnicodeDecodeError, LookupError):
            continue
    return fetched.body.decode("utf-8" if named is None else "cp1252", "replace")[:LONGEST_BODY]


def parsed(markup: str) -> HtmlElement | None:
    """The tree, whatever is unclosed or broken in it; None where there is nothing to read."""
    markup = markup.replace("\0", "")
    if not markup.strip():
        return None
    # The declaration of an encoding in front of decoded text is an error to lxml.
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
    """Empties what a browser would not show; gives how many elements that were (scripts and the like apart).

    With ``waiting`` blocks stay that only wait to be shown (``hidden``, ``display: none``, or to be faded in); what is
    shown in no size, out of sight or in the colour of its ground still goes.
    """
    elements = (each for each in root.iter() if isinstance(each.tag, str) and each.tag != "body")
    hidden = [each for each in elements if _is_hidden(each) and not (waiting and _waits(each))]
    for element in [*root.iter(*_NEVER_SHOWN), *hidden]:
        emptied(element)
    _cut_text(root)
    return len(hidden)


def _cut_text(root: HtmlElement) -> None:
    """Takes away what a page shows beyond ``LONGEST_SHOWN``."""
    left = LONGEST_SHOWN
    for element in root.iter():
        element.text = element.text and element.text[:left]
        left -= len(element.text or "")
        element.tail = element.tail and element.tail[:left]
        left -= len(element.tail or "")


def emptied(element: HtmlElement) -> None:
    """Leaves a place without content. Taking it out would copy the text behind it, again and again."""
    element.clear(keep_tail=True)
    element.tag = "span"


def hides(style: str) -> bool:
    """True for an inline style that shows text in no size or opacity, out of sight, or in the colour of its ground."""
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
