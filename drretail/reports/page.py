"""What of a report a browser shows, and what its lines are. All texts of a page are as long as the report: what they
leave out is spaces.

Whether a browser shows an element with ``style`` or ``hidden``, or in which color, cannot be told from the text: it is
not read, with its content. What only looks like a tag, such as ``<brand name>``, hides itself and nothing behind it.
Struck text stands on the page, and is not said.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Span = tuple[int, int]
LineKind = Literal["blank", "rule", "row", "heading", "item", "text"]
IMAGE = r"(?P<image>!\[[^\[\]\n]{0,500}\](?:\[[^\[\]\n]{0,80}\]|\((?>(?:[^()\n]++|\([^()\n]*+\))*)\)))"
# Groups repeat in (?>(…)*), never in (…)*+: before 3.11.5, Python reads on from where a failed repetition ended.
_PART = re.compile(
    r"(?P<comment><!--(?>(?:(?!<!--|-->).)*)-->)"
    r"|(?<![`\\])(?P<code>(?P<ticks>`{1,3})(?!`)[^\n]{1,1000}?(?<!`)(?P=ticks)(?!`))"
    # Up to the end of a paragraph if it is never closed.
    r"|(?P<unread><(?P<of>(?:script|style|template|title|noscript|datalist|dialog|font)\b"
    r"|[a-z]\w*+(?=[^<>\n]*?\s(?:style|hidden)[\s=/>]))[^<>\n]*>.{0,5000}?(?:</(?P=of)\s*>|\n\n|\Z))"
    rf"|(?P<struck>~~(?=\S)[^~]{{1,500}}(?<=\S)~~|<(?P<gone>s|del|strike)>[^<]{{1,500}}</(?P=gone)>)|{IMAGE}"
    r"|<[/!]?[a-z][\w-]*(?=[\s/>])(?P<tag>[^<>\n]*)>",
    re.IGNORECASE | re.DOTALL,
)
_FENCE = re.compile(
    r"^[ \t>*+\d.)-]*(?P<sign>`{3,})[ \t]*(?P<info>(?P<frame>(?:markdown|md)\b)?[^`\s]*)[^`\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ONLY_MARKS = re.compile(r"`\s*(?:[\[【](?:\^?\d|[POUWCF]:)[^\[\]【】\n]{0,200}[\]】][\s,;]*)+`")
"""Some models write their marks as code."""
_RULE = re.compile(
    r"[ \t>]*+\|?(?>(?:[ \t]*+:?-{2,}+:?[ \t]*+\|?)+)$"
    r"|[ \t]*+(?>(?:[-*_][ \t]*+){3,})$|\s*(?>(?:<(?!https?:)[^<>]*+>\s*+)+)$"
)
HEADING = re.compile(
    r"[ \t>]*(?P<level>#{1,6})[ \t]+\S|[ \t]*(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__)[ \t]*[:：]?[ \t]*$", re.MULTILINE
)
ITEM = re.compile(r"[ \t>]*(?:[-*+•–—]|(?:\*\*|__)?\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_STOPS = r"\s<>\"`\[\]{}|\\^，。；：、！？…（）【】［］〔〕《》〈〉「」『』“”‘’()"
_IN_WIDE_URL = f"[^{_STOPS}]"
_IN_URL = f"[^{_STOPS}\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""In running text, an ideograph ends the URL; in links and lists it may be part of one."""
_WIDE_URL, _URL = (re.compile(rf"{sign}*+(?>(?:\({sign}*+\){sign}*+)*)") for sign in (_IN_WIDE_URL, _IN_URL))


def lines(text: str) -> list[Span]:
    """Start and end of every line, without its newline."""
    return [line.span() for line in re.finditer(r"^.*$", text, re.MULTILINE)]


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
    characters = list(text)
    for start, end in spans:
        characters[start:end] = re.sub(r"[^\n]", " ", text[start:end])
    return "".join(characters)


def url_end(text: str, start: int, *, wide: bool = False) -> int:
    """The end of the URL that begins at ``start``, without the punctuation around it; its brackets are pairs."""
    url = (_WIDE_URL if wide else _URL).match(text, start)
    return start + len(url[0].rstrip("?!.,:;*_~'")) if url else start


@dataclass(frozen=True)
class Page:
    """A report as a browser shows it."""

    shown: str
    """As it is written, without what is hidden or unread."""
    prose: str
    """What is shown and said, as it is written, without code and images."""
    words: str
    """The words that are shown and said, also those of code, without the signs and tags around them."""
    has_unread: bool
    """True if elements are left out that a browser may show."""


@lru_cache(maxsize=16)  # marks, lists, sentences and layout of a report start from the same
def read_page(report: str) -> Page:
    """The page that a browser makes of a report."""
    unsaid, signs = _fences(report)
    hidden, has_unread = list[Span](), False
    for part in _PART.finditer(blanked(report, (*unsaid, *signs))):
        kind, span = part.lastgroup, part.span()
        if kind == "tag":  # only its name and its address are shown
            hidden += [] if "href" in part["tag"] else [part.span("tag")]
        elif kind in ("code", "struck", "image"):
            unsaid += [] if _ONLY_MARKS.fullmatch(part[0]) else [span]
        else:
            hidden.append(span)
            has_unread |= kind == "unread"
        signs += [span] if kind in ("tag", "struck", "image") else []
    shown = blanked(report, hidden)
    return Page(shown, blanked(shown, unsaid), blanked(shown, signs).replace("`", " "), has_unread)


def _fences(text: str) -> tuple[list[Span], list[Span]]:
    """The blocks of code, and the lines of fences that hold a whole report ("```markdown") or are never closed."""
    code, signs, opened = list[Span](), list[Span](), list[re.Match[str]]()
    for fence in _FENCE.finditer(text):
        if opened and fence["sign"].startswith(opened[-1]["sign"]) and not fence["info"]:
            begin = opened.pop()
            signs += [begin.span(), fence.span()] if begin["frame"] else []
            code += [] if begin["frame"] else [(begin.start(), fence.end())]
        elif not opened or opened[-1]["frame"]:
            opened.append(fence)
    return code, [*signs, *(fence.span() for fence in opened)]
