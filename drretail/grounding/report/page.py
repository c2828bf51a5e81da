"""What of a report a browser shows, and what its lines are. All texts of a page are as long as the report: what they
leave out is spaces.

Whether a browser shows an element with ``style``, or one that needs a script or a click, cannot be told from the text:
it is not read, with its content, and counted (``Page.unread``). What only looks like a tag, such as ``<brand name>``,
hides itself and nothing behind it. Struck text stands on the page, and is not said.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Span = tuple[int, int]
LineKind = Literal["blank", "rule", "row", "heading", "item", "text"]
IMAGE = (
    r"!\[(?P<image>[^\[\]\n]{0,500})\]"
    r"(?:\[[^\[\]\n]{0,80}\]|\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,20}\))"
)
_PART = re.compile(
    r"(?<!\\)(?P<comment><!--.{0,20000}?--!?>|^<!--.*\Z|<[!?][^>\n]*>|</(?![a-z])[^>\n]*>)"
    r"|(?<![`\\])(?P<code>`[^`\n]+`(?!`)|(?P<ticks>`{2,3})(?!`)[^\n]{1,200}?(?<!`)(?P=ticks)(?!`)"
    r"|<(?P<name>code|pre|kbd|samp|tt)>[^<]{0,2000}</(?P=name)>)"
    # Up to the end of a paragraph if it is never closed.
    r"|(?<!\\)(?P<unread><(?P<of>(?:script|style|template|title|noscript|noframes|iframe|object|embed|audio|video|canvas"
    r"|svg|math|select|datalist|dialog|rp|font)(?=[\s/>])|[a-z]\w{0,20}(?=\s(?:[^<>]{0,500}?\s)?(?:style|hidden)[\s=/>]))"
    r"[^<>]{0,2000}>.{0,5000}?(?:</(?P=of)\s*>|\n\n|\Z))"
    r"|(?P<struck>~~(?=\S)[^~]{1,500}?(?<=\S)~~|<(?P<gone>s|del|strike)>[^<]{1,500}</(?P=gone)>)"
    r"|(?<!\\)</?[a-z][\w-]*(?=[\s/>])(?P<tag>(?:[^<>\"'\n]|\n(?![ \t]*\n)|\"[^\"\n]*\"|'[^'\n]*'){0,2000}+)>"
    # The definition of a link.
    r"|^[ \t>]*\[(?!\^)[^\[\]\n]+\]:[ \t]*(?:\n[ \t]*)?(?P<target><[^<>\n]*>|\S++)"
    r"(?:[ \t\r]*\n?[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t\r]*$"
    rf"|{IMAGE}",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_HREF = re.compile(r"""href\s*=\s*(?:"[^"\s]*"|'[^'\s]*'|[^\s"'>]+)""", re.IGNORECASE)
_FENCE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?P<sign>`{3,}|~{3,})[ \t]*(?P<info>[^`\r\n]*)\r?$", re.MULTILINE
)
_ONLY_MARKS = re.compile(r"`\s*(?:[\[【](?:\^?\d|[POUWCF]:)[^\[\]【】\n]{0,200}[\]】][\s,;]*)+`")
"""Some models write their marks as code."""
_SIGNS_OF_CODE = re.compile(r"`+|^[ \t>]*~{3,}.*", re.MULTILINE)
_SOURCE = re.compile(r"<?(?:https?://|www\.|[POUWCF]:\w)", re.IGNORECASE)
_RULE = re.compile(
    r"[ \t>]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|?)++$|[ \t]*+(?:[-*_][ \t]*+){3,}+$|\s*(?:<(?!https?:)[^<>]*+>\s*+)++$"
)
HEADING = re.compile(
    r"[ \t>]*(?P<level>#{1,6})[ \t]+\S|[ \t]*(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__)[ \t]*[:：]?[ \t]*$", re.MULTILINE
)
ITEM = re.compile(r"[ \t>]*(?:[-*+•–—]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_STOPS = r"\s<>\"`\[\]{}|\\^，。；：、！？…（）【】［］〔〕《》〈〉「」『』“”‘’()"
IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_IN_URL = {True: re.compile(rf"[^{_STOPS}]*"), False: re.compile(rf"[^{_STOPS}{IDEOGRAPHS}]*")}
"""In running text, an ideograph ends the URL; in links and lists it may be part of one."""


def lines(text: str) -> Iterator[Span]:
    """Start and end of every line, without its newline."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, end
        start = end + 1
    yield start, len(text)


def line_kind(line: str) -> LineKind:
    """What a line is; one of nothing but tags is a rule, too."""
    if not line.strip():
        return "blank"
    if _RULE.match(line):
        return "rule"
    if line.strip()[0] == line.rstrip()[-1] == "|":
        return "row"
    return "heading" if HEADING.match(line) else "item" if ITEM.match(line) else "text"


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with the spans, in any order, overwritten by spaces; newlines stay."""
    parts: list[str] = []
    position = 0
    for start, end in sorted(spans):
        if end > position:
            parts += [text[position:start], re.sub(r"[^\n]", " ", text[max(start, position) : end])]
            position = end
    return "".join([*parts, text[position:]])


def url_end(text: str, start: int, *, wide: bool = False) -> int:
    """The end of the URL that begins at ``start``, without the punctuation around it; its brackets balance."""
    position, depth = start, 0
    while (run := _IN_URL[wide].match(text, position)) is not None:
        position = run.end()
        bracket = text[position : position + 1]
        if bracket != "(" and not (bracket == ")" and depth):
            break
        depth += 1 if bracket == "(" else -1
        position += 1
    return start + len(text[start:position].rstrip("?!.,:;*_~'("))


@dataclass(frozen=True)
class Page:
    """A report as a browser shows it."""

    shown: str
    """As it is written, without what is hidden or unread."""
    prose: str
    """What is shown and said, as it is written, without code and images."""
    words: str
    """The words that are shown and said, also those of code and images, without the signs and tags around them."""
    unread: list[Span]
    """Elements that may be hidden, with their content."""


@lru_cache(maxsize=16)  # marks, lists, sentences and layout of a report start from the same
def read_page(report: str) -> Page:
    """The page that a browser makes of a report."""
    code, signs = _fences(report)
    unsaid, hidden, unread = [*signs], list[Span](), list[Span]()
    for part in _PART.finditer(blanked(report, (*code, *signs))):
        kind, span = part.lastgroup, part.span()
        if kind == "code":
            code += [] if _ONLY_MARKS.fullmatch(part[0]) else [span]
        elif kind == "struck":
            unsaid.append(span)
            signs.append(span)
        elif kind == "tag":  # only its name and its address are shown
            address = _HREF.search(part.string, *part.span("tag"))
            hidden += [(part.start("tag"), address.start() if address else part.end("tag"))]
            hidden += [(address.end(), part.end("tag"))] if address else []
            signs.append(span)
        elif kind == "target":  # of a definition that lists a source, only the title is hidden
            hidden.append((part.end("target") if _SOURCE.match(part["target"]) else part.start(), part.end()))
        elif kind == "image":
            unsaid.append(span)
            signs += [(part.start(), part.start("image")), (part.end("image"), part.end())]
        else:
            hidden.append(span)
            unread += [span] if kind == "unread" else []
    shown = blanked(report, hidden)
    signs += [sign.span() for span in code for sign in _SIGNS_OF_CODE.finditer(report, *span)]
    return Page(
        shown=shown,
        prose=blanked(shown, (*unsaid, *code)),
        words=blanked(shown, signs),
        unread=unread,
    )


def _fences(text: str) -> tuple[list[Span], list[Span]]:
    """The blocks of code, and the lines of fences that frame a report, as models wrap whole reports in "```markdown";
    a fence that is never closed swallows no report.
    """
    code: list[Span] = []
    frame: list[Span] = []
    opened: list[re.Match[str]] = []
    for fence in _FENCE.finditer(text):
        is_frame = bool(opened) and opened[-1]["info"].strip().casefold() in ("markdown", "md")
        if opened and fence["sign"].startswith(opened[-1]["sign"]) and not fence["info"]:
            begin = opened.pop()
            frame += [begin.span(), fence.span()] if is_frame else []
            code += [] if is_frame else [(begin.start(), fence.end("sign"))]
        elif is_frame or not opened:
            opened.append(fence)
    return code, [*frame, *(fence.span() for fence in opened)]
