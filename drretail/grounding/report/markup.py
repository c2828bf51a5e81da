"""Which parts of a report a reader is shown, which of these are prose, and where brackets and URLs end.

All functions keep offsets: removed parts are overwritten with spaces. All are linear in the text.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Protocol

from drretail.grounding.report.hidden import Unread, unread_html

_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)")
# Models wrap whole reports in a fence of this kind; what is inside is the report.
_REPORT_FENCES = frozenset({"markdown", "md"})
_LANGUAGE = re.compile(r"[\w+#.-]+")
_ONLY_MARKS = re.compile(r"\s*(?:[\[【](?:\^?\d|[POUWCFS]:)[^\[\]【】\n]{0,200}[\]】][\s,;]*)+")
_BACKTICKS = re.compile(r"`+")
_IMAGE = re.compile(r"!\[(?P<words>[^\[\]\n]{0,500})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,20}\)")
_PAIRS = {"]": "[", "】": "【", "］": "［", "〕": "〔"}
CITE_TAG = re.compile(
    r"<(?P<close>/?)cite\b(?:[^<>]{0,99}?\bindex=[\"'](?P<index>[\d,\s-]{1,300})[\"'])?[^<>]{0,99}>", re.I
)
"""Claude's citations: ``index="3-1,3-2"`` names sentences of source 3."""
_BRACKET = re.compile(r"[\[\]【】［］〔〕\n]")

# A link's title is text: [docs](https://… "Components: <Image>").
_TITLE_OF_LINK = re.compile(r"\]\([ \t]*[^\s()<>\"]{1,2000}[ \t]+(?P<title>\"[^\"\n]{0,300}\")[ \t]*\)")

# What Markdown leaves out of the page: link definitions, cells beyond the head of a table.
_CONTAINER = r"[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*"
_LINK_TITLE = "|".join(
    rf"{begin}(?:[^\\\n{end}]|\\.|\\?\n(?![ \t]*\n))*+{end}" for begin, end in (('"', '"'), ("'", "'"), (r"\(", r"\)"))
)
_DEFINITION = re.compile(
    rf"^(?P<container>{_CONTAINER})\[(?P<label>(?!\^)(?:[^\[\]\\\n]|\\.|\n(?![ \t]*\n)){{1,999}})\]:"
    r"[ \t]*\n?[ \t]*(?P<target><[^<>\n]*>|(?!<)\S+)"
    rf"(?P<title>(?:[ \t]+|[ \t]*\n[ \t]*)(?:{_LINK_TITLE})(?=[ \t]*$))?[ \t]*$",
    re.MULTILINE,
)
# Labels that only name a source; others are hidden words.
_SOURCE_NAME = re.compile(r"[\w:@-]{1,80}|[^\d$€£¥₹%]{1,80}")
_SOURCE = re.compile(r"<?https?://[^\s\[\]<>]*>?|[POUWCFS]:[\w:@-]+", re.IGNORECASE)
_ENDS_PARAGRAPH = re.compile(r"\s*|[ ]{0,3}(?:#{1,6}(?:[ \t].*)?|(?:[-*_=][ \t]*){3,}|(?:```|~~~).*)")
_LINK_REFERENCE = re.compile(r"(?<=\])(?P<label>\[[^\[\]]{1,999}\])")

_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_CONTAINER_START = re.compile(_CONTAINER)
_OTHER_BLOCK = re.compile(r"#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~|<(?!https?:)|$")
_TABLE_CELL = re.compile(r"(?:[^|\\]|\\.?)*+(?:\||$)")

_TAG = re.compile(r"</?[A-Za-z][\w-]{0,30}(?:\s[^<>\n]{0,2000})?/?>")
_BLOCK_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>li|[uo]l|p|div|tr|t[dh]|table|thead|tbody|h[1-6]|section|article)\b[^<>]{0,200}>", re.I
)
_MARKS_OF_TAGS = {"<li": "\n- ", "<tr": "\n", "</tr": "|\n", "<td": "|", "<th": "|", "</td": " ", "</th": " "}
_TABLE_ROW = re.compile(r"^[ \t>]*\|.*", re.MULTILINE)
# Emphasis; other underscores are letters of a name.
_UNDERSCORES = re.compile(r"(?<![^\W_])_{1,3}(?=[$€£¥₹\d])|(?<=[$€£¥₹\d%])_{1,3}(?![^\W_])")
_BREAK = re.compile(r"<br\b[^<>\n]{0,200}>", re.IGNORECASE)
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
URL_START = re.compile(r"https?://(?=[^\W_])", re.IGNORECASE)
_STOPS = r"\s<>\"`\[\](){}|\\^，。；：、！？…（）【】［］〔〕《》〈〉「」『』“”‘’"
_WIDE = re.compile(rf"[^{_STOPS}]*")
# In running text, an ideograph ends the URL; in links and lists it may be part of one.
_NARROW = re.compile(rf"[^{_STOPS}\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]*")
_TRAILING = "?!.,:;*_~'("


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


def shown(text: str) -> str:
    """The text as it is read: everything that Markdown or HTML may hide is overwritten by spaces; newlines stay."""
    if not any(one in text for one in ("<", "]:", "](", "|")):
        return text
    text = blanked(text, ((span.start, span.end) for span in _unread_html(text)))
    without_blocks = blanked(text, _code_blocks(text))
    return blanked(text, _unrendered(without_blocks))


def has_unread_elements(text: str) -> bool:
    """True if HTML that is not read may still be shown to a reader."""
    return any(span.is_element for span in _unread_html(text))


def unread_words(text: str) -> str:
    """The words of HTML that is not read and may still be shown; all else is spaces."""
    elements = [(one.start, one.end) for one in _unread_html(text) if one.is_element] if "<" in text else []
    edges = [0, *(edge for element in elements for edge in element), len(text)]
    return _TAG.sub(_as_spaces, blanked(text, zip(edges[::2], edges[1::2], strict=True)))


def _unread_html(text: str) -> list[Unread]:
    blocks = list(_code_blocks(text))
    titles = (link.span("title") for link in _TITLE_OF_LINK.finditer(text))
    return unread_html(text, [*blocks, *_inline_code(blanked(text, blocks)), *titles])


@lru_cache(maxsize=16)  # citations, lists, sentences and layout of a report start from the same
def prose(text: str) -> str:
    """The shown text, with code blocks, inline code and images blanked."""
    text = shown(text)
    without_blocks = blanked(text, _code_blocks(text))
    without_code = blanked(without_blocks, _inline_code(without_blocks))
    text = blanked(without_code, (match.span() for match in _IMAGE.finditer(without_code)))
    text = blanked(text, (tag.span() for tag in CITE_TAG.finditer(text) if not tag["close"]))
    return _in_lines(text)


def unframed(text: str) -> str:
    """The shown text, in which the words of code and of images' descriptions are words like any other: the signs
    around them are blanked.
    """
    text = shown(text)
    blocks = list(_code_blocks(text))
    code = list(_inline_code(blanked(text, blocks)))
    signs = [span for start, end in blocks for span in _fences(text, start, end)]
    for start, end in code:
        width = len(text[start:end]) - len(text[start:end].lstrip("`"))
        signs += [(start, start + width), (end - width, end)]
    # A tag in code is shown as it is written, and hides nothing behind it.
    signs += [tag.span() for start, end in [*blocks, *code] for tag in _TAG_START.finditer(text, start, end)]
    for image in _IMAGE.finditer(text):
        signs += [(image.start(), image.start("words")), (image.end("words"), image.end())]
    return blanked(text, signs)


@lru_cache(maxsize=16)
def page_text(text: str) -> str:
    """The words that a page shows, without the signs and tags that mark them."""
    return _UNDERSCORES.sub(_as_spaces, _TAG.sub(_as_spaces, _in_lines(unframed(text))))


def _fences(text: str, start: int, end: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and the last line of a code block."""
    return (start, text.index("\n", start)), (text.rindex("\n", start, end) + 1, end)


def _in_lines(text: str) -> str:
    """The text, in equal length, with what Markdown has for blocks' tags: items, cells and paragraphs keep their
    borders. A break is a new line, but within a row of a table.
    """
    if "<" not in text:
        return text
    text = _BLOCK_TAG.sub(_as_markdown, text)
    text = _TABLE_ROW.sub(lambda row: _BREAK.sub(_as_spaces, row[0]), text)
    return _BREAK.sub(lambda tag: "\n".ljust(len(tag[0])), text)


def _as_markdown(tag: re.Match[str]) -> str:
    return _MARKS_OF_TAGS.get(f"<{tag['end']}{tag['name']}".casefold(), "\n\n").ljust(len(tag[0]))


def _as_spaces(sign: re.Match[str]) -> str:
    return " " * len(sign[0])


def closing_brackets(text: str) -> dict[int, int]:
    """Opening to closing bracket for all square brackets, ``【】`` and ``〔〕`` that close on their own line."""
    pairs: dict[int, int] = {}
    opened: dict[str, list[int]] = {opening: [] for opening in _PAIRS.values()}
    for match in _BRACKET.finditer(text):
        character = match[0]
        if character == "\n":
            opened = {opening: [] for opening in _PAIRS.values()}
        elif character in opened:
            opened[character].append(match.start())
        elif opened[_PAIRS[character]]:
            pairs[opened[_PAIRS[character]].pop()] = match.start()
    return pairs


def url_run(text: str, start: int, *, wide: bool) -> int:
    """The end of the URL that begins at ``start``, trailing punctuation included; brackets must balance."""
    pattern = _WIDE if wide else _NARROW
    position, depth = start, 0
    while True:
        run = pattern.match(text, position)
        position = run.end() if run else position
        character = text[position : position + 1]
        if character == "(":
            depth += 1
        elif character == ")" and depth:
            depth -= 1
        else:
            return position
        position += 1


def url_end(text: str, start: int, *, wide: bool) -> int:
    """The end of the URL that begins at ``start``, without the punctuation of the sentence around it."""
    return start + len(text[start : url_run(text, start, wide=wide)].rstrip(_TRAILING))


def _code_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Fenced blocks. An unclosed fence is ignored, so that a slip does not swallow a report."""
    opened: tuple[int, str] | None = None
    for start, end in lines(text):
        match = _FENCE.match(text, start, end)
        if match is None:
            continue
        info = match["info"].strip()
        if opened is None:
            if info.casefold() not in _REPORT_FENCES:
                opened = start, match["fence"]
        elif match["fence"].startswith(opened[1]) and not _LANGUAGE.fullmatch(info):
            yield opened[0], match.end("fence")  # models put marks behind the closing fence
            opened = None


def _inline_code(text: str) -> Iterator[tuple[int, int]]:
    """Code between backticks, unless it has only marks: some models write all their marks so."""
    for start, end in lines(text):
        runs = [match.span() for match in _BACKTICKS.finditer(text, start, end)]
        seen: dict[int, int] = {}
        closing: list[int | None] = [None] * len(runs)
        for index in range(len(runs) - 1, -1, -1):
            length = runs[index][1] - runs[index][0]
            closing[index] = seen.get(length)
            seen[length] = index
        index = 0
        while index < len(runs):
            partner = closing[index]
            if partner is None:
                index += 1
                continue
            if not _ONLY_MARKS.fullmatch(text, runs[index][1], runs[partner][0]):
                yield runs[index][0], runs[partner][1]
            index = partner + 1


def _unrendered(text: str) -> Iterator[tuple[int, int]]:
    """The spans that are not shown. Code blocks are blanked in ``text``."""
    definitions = list(_definitions(text))
    labels = {label for _, _, label in definitions}
    references = (match.span("label") for match in _LINK_REFERENCE.finditer(text))
    links = [(start, end) for start, end in references if _folded_label(text[start + 1 : end - 1]) in labels]
    yield from (*(definition[:2] for definition in definitions), *links, *_cells_beyond_head(text))


def _definitions(text: str) -> Iterator[tuple[int, int, str]]:
    """Link definitions with their labels. Definitions that list a source have only their title hidden, and no label."""
    position = 0
    while definition := _DEFINITION.search(text, position):
        before = text[text.rfind("\n", 0, max(0, definition.start() - 1)) + 1 : max(0, definition.start() - 1)]
        # Inside a paragraph it is text.
        if not (definition["container"].strip() or definition.start() == position or _ENDS_PARAGRAPH.fullmatch(before)):
            position = definition.end("label")
            continue
        position = min(definition.end() + 1, len(text))
        is_source = _SOURCE.fullmatch(definition["target"]) and _SOURCE_NAME.fullmatch(definition["label"])
        if not is_source:
            yield definition.end("container"), definition.end(), _folded_label(definition["label"])
        elif definition["title"]:
            yield *definition.span("title"), ""
        if position == len(text):
            return


def _folded_label(label: str) -> str:
    return " ".join(label.split()).casefold()


def _cells_beyond_head(text: str) -> Iterator[tuple[int, int]]:
    """The cells of rows that are longer than the head of their table."""
    columns, above, end = 0, "", -1
    for line in text.split("\n"):
        end += len(line) + 1
        row = line.lstrip("> \t")
        start = end - len(row)
        if columns and _OTHER_BLOCK.match(row):
            columns = 0
        elif columns:
            shown = len(row) - len(row.lstrip())
            shown += row.startswith("|", shown)
            for _ in range(columns):
                cell = _TABLE_CELL.match(row, shown)
                shown = cell.end() if cell else shown
            if shown < len(row.rstrip()):
                yield start + shown, end
        elif "|" in row and _RULE.fullmatch(row.rstrip()):
            head = _cell_count(_CONTAINER_START.sub("", above))
            columns = head if head == _cell_count(row) else 0
        above = line


def _cell_count(row: str) -> int:
    return len([word for word in _TABLE_CELL.findall(row.strip().removeprefix("|")) if word])
