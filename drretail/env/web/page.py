"""Raw pages as text for models and judges, read by trafilatura.

A page that refuses is told by form alone: its HTTP status, no text, or a short one with a field for a password. What
else is no evidence, such as a bot check with status 200, a judge tells who is asked about claims on it
(eval/claims/rulings.py).
"""

import codecs
import logging
import re
from collections.abc import Iterator
from copy import deepcopy
from email.message import Message
from itertools import islice

from lxml.html import HtmlElement

from drretail.env.web.base import LONGEST_REFUSAL, Empty, Fetched, WebPage
from drretail.env.web.cleaning import CUT, LONGEST_TITLE, clean_line, clean_text, iso_day
from drretail.records.evidence import SourceState

LONGEST_MARKUP = 2_000_000
"""The most characters of markup, without scripts, that are read; the largest page measured has 1,800,000 with them."""
MOST_ELEMENTS = 20_000
"""The most elements that are read of a page; the largest page measured has 7,000."""
MOST_ATTRIBUTES = 2_000
"""The most attributes of a tag: real ones have up to 80, and libxml2 compares each with all others."""
MOST_BLOCKS = 5_000
"""Pages with more blocks are read without trafilatura's fallbacks, which loses whole lists of products: jusText
compares each short block with its neighbours up to the next long one, which takes 4 seconds for so many and a minute
for 20,000.
"""
LONGEST_CELL = 600
"""Characters. Longer cells are a layout; in shorter ones, all is one text."""
MOST_SIGNS = 20
"""A page of so many letters and digits has a text, however much markup there is: a table of sizes has few more."""
MARKUP_OF_SIGN = 50
"""Characters of markup. A page with more of them for each sign is a frame that scripts would fill."""
# What no visitor can be shown. What waits for a click (display: none) is left to trafilatura: shops fold details away.
_STYLE = "concat(translate(@style, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ ', 'abcdefghijklmnopqrstuvwxyz'), ';')"
UNSEEN = "//template|//textarea|" + "|".join(
    f"//*[contains({_STYLE}, '{style}')]"
    for style in ("visibility:hidden", "font-size:0;", "font-size:0px", "text-indent:-9", "left:-99")
)
_TAG = re.compile(r"<[a-zA-Z](?>(?:[^\"'>]++|\"[^\"]*+\"|'[^']*+')*)")
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'")
# What trafilatura leaves out of a cell.
_LOST_IN_CELLS = ("ul", "ol", "dl", "section", "article", "figure", "label", "fieldset", "address", "time")
_SHOWS_NOTHING = ("script", "style", "noscript", "template", "textarea", "select", "button")
_FOLDED = re.compile(r"display:\s*none", re.IGNORECASE)
_BLOCKS = ("p", "div", "li", "dt", "dd", "tr", "td", "th", "option", "h1", "h2", "h3", "h4", "h5", "h6")
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_SIGN, _LETTER = re.compile(r"[^\W_]"), re.compile(r"[^\W\d_]")
REFUSING = frozenset({401, 402, 403, 407, 429, 451})
"""HTTP statuses by which a site refuses to show a page."""
REFUSES = "The page is short and asks for a password."
_FRAME = frozenset({"header", "footer", "nav", "aside", "dialog"})
NO_CONTENT = "The page holds next to no text of its own, only navigation or what scripts would fill in."


def read_web_page(fetched: Fetched) -> WebPage:
    """The page's text as markdown. The state says why a page has none.

    "no_content" = next to no text for a page of its size; "blocked" = a login or HTTP 401, 402, 403, 407, 429, 451;
    "not_found" = no such page or host; "error" = any other failure.
    """
    if fetched.state != "ok":
        return _unread(fetched, fetched.state)
    if fetched.status is not None and fetched.status >= 400:
        return _unread(fetched, "blocked" if fetched.status in REFUSING else "error")
    markup = _decoded(fetched)
    if fetched.content_type.startswith("text/plain"):
        text = clean_text(markup)
        if not _LETTER.search(text):
            return _unread(fetched, "no_content", problem=NO_CONTENT)
        return WebPage(fetched.url, "", text, "ok")
    root, is_cut = _parsed(markup)
    if root is None:
        return _unread(fetched, "no_content", problem=NO_CONTENT)
    url = fetched.final_url or fetched.url
    title = clean_line(_text_of(root, "title") or _text_of(root, "h1"), LONGEST_TITLE)
    needed = min(MOST_SIGNS, len(markup) // MARKUP_OF_SIGN)
    # Trafilatura takes parts out of the tree that it reads.
    content, date = _content(deepcopy(root), url, fast=is_cut)
    text = clean_text(f"{content}\n\n{CUT}" if is_cut and content else content)
    # At least one letter: figures alone are no text.
    if len(_SIGN.findall(text[: 10 * MOST_SIGNS])) < needed or not _LETTER.search(text):
        return _unread(fetched, "no_content", title, date, NO_CONTENT)
    if len(text) <= LONGEST_REFUSAL and _asks_for_password(root):
        return _unread(fetched, "blocked", title, date, REFUSES)
    return WebPage(fetched.url, title, text, "ok", date)


def _asks_for_password(root: HtmlElement) -> bool:
    """True if a field for a password is a part of the page's content: not beside it, and not waiting for a click."""
    fields = (field for field in root.iter("input") if field.get("type", "").casefold() == "password")
    return any(not any(map(_is_frame, field.iterancestors())) for field in fields)


def _is_frame(element: HtmlElement) -> bool:
    return element.tag in _FRAME or element.get("role") == "dialog" or element.get("aria-hidden") == "true"


def _unread(
    fetched: Fetched, state: SourceState, title: str = "", date: str | None = None, problem: str | None = None
) -> WebPage:
    return WebPage(fetched.url, title, text="", state=state, date=date, problem=problem or fetched.problem)


_TEXTS = ("text/plain", "text/markdown", "text/x-markdown")
_MARKUPS = ("text/html", "application/xhtml+xml")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]|^(?:%PDF|RIFF|\xff\xd8\xff)")
# Codecs of the web. Python's others turn bytes into text in ways that no browser does (utf-7, punycode,
# unicode_escape …), some of them slowly.
_CODECS = re.compile(
    r"ascii|utf-8|utf-16(?:-[lb]e)?|iso8859-\d+|cp125\d|cp874|cp866|cp932|cp949|koi8-[ru]|mac-(?:roman|cyrillic)|tis-620"
    r"|shift_jis|euc_(?:jp|kr)|iso2022_jp|gb2312|gbk|gb18030|big5(?:hkscs)?|latin-?1"
)


def text_kind(content_type: str, body: bytes) -> tuple[str, str | None]:
    """("text/html" or "text/plain", codec or None) of a body by its header. Raises Empty if the body is not text."""
    if not body.strip():
        raise Empty("The page is empty.")
    header = Message()
    header["content-type"] = content_type
    # Without a header, Message would say text/plain.
    declared = header.get_content_type() if "/" in content_type else ""
    if declared and declared not in (*_TEXTS, *_MARKUPS):
        raise Empty(f"It is {declared[:60]}, not a page of text.")
    mark = next((codec for mark, codec in _MARKS if body.startswith(mark)), None)
    codec = mark or codec_name(header.get_param("charset"))
    if not (codec or "").startswith("utf-16") and _BINARY.search(body[:1024]):
        raise Empty("It calls itself text and is something else.")
    is_markup = declared in _MARKUPS or (not declared and body.lstrip().startswith(b"<"))
    return _MARKUPS[0] if is_markup else _TEXTS[0], codec


def codec_name(charset: object) -> str | None:
    """Python's name of a web charset; None for any other."""
    try:
        name = codecs.lookup(str(charset).strip("\"' ")).name
    except (LookupError, ValueError):
        return None
    # Latin 1 and ASCII are read as Windows 1252, as browsers do.
    if name in ("iso8859-1", "ascii"):
        return "cp1252"
    return name if _CODECS.fullmatch(name) else None


def _decoded(fetched: Fetched) -> str:
    """The body as text, by the header's encoding, UTF-8, or the page's own declaration; unfit bytes become �."""
    charset = _META_CHARSET.search(fetched.body[:4096])
    for codec in filter(None, (fetched.charset, "utf-8", charset and codec_name(charset[1].decode("ascii")))):
        try:
            return fetched.body.decode(codec)
        except UnicodeDecodeError:
            continue
    return fetched.body.decode("utf-8" if charset is None else "cp1252", "replace")


def _parsed(markup: str) -> tuple[HtmlElement | None, bool]:
    """The tree, and whether it is only the beginning of a page; None if there is nothing to read, or a hostile tag."""
    from trafilatura.utils import load_html

    if len(markup) > LONGEST_MARKUP:
        *scripts, rest = markup.split("</script>")
        markup = "".join([script.partition("<script")[0] for script in scripts] + [rest])
    markup, more = markup[:LONGEST_MARKUP], markup[LONGEST_MARKUP:]
    tags = (tag[0] for tag in _TAG.finditer(markup) if len(tag[0]) > MOST_ATTRIBUTES)
    if any(_QUOTED.sub("", tag).count("=") > MOST_ATTRIBUTES for tag in tags):
        return None, False
    # They warn about pages without text, which would be printed on the user's screen.
    for name in ("trafilatura", "htmldate"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    root = load_html(markup.replace("\0", ""))
    if root is None:
        return None, False
    last = next(islice(root.iter(), MOST_ELEMENTS, None), None)
    if last is not None:
        for element in (last, *last.iterancestors()):
            for behind in [*element.itersiblings()]:
                element.getparent().remove(behind)
        last.getparent().remove(last)
    _show_lost_parts(root)
    return root, last is not None or bool(more)


def _show_lost_parts(root: HtmlElement) -> None:
    """Turns what visitors see and trafilatura leaves out into what it reads: times, captions, lists in cells."""
    for time in root.iter("time"):
        time.tag = "span"
    for caption in root.iter("figcaption"):
        figure = caption.getparent()
        if figure is not None and figure.tag == "figure":
            figure.tag, caption.tag = "div", "p"
    for cell in root.iter("td", "th"):
        # A table is written out with as many cells as its spans say.
        cell.attrib.pop("colspan", None)
        cell.attrib.pop("rowspan", None)
        if next(cell.iter(*_LOST_IN_CELLS), None) is None or next(cell.iter("table"), None) is not None:
            continue
        shown = " ".join(_shown_texts(cell)).split()
        if sum(map(len, shown)) <= LONGEST_CELL:
            for child in [*cell]:
                cell.remove(child)
            cell.text = " ".join(shown).replace(" ,", ",").strip(" ,")


def _shown_texts(element: HtmlElement) -> Iterator[str]:
    yield element.text or ""
    for child in element.iterchildren("*"):
        is_hidden = child.tag in _SHOWS_NOTHING or "hidden" in child.attrib or _FOLDED.search(child.get("style", ""))
        yield "," if child.tag == "li" and child.getprevious() is not None else ""
        yield from [] if is_hidden else _shown_texts(child)
        yield child.tail or ""


def _text_of(root: HtmlElement, *tags: str) -> str:
    return next((text for element in root.iter(*tags) if (text := str(element.text_content()).strip())), "")


def _content(root: HtmlElement, url: str, *, fast: bool) -> tuple[str, str | None]:
    """The text and the day of an article. Of other pages, trafilatura dates many by what they show, such as a game."""
    import trafilatura
    from trafilatura.metadata import extract_metadata

    try:
        # Without links, which cost more words than they bring (benchmarks/pages.py --options).
        text = trafilatura.extract(
            root,
            url=url,
            fast=fast or next(islice(root.iter(*_BLOCKS), MOST_BLOCKS, None), None) is not None,
            output_format="markdown",
            include_comments=False,
            prune_xpath=UNSEEN,
        )
        about = extract_metadata(root, url, {"extensive_search": False, "original_date": False})
        return text or "", iso_day(about.date) if about.pagetype == "article" else None
    # A hostile page meets a parser that is not ours, which may raise anything.
    except Exception:  # noqa: BLE001
        return "", None
