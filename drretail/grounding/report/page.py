"""What of a report a browser shows. All texts of a page are as long as the report: what they leave out is spaces.

Whether a browser shows an element with ``style``, or one that needs a script or a click, cannot be told from the text:
it is not read, with its content, and counted (``Page.unread``). What only looks like a tag, such as ``<brand name>``,
hides itself and nothing behind it. Struck text stands on the page, and is not said.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

Spans = tuple[tuple[int, int], ...]
"""Starts and ends in the report."""
_UNREAD = re.compile(
    r"<(?P<name>(?:script|style|template|title|noscript|noframes|iframe|object|embed|audio|video|canvas|svg|math|select"
    r"|datalist|dialog|rp|font)(?=[\s/>])|[a-z]\w{0,20}(?=\s(?:[^<>]{0,500}?\s)?(?:style|hidden)[\s=/>]))[^<>]{0,2000}>"
    r".{0,5000}?(?:</(?P=name)\s*>|\n\n|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""Up to the end of a paragraph if it is never closed."""
_TAG = re.compile(
    r"(?<!\\)(?P<comment><!--.{0,20000}?--!?>|(?:(?<=\n)|\A)<!--.*\Z|<[!?][^>\n]*>|</(?![A-Za-z])[^>\n]*>)"
    r"|(?<!\\)<(?P<close>/?)(?P<name>[A-Za-z][\w-]*)(?=[\s/>])"
    r"(?P<rest>(?:[^<>\"'\n]|\n(?![ \t]*\n)|\"[^\"\n]*\"|'[^'\n]*'){0,2000}+)>",
    re.DOTALL,
)
_HREF = re.compile(r"""href\s*=\s*(?:"[^"\s]*"|'[^'\s]*'|[^\s"'>]+)""", re.IGNORECASE)
_STRUCK = re.compile(r"~~(?=\S)[^~]{1,500}?(?<=\S)~~|<(?P<tag>s|del|strike)>[^<]{1,500}</(?P=tag)>", re.IGNORECASE)
_FENCE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?P<sign>`{3,}|~{3,})[ \t]*(?P<info>[^`\r\n]*)\r?$", re.MULTILINE
)
_CODE = re.compile(r"(?<![`\\])(?:`[^`\n]+`|(`{2,3})(?!`)[^\n]{1,200}?(?<!`)\1)(?!`)")
_CODE_TAG = re.compile(r"<(?P<tag>code|pre|kbd|samp|tt)>[^<]{0,2000}</(?P=tag)>", re.IGNORECASE)
_ONLY_MARKS = re.compile(r"`\s*(?:[\[【](?:\^?\d|[POUWCF]:)[^\[\]【】\n]{0,200}[\]】][\s,;]*)+`")
"""Some models write their marks as code."""
_SIGNS_OF_CODE = re.compile(r"`+|^[ \t>]*~{3,}.*", re.MULTILINE)
_IMAGE = re.compile(
    r"!\[([^\[\]\n]{0,500})\](?:\[[^\[\]\n]{0,80}\]|\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,20}\))"
)
_DEFINITION = re.compile(
    r"^[ \t>]*\[(?!\^)[^\[\]\n]+\]:[ \t]*(?:\n[ \t]*)?(?P<to><[^<>\n]*>|\S++)"
    r"(?:[ \t\r]*\n?[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t\r]*$",
    re.MULTILINE,
)
_SOURCE = re.compile(r"<?(?:https?://|www\.|[POUWCF]:\w)", re.IGNORECASE)
_STOPS = r"\s<>\"`\[\]{}|\\^，。；：、！？…（）【】［］〔〕《》〈〉「」『』“”‘’()"
IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_IN_URL = {True: re.compile(rf"[^{_STOPS}]*"), False: re.compile(rf"[^{_STOPS}{IDEOGRAPHS}]*")}
"""In running text, an ideograph ends the URL; in links and lists it may be part of one."""


def lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every line, without its newline."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, end
        start = end + 1
    yield start, len(text)


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
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
    unread: Spans
    """Elements that may be hidden, with their content."""
    unsaid: Spans
    """What no browser shows (comments, attributes, titles of definitions), the unread elements, and what is struck."""
    code: Spans
    images: Spans


@lru_cache(maxsize=16)  # marks, lists, sentences and layout of a report start from the same
def read_page(report: str) -> Page:
    """The page that a browser makes of a report."""
    fences, frame = _fences(report)
    source = blanked(report, (*fences, *frame))
    inline = (*_CODE.finditer(source), *_CODE_TAG.finditer(source))
    inline = (code.span() for code in inline if not _ONLY_MARKS.fullmatch(code[0]))
    code = sorted([*fences, *inline])
    tags = list(_TAG.finditer(blanked(source, code)))
    unread = tuple(element.span() for element in _UNREAD.finditer(blanked(source, code)))
    hidden = [*_defining(source), *unread, *(span for tag in tags for span in _hidden_in(tag))]
    shown = blanked(report, hidden)
    struck = [struck.span() for struck in _STRUCK.finditer(blanked(shown, code))]
    images = list(_IMAGE.finditer(shown))
    signs = [sign.span() for span in code for sign in _SIGNS_OF_CODE.finditer(report, *span)]
    signs += [span for image in images for span in ((image.start(), image.start(1)), (image.end(1), image.end()))]
    words = blanked(shown, (*signs, *struck, *frame, *(tag.span() for tag in tags)))
    image_spans = tuple(image.span() for image in images)
    return Page(
        shown=shown,
        prose=blanked(shown, (*code, *image_spans, *struck, *frame)),
        words=words,
        unread=unread,
        unsaid=(*hidden, *struck),
        code=tuple(code),
        images=image_spans,
    )


def _fences(text: str) -> tuple[list[tuple[int, int]], Spans]:
    """The blocks of code, and the lines of fences that frame a report, as models wrap whole reports in "```markdown";
    a fence that is never closed swallows no report.
    """
    code: list[tuple[int, int]] = []
    frame: list[tuple[int, int]] = []
    opened: list[re.Match[str]] = []
    for fence in _FENCE.finditer(text):
        is_frame = bool(opened) and opened[-1]["info"].strip().casefold() in ("markdown", "md")
        if opened and fence["sign"].startswith(opened[-1]["sign"]) and not fence["info"]:
            begin = opened.pop()
            frame += [begin.span(), (fence.start(), fence.end("sign"))] if is_frame else []
            code += [] if is_frame else [(begin.start(), fence.end("sign"))]
        elif is_frame or not opened:
            opened.append(fence)
    return code, tuple(sorted([*frame, *(fence.span() for fence in opened)]))


def _defining(text: str) -> Iterator[tuple[int, int]]:
    """The definitions of links, which no browser shows; of one that lists a source, only its title."""
    for line in _DEFINITION.finditer(text):
        yield line.end("to") if _SOURCE.match(line["to"]) else line.start(), line.end()


def _hidden_in(tag: re.Match[str]) -> Iterator[tuple[int, int]]:
    """A comment whole; of a tag everything but its name and its address."""
    start, end = tag.span() if tag["comment"] else tag.span("rest")
    if address := None if tag["comment"] else _HREF.search(tag.string, start, end):
        yield start, address.start()
        start = address.end()
    yield start, end
