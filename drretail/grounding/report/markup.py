"""What of a report is shown: which HTML is not read, which parts are prose, and where brackets and URLs end.

There are more ways to hide text than a list can name, so the list names what is read: tags for layout, with no
attributes but addresses, names, and the spans and alignment of cells. A tag with any other attribute (``style``,
``class``, ``hidden``), and any other tag of HTML, is unread, with its content. Comments and declarations are never
shown. What only looks like a tag, such as ``<brand>``, is not an HTML element: the text after it is shown, and read.
``<details>`` is read, since one click opens it.

All functions keep offsets: removed parts are overwritten with spaces. All are linear in the text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, Protocol

from drretail.grounding.text.untrusted import HTML_ELEMENTS

_NAME = re.compile(r"\w+")
_PLAIN_TAGS = frozenset(
    _NAME.findall(
        "a abbr article aside b bdi big blockquote body br caption center cite code dd del details dfn div dl dt"
        " em fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 head header hr html i ins kbd legend li main mark"
        " nav nobr ol p pre q rt ruby s samp section small span strong sub summary sup table tbody td tfoot th"
        " thead time tr tt u ul var wbr"
    )
)
_VOID = frozenset(_NAME.findall("area base br col embed hr image img input link meta source track wbr"))
_RAISED = frozenset({"small", "sub", "sup"})
"""Each makes letters smaller, so that one within another is unread."""
_CUT_ATTRIBUTES = frozenset({"title", "id", "name", "rel", "target", "index"})
"""They hide nothing, and their values are not shown."""
_READ_ATTRIBUTE = re.compile(r"(?:align|valign|scope|type|colspan|rowspan|start|open)=\w{0,9}|href=[^\s\[\]<>]*|open")

# Grok's citations, which marks.py reads.
CARD = (
    r"<grok(?::render|-card)\b[^<>]{0,300}>\s{0,9}(?:<argument name=\"citation_id\">(?P<card>\d{1,4})</argument>)?"
    r"\s{0,9}</grok(?::render|-card)>"
)
_CARD = re.compile(CARD)
_OPENS = re.compile(r"<(?:(?P<comment>!--)|(?P<bogus>[!?]|/(?![A-Za-z]))|(?P<close>/?)(?P<name>[A-Za-z][^\s/<>]*))")
_COMMENT_END = re.compile(r"--!?>")
_EMPTY_COMMENT = re.compile(r"<!--+>")
# Quotes delimit only after "="; there they may contain ">".
_TAG_REST = re.compile(r"(?P<more>(?:[^>=]++|=\s*+(?:\"[^\"]*\"|'[^']*'|))*+)>")
_ATTRIBUTE = re.compile(r"\s+(?P<name>[A-Za-z][\w-]*)(?:\s*=\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?")
_ADDRESS = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*|[^\s<>@:/=\"]+@[\w.-]+)>")
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")
# A paragraph that begins with a tag is HTML up to the next blank line: backticks and backslashes do nothing in it.
_HTML_BLOCK = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*<[A-Za-z/!?]", re.MULTILINE)


class Unread(NamedTuple):
    """``text[start:end]`` is not read. An element may be shown all the same; a comment or an attribute is not."""

    start: int
    end: int
    is_element: bool


class _Scan:
    """One pass over a text, in linear time: no missing end is searched twice."""

    def __init__(self, text: str, code: list[tuple[int, int]]) -> None:
        self._text = text
        self._code = code
        self._starts = [start for start, _ in code]
        self._ends = [match.start() for match in _BLANK_LINE.finditer(text)] + [len(text)]
        self._begins = [0, *self._ends[:-1]]
        self._html_from: dict[int, int] = {}
        """Where the HTML of a paragraph begins, by its index; the end of the text if there is none."""
        self._no_end_before = 0
        """Up to here, no ``>`` follows in the paragraph."""
        self._last_end = text.rfind(">")
        self._last_comment_end = max((match.start() for match in _COMMENT_END.finditer(text)), default=-1)

    def parts(self) -> Iterator[Unread]:
        position, raised = 0, 0
        while opening := _OPENS.search(self._text, position):
            start, position = opening.start(), opening.end()
            address = _ADDRESS.match(self._text, start) or _CARD.match(self._text, start)
            literal = address.end() if address else self._literal_until(start)
            if literal > start:
                position = literal
                continue
            name = (opening["name"] or "").casefold()
            end = self._end_of_opening(opening)
            if end is None:
                continue
            position = end
            if not name:
                yield Unread(start, end, opening["comment"] is None)
            elif opening["close"]:
                raised -= name in _RAISED and raised > 0
                if self._text[opening.end() : end].strip() != ">":
                    yield Unread(opening.end(), end - 1, True)
            elif (cut := _cut_attributes(self._text, name, opening.end(), end)) is None or (raised and name in _RAISED):
                position = self._end_of_element(name, end)
                yield Unread(start, position, True)
            else:
                raised += name in _RAISED
                yield from (Unread(*span, False) for span in cut)

    def _literal_until(self, start: int) -> int:
        """The end of the code that contains a tag, or of what escapes it; its own start if it is a tag."""
        index = bisect_right(self._starts, start) - 1
        in_code = index >= 0 and start < self._code[index][1]
        before = self._text[max(0, start - 64) : start]
        escapes = len(before) - len(before.rstrip("\\"))
        if not in_code and not escapes % 2:
            return start
        paragraph = bisect_right(self._begins, start) - 1
        if paragraph not in self._html_from:
            block = _HTML_BLOCK.search(self._text, self._begins[paragraph], self._ends[paragraph])
            self._html_from[paragraph] = len(self._text) if block is None else block.start()
        begin = self._code[index][0] if in_code else start
        if self._html_from[paragraph] < begin:
            return start
        return self._code[index][1] if in_code else start + 1

    def _end_of_opening(self, opening: re.Match[str]) -> int | None:
        """The end of a tag or comment; None if nothing ends it, so that it is text."""
        text, start = self._text, opening.start()
        limit = self._ends[bisect_right(self._ends, start)] if start < self._ends[-1] else len(text)
        if opening["comment"]:
            if empty := _EMPTY_COMMENT.match(text, start):
                return empty.end()
            closing = _COMMENT_END.search(text, opening.end()) if opening.end() <= self._last_comment_end else None
            is_open = closing is None and self._begins_a_line(start)
            return closing.end() if closing else len(text) if is_open else None
        closed = text.find(">", start, limit) + 1 if start >= self._no_end_before else 0
        if not closed:
            self._no_end_before = max(self._no_end_before, limit)
            is_block = opening["name"] and self._begins_a_line(start)
            return len(text) if is_block and self._last_end > start else None
        if opening["name"] is None:
            return closed
        rest = _TAG_REST.match(text, opening.end(), limit)
        return rest.end() if rest else len(text)

    def _end_of_element(self, name: str, position: int) -> int:
        if name in _VOID:
            return position
        depth = 1
        while opening := _OPENS.search(self._text, position):
            end = self._end_of_opening(opening)
            position = opening.end() if end is None else end
            if end is not None and (opening["name"] or "").casefold() == name:
                depth += -1 if opening["close"] else 1
                if not depth:
                    return position
        return len(self._text)

    def _begins_a_line(self, start: int) -> bool:
        return not self._text[self._text.rfind("\n", 0, start) + 1 : start].strip(" \t")


def _cut_attributes(text: str, name: str, start: int, end: int) -> list[tuple[int, int]] | None:
    """The attributes of a tag that are cut out; None if the tag is unread."""
    stop = end - 1
    if name not in _PLAIN_TAGS:
        is_placeholder = name not in HTML_ELEMENTS and text[start:stop].strip() in ("", "/")
        return [] if is_placeholder else None
    cut: list[tuple[int, int]] = []
    while attribute := _ATTRIBUTE.match(text, start, stop):
        start = attribute.end()
        key, value = attribute["name"].casefold(), (attribute["value"] or "").strip("\"'")
        if key in _CUT_ATTRIBUTES:
            cut.append(attribute.span())
        elif not _READ_ATTRIBUTE.fullmatch(f"{key}={value}" if attribute["value"] else key):
            return None
    return cut if text[start:stop].strip() in ("", "/") else None


_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)")
# Models wrap whole reports in a fence of this kind; what is inside is the report.
_REPORT_FENCES = frozenset({"markdown", "md"})
_LANGUAGE = re.compile(r"[\w+#.-]+")
_ONLY_MARKS = re.compile(r"\s*(?:[\[【](?:\^?\d|[POUWCF]:)[^\[\]【】\n]{0,200}[\]】][\s,;]*)+")
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
_SOURCE = re.compile(r"<?https?://[^\s\[\]<>]*>?|[POUWCF]:[\w:@-]+", re.IGNORECASE)
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
    definitions = list(_definitions(without_blocks))
    labels = {label for _, _, label in definitions}
    references = (match.span("label") for match in _LINK_REFERENCE.finditer(without_blocks))
    links = [(start, end) for start, end in references if _folded_label(text[start + 1 : end - 1]) in labels]
    hidden = (*(definition[:2] for definition in definitions), *links, *_cells_beyond_head(without_blocks))
    return blanked(text, hidden)


def has_unread_elements(text: str) -> bool:
    """True if HTML that is not read may still be shown to a reader."""
    return any(span.is_element for span in _unread_html(text))


def unread_words(text: str) -> str:
    """The words of HTML that is not read and may still be shown; all else is spaces."""
    elements = [(one.start, one.end) for one in _unread_html(text) if one.is_element] if "<" in text else []
    edges = [0, *(edge for element in elements for edge in element), len(text)]
    return _TAG.sub(_as_spaces, blanked(text, zip(edges[::2], edges[1::2], strict=True)))


def _unread_html(text: str) -> list[Unread]:
    """The unread spans, in text order and without overlap; the tags in code are shown.

    An element that is never closed is unread to the end, but a tag without ``>`` in its paragraph that does not begin a
    line is text.
    """
    blocks = list(_code_blocks(text))
    titles = (link.span("title") for link in _TITLE_OF_LINK.finditer(text))
    code = (*blocks, *_inline_code(blanked(text, blocks)), *titles)
    return list(_Scan(text, sorted(code)).parts())


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
    """The shown text, with the words of code and of images' descriptions: only the signs around them are blanked."""
    text = shown(text)
    blocks = list(_code_blocks(text))
    code = list(_inline_code(blanked(text, blocks)))
    signs = list[tuple[int, int]]()
    for start, end in blocks:
        signs += [(start, text.index("\n", start)), (text.rindex("\n", start, end) + 1, end)]
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
