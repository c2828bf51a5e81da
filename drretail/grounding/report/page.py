"""What of a report a browser shows. All texts of a page are as long as the report: what they leave out is spaces.

markdown-it finds the blocks. Whether a browser shows an element with ``style``, or one that needs a script or a click,
cannot be told from the text: it is not read, with its content, and counted (``Page.unread``). What only looks like a
tag, such as ``<brand name>``, hides itself and nothing behind it. Struck text stands on the page, and is not said.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

Spans = tuple[tuple[int, int], ...]
"""Starts and ends in the report."""
_NAMES = re.compile(r"\w+")
_UNREAD = frozenset(
    _NAMES.findall(
        "script style template title noscript noframes iframe object embed audio video canvas svg math select datalist"
        " dialog rp font img input meta link base textarea"
    )
)
_VOID = frozenset(_NAMES.findall("area base br col embed hr img input link meta source track wbr"))
_HIDING = re.compile(r"\s(?:style|hidden)(?=[\s=/]|$)", re.IGNORECASE)
_TAG = re.compile(
    r"(?<!\\)(?P<comment><!--.{0,20000}?--!?>|(?:(?<=\n)|\A)<!--.*\Z|<[!?][^>\n]*>|</(?![A-Za-z])[^>\n]*>)"
    r"|(?<!\\)<(?P<close>/?)(?P<name>[A-Za-z][\w-]*)(?=[\s/>])"
    r"(?P<rest>(?:[^<>\"'\n]|\n(?![ \t]*\n)|\"[^\"\n]*\"|'[^'\n]*'){0,2000}+)>",
    re.DOTALL,
)
_HREF = re.compile(r"""href\s*=\s*(?:"[^"\s]*"|'[^'\s]*'|[^\s"'>]+)""", re.IGNORECASE)
_STRUCK = re.compile(r"~~(?=\S)[^~]{1,500}?(?<=\S)~~|<(?P<tag>s|del|strike)>[^<]{1,500}</(?P=tag)>", re.IGNORECASE)
_CODE = re.compile(r"(?<![`\\])(?:`[^`\n]+`|``(?!`)[^\n]{1,200}?(?<!`)``)(?!`)")
_ONLY_MARKS = re.compile(r"`\s*(?:[\[【](?:\^?\d|[POUWCF]:)[^\[\]【】\n]{0,200}[\]】][\s,;]*)+`")
"""Some models write their marks as code."""
_SIGNS_OF_CODE = re.compile(r"`+|^[ \t>]*~{3,}.*", re.MULTILINE)
_BEHIND_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})(?P<marks>[ \t]*[\[【(].*)$", re.MULTILINE)
"""Models put marks behind the end of a block of code, which in Markdown would then go on."""
_FRAMES = frozenset({"markdown", "md"})
"""Models wrap whole reports in a fence of this kind; what is inside is the report."""
_MOST_FRAMES = 8
_IMAGE = re.compile(r"!\[(?P<words>[^\[\]\n]{0,500})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,20}\)")
_DEFINITION = re.compile(r"\[[^\[\]\s]*\]:\s*(?:<?https?://[^\s<>]*>?|[POUWCF]:[\w:@-]+)", re.IGNORECASE)
_BAR = re.compile(r"(?<!\\)\|")
_BLOCK_TAG = re.compile(
    r"<(?P<name>/?(?:li|[uo]l|p|div|tr|t[dh]|table|thead|tbody|h[1-6]|section|article|br))\b[^<>]{0,200}>",
    re.IGNORECASE,
)
_AS_MARKDOWN = {
    "tr": "\n",
    "/tr": "|\n",
    "td": "|",
    "th": "|",
    "/td": " ",
    "/th": " ",
    "br": "\n",
    "/li": "\n",
    "li": "\n- ",
}
_EMPHASIS = re.compile(r"(?<![^\W_])_{1,3}(?=[$€£¥₹\d])|(?<=[$€£¥₹\d%])_{1,3}(?![^\W_])")
"""Beside figures; other underscores are letters of a name."""
_STOPS = r"\s<>\"`\[\]{}|\\^，。；：、！？…（）【】［］〔〕《》〈〉「」『』“”‘’()"
_WIDE = re.compile(rf"[^{_STOPS}]*")
# In running text, an ideograph ends the URL; in links and lists it may be part of one.
_NARROW = re.compile(rf"[^{_STOPS}\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]*")


class Span(Protocol):
    """``text[start:end]``."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def meet(one: Span, other: Span) -> bool:
    """True for two places of a text that overlap."""
    return one.start < other.end and other.start < one.end


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
    pattern = _WIDE if wide else _NARROW
    position, depth = start, 0
    while (run := pattern.match(text, position)) is not None:
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

    report: str
    hidden: Spans
    """What no browser shows: comments, attributes, titles of definitions, cells beyond the head of a table."""
    unread: Spans
    """Elements that may be hidden, with their content."""
    code: Spans
    """Blocks and inline code."""
    tags: Spans
    frame: Spans
    """The lines of a fence around the report."""

    @cached_property
    def shown(self) -> str:
        """The report as it is written, without what is hidden or unread."""
        return blanked(self.report, (*self.hidden, *self.unread))

    @cached_property
    def images(self) -> list[re.Match[str]]:
        return list(_IMAGE.finditer(self.shown))

    @cached_property
    def struck(self) -> Spans:
        """What is struck out."""
        return tuple(struck.span() for struck in _STRUCK.finditer(blanked(self.shown, self.code)))

    @cached_property
    def prose(self) -> str:
        """What is shown and said, as it is written, without code and images."""
        images = (image.span() for image in self.images)
        return _in_lines(blanked(self.shown, (*self.code, *images, *self.struck, *self.frame)))

    @cached_property
    def unframed(self) -> str:
        """What is shown and said, with the words of code and of images: only the signs around them are left out."""
        signs = [sign.span() for span in self.code for sign in _SIGNS_OF_CODE.finditer(self.report, *span)]
        for image in self.images:
            signs += [(image.start(), image.start("words")), (image.end("words"), image.end())]
        return blanked(self.shown, (*signs, *self.struck, *self.frame))

    @cached_property
    def words(self) -> str:
        """The words that are shown and said, without the signs and tags that mark them."""
        return _EMPHASIS.sub(lambda sign: " " * len(sign[0]), blanked(_in_lines(self.unframed), self.tags))

    @cached_property
    def unread_words(self) -> str:
        """The words of what may be hidden; all else is spaces."""
        edges = [0, *(edge for span in self.unread for edge in span), len(self.report)]
        return blanked(self.report, [*zip(edges[::2], edges[1::2], strict=True), *self.tags])


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["code", "inline"])


@lru_cache(maxsize=16)  # marks, lists, sentences and layout of a report start from the same
def read_page(report: str) -> Page:
    """The page that a browser makes of a report."""
    text = report.replace("\r\n", " \n").replace("\r", "\n").replace("\0", "\ufffd")
    text = blanked(text, (fence.span("marks") for fence in _BEHIND_FENCE.finditer(text)))
    blocks, frame = _Blocks(text), list[tuple[int, int]]()
    while blocks.frame and len(frame) < _MOST_FRAMES:
        frame += blocks.frame
        text = blanked(text, blocks.frame)
        blocks = _Blocks(text)
    source = blanked(report, (*frame, *blocks.code))
    inline = _CODE.finditer(blanked(source, blocks.html))
    code = sorted([*blocks.code, *(each.span() for each in inline if not _ONLY_MARKS.fullmatch(each[0]))])
    tags = list(_TAG.finditer(blanked(source, code)))
    hidden = (*blocks.hidden, *(span for tag in tags for span in _hidden_in(tag)))
    spans = tuple(tag.span() for tag in tags)
    return Page(report, hidden, tuple(_unread(source, tags)), tuple(code), spans, tuple(frame))


class _Blocks:
    """The blocks of code and HTML in a text, the lines of fences that frame it, and what Markdown leaves out."""

    def __init__(self, text: str) -> None:
        environment: dict[str, Any] = {}
        self._text, self._lines = text, list(lines(text))
        self.frame: list[tuple[int, int]] = []
        self.code: list[tuple[int, int]] = []
        self.html: list[tuple[int, int]] = []
        self.hidden: list[tuple[int, int]] = []
        cells, row = 0, (0, 0)
        for token in _parser().parse(text, environment):
            if token.type == "tr_open" and token.map:
                cells, row = 0, self._lines[token.map[0]]
            elif token.type == "tr_close":
                self.hidden += self._beyond(cells, *row)
            elif token.type == "html_block" and token.map:
                self.html.append((self._lines[token.map[0]][0], self._lines[token.map[1] - 1][1]))
            elif token.type == "fence" and token.map:
                self._fence(token.markup, token.info, self._lines[token.map[0]], self._lines[token.map[1] - 1])
            cells += token.type in ("td_open", "th_open")
        for defined in (*environment.get("references", {}).values(), *environment.get("duplicate_refs", ())):
            first, stop = defined["map"]
            end = self._lines[stop - 1][1]
            start = text.find("[", self._lines[first][0], end)
            source = _DEFINITION.match(text, start, end)  # a definition that lists a source is part of the report
            self.hidden.append((source.end() if source else start, end))

    def _fence(self, markup: str, info: str, first: tuple[int, int], last: tuple[int, int]) -> None:
        is_closed = last > first and self._text[slice(*last)].strip("> \t").startswith(markup)
        if not is_closed:  # a slip swallows no report
            self.frame.append(first)
        elif info.strip().casefold() in _FRAMES:
            self.frame += [first, last]
        self.code.append((first[0], len(self._text[: last[1]].rstrip(" "))))

    def _beyond(self, cells: int, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The cells of a row that are more than its table has in its head."""
        bars = [bar.start() for bar in _BAR.finditer(self._text, start, end)]
        bars = bars[1:] if self._text[start:end].lstrip("> \t").startswith("|") else bars
        yield from [(bars[cells - 1] + 1, end)] if 0 < cells <= len(bars) else []


def _unread(text: str, tags: Iterable[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """The elements that may be hidden; one that is never closed up to the end of its paragraph, a block of all."""
    name, start, limit, depth = "", 0, 0, 0
    for tag in tags:
        if name and tag.start() >= limit:
            yield start, limit
            name = ""
        own = (tag["name"] or "").casefold()
        if not name and own and not tag["close"] and (own in _UNREAD or _HIDING.search(tag["rest"])):
            if own in _VOID:
                yield tag.span()
                continue
            is_block = not text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].strip()
            name, start, depth, limit = own, tag.start(), 1, -1 if is_block else text.find("\n\n", tag.end())
            limit = limit if limit >= 0 else len(text)
        elif name and own == name:
            depth += -1 if tag["close"] else 1
            if not depth:
                yield start, tag.end()
                name = ""
    if name:
        yield start, limit


def _hidden_in(tag: re.Match[str]) -> Iterator[tuple[int, int]]:
    """A comment whole; of a tag everything but its name and its address."""
    if tag["comment"]:
        yield tag.span()
        return
    start, end = tag.span("rest")
    if address := _HREF.search(tag.string, start, end):
        yield start, address.start()
        start = address.end()
    yield start, end


def _in_lines(text: str) -> str:
    """The text with what Markdown has for blocks' tags, so that items and cells keep their borders."""
    counts: list[int] = []
    """The number of the next item of each list around; 0 in one without numbers."""

    def as_markdown(tag: re.Match[str]) -> str:
        name = tag["name"].casefold()
        sign = _AS_MARKDOWN.get(name, "\n\n")
        if name in ("ol", "ul"):
            counts.append(int(name == "ol"))
        elif name in ("/ol", "/ul"):
            del counts[-1:]
        elif name == "li" and counts and counts[-1]:
            sign = f"\n{counts[-1]}."
            counts[-1] += 1
        elif name == "br" and text.startswith("|", text.rfind("\n", 0, tag.start()) + 1):
            sign = " "
        return sign.ljust(len(tag[0]))[: len(tag[0])]

    return _BLOCK_TAG.sub(as_markdown, text)
