"""What of a report a browser shows. All texts of a page are as long as the report: what they leave out is spaces.

Whether a browser shows an element with ``style``, or one that needs a script or a click, cannot be told from the text:
it is not read, with its content, and counted (``Page.unread``). What only looks like a tag, such as ``<brand name>``,
hides itself and nothing behind it. Struck text stands on the page, and is not said.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

Spans = tuple[tuple[int, int], ...]
"""Starts and ends in the report."""
_UNREAD = re.compile(
    "(?:script|style|template|title|noscript|noframes|iframe|object|embed|audio|video|canvas|svg|math|select|datalist"
    "|dialog|rp|font|img|input|meta|link|base|textarea)$"
)
_VOID = re.compile("(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$")
_HIDING = re.compile(r"\s(?:style|hidden)(?=[\s=/]|$)", re.IGNORECASE)
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
_CODE = re.compile(r"(?<![`\\])(?:`[^`\n]+`|``(?!`)[^\n]{1,200}?(?<!`)``)(?!`)")
_CODE_TAG = re.compile(r"<(?P<tag>code|pre|kbd|samp|tt)>[^<]{0,2000}</(?P=tag)>", re.IGNORECASE)
_ONLY_MARKS = re.compile(r"`\s*(?:[\[【](?:\^?\d|[POUWCF]:)[^\[\]【】\n]{0,200}[\]】][\s,;]*)+`")
"""Some models write their marks as code."""
_SIGNS_OF_CODE = re.compile(r"`+|^[ \t>]*~{3,}.*", re.MULTILINE)
_FRAMES = frozenset({"markdown", "md"})
"""Models wrap whole reports in a fence of this kind; what is inside is the report."""
_IMAGE = re.compile(
    r"!\[(?P<words>[^\[\]\n]{0,500})\](?:\[[^\[\]\n]{0,80}\]|\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,20}\))"
)
_DEFINITION = re.compile(
    r"^[ \t>]*\[(?P<label>(?!\^)[^\[\]\n]+)\]:[ \t]*(?:\n[ \t]*)?(?P<to><[^<>\n]*>|\S++)"
    r"(?P<title>[ \t\r]*\n?[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t\r]*$",
    re.MULTILINE,
)
_SOURCE = re.compile(r"<?(?:https?://|www\.|[POUWCF]:\w)", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\[([^\[\]\n]+)\]")
_BAR = re.compile(r"(?<!\\)\|")
_HEAD_RULE = re.compile(r"[ \t>|]*+(?::?-{2,}:?[ \t|]*+)++$")
_BLOCKS = r"(?:li|[uo]l|p|div|tr|t[dh]|table|thead|tbody|h[1-6]|section|article|br)"
_BLOCK_TAG = re.compile(rf"<(?P<name>/?{_BLOCKS})\b[^<>]{{0,200}}>", re.IGNORECASE)
_HTML = re.compile(rf"^ {{0,3}}</?{_BLOCKS}\b.*(?:\n(?![ \t]*$).*)*", re.IGNORECASE | re.MULTILINE)
_AS_MARKDOWN = {"tr": "\n", "/tr": "|\n", "td": "|", "th": "|", "br": "\n", "/li": "\n", "li": "\n- "}
_EMPHASIS = re.compile(r"(?<![^\W_])_{1,3}(?=[$€£¥₹\d])|(?<=[$€£¥₹\d%])_{1,3}(?![^\W_])")
"""Beside figures; other underscores are letters of a name."""
_STOPS = r"\s<>\"`\[\]{}|\\^，。；：、！？…（）【】［］〔〕《》〈〉「」『』“”‘’()"
_WIDE = re.compile(rf"[^{_STOPS}]*")
IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# In running text, an ideograph ends the URL; in links and lists it may be part of one.
_NARROW = re.compile(rf"[^{_STOPS}{IDEOGRAPHS}]*")


def lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every line, without its newline."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, end
        start = end + 1
    yield start, len(text)


def find_bars(text: str, start: int, end: int) -> list[int]:
    """Where the bars around the cells of a table's row stand in ``text[start:end]``."""
    return [bar.start() for bar in _BAR.finditer(text, start, end)]


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


@lru_cache(maxsize=16)  # marks, lists, sentences and layout of a report start from the same
def read_page(report: str) -> Page:
    """The page that a browser makes of a report."""
    fences, frame = _fences(report)
    source = blanked(report, (*fences, *frame))
    inline = _CODE.finditer(blanked(source, (html.span() for html in _HTML.finditer(source))))
    inline = (code.span() for code in (*inline, *_CODE_TAG.finditer(source)) if not _ONLY_MARKS.fullmatch(code[0]))
    code = sorted([*fences, *inline])
    tags = list(_TAG.finditer(blanked(source, code)))
    hidden = [*_defining(source), *_beyond(source), *(span for tag in tags for span in _hidden_in(tag))]
    return Page(
        report, tuple(hidden), tuple(_unread(source, tags)), tuple(code), tuple(tag.span() for tag in tags), frame
    )


def _fences(text: str) -> tuple[list[tuple[int, int]], Spans]:
    """The blocks of code, and the lines of fences that frame a report; one that is never closed swallows no report."""
    code: list[tuple[int, int]] = []
    frame: list[tuple[int, int]] = []
    opened: list[re.Match[str]] = []
    for fence in _FENCE.finditer(text):
        is_frame = bool(opened) and opened[-1]["info"].strip().casefold() in _FRAMES
        # Models put marks behind the end of a block of code, which in Markdown would then go on.
        if opened and fence["sign"].startswith(opened[-1]["sign"]) and fence["info"][:1] in "[【(":
            begin = opened.pop()
            frame += [begin.span(), (fence.start(), fence.end("sign"))] if is_frame else []
            code += [] if is_frame else [(begin.start(), fence.end("sign"))]
        elif is_frame or not opened:
            opened.append(fence)
    return code, tuple(sorted([*frame, *(fence.span() for fence in opened)]))


def _defining(text: str) -> Iterator[tuple[int, int]]:
    """The definitions of links that no browser shows; one that lists a source is part of the report without its
    title.
    """
    uses = Counter(_IN_BRACKETS.findall(text))
    position = 0
    for line in _DEFINITION.finditer(text):
        above = text.rfind("\n", 0, max(0, line.start() - 1)) + 1
        is_alone = line.start() in (0, position + 1) or not text[above : line.start()].strip(" \t\r\n>")
        if is_alone:
            position = line.end()
            is_used = line["label"].split() == [line["label"]] or uses[line["label"]] > 1
            is_listed = is_used and _SOURCE.match(line["to"])
            yield line.end("to") if is_listed else line.start() + line[0].index("["), line.end()


def _beyond(text: str) -> Iterator[tuple[int, int]]:
    """The cells of rows that are more than their table has in its head."""
    columns = 0
    for start, end in lines(text):
        bars = find_bars(text, start, end)
        if not bars:
            columns = 0
        elif columns:
            columns_of = bars[1:] if text[start:end].lstrip("> \t").startswith("|") else bars
            yield from [(columns_of[columns - 1] + 1, end)] if len(columns_of) >= columns else []
        elif _HEAD_RULE.match(text, start, end):
            columns = len(re.findall("-+", text[start:end]))


def _unread(text: str, tags: Iterable[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """The elements that may be hidden; one that is never closed up to the end of its paragraph, a block of all."""
    name, start, limit, depth = "", 0, 0, 0
    for tag in tags:
        if name and tag.start() >= limit:
            yield start, limit
            name = ""
        tag_name = (tag["name"] or "").casefold()
        if not name and tag_name and not tag["close"] and (_UNREAD.match(tag_name) or _HIDING.search(tag["rest"])):
            if _VOID.match(tag_name):
                yield tag.span()
                continue
            is_block = not text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].strip()
            name, start, depth, limit = tag_name, tag.start(), 1, -1 if is_block else text.find("\n\n", tag.end())
            limit = limit if limit >= 0 else len(text)
        elif name and tag_name == name:
            depth += -1 if tag["close"] else 1
            if not depth:
                yield start, tag.end()
                name = ""
    if name:
        yield start, limit


def _hidden_in(tag: re.Match[str]) -> Iterator[tuple[int, int]]:
    """A comment whole; of a tag everything but its name and its address."""
    start, end = tag.span() if tag["comment"] else tag.span("rest")
    if address := None if tag["comment"] else _HREF.search(tag.string, start, end):
        yield start, address.start()
        start = address.end()
    yield start, end


def _in_lines(text: str) -> str:
    """The text with what Markdown has for blocks' tags, so that items and cells keep their borders."""
    counts: list[int] = []
    """The number of the next item of each list around; 0 in one without numbers."""

    def as_markdown(tag: re.Match[str]) -> str:
        name = tag["name"].casefold()
        sign = _AS_MARKDOWN.get(name, " " if name in ("/td", "/th") else "\n\n")
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
