"""The HTML of a Markdown report that is not read: everything but plain tags, without attributes that could hide
anything.

There are more ways to hide text than a list can name, so the list names what is read: tags for layout, with no
attributes but addresses, names, and the spans and alignment of cells. A tag with any other attribute (``style``,
``class``, ``hidden``), and any other tag of HTML, is unread, with its content. Comments and declarations are never
shown. What only looks like a tag, such as ``<brand>``, is not an HTML element: the text after it is shown, and read.
``<details>`` is read, since one click opens it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

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


def unread_html(text: str, code: Iterable[tuple[int, int]] = ()) -> list[Unread]:
    """The unread spans, in text order and without overlap; ``code`` are spans whose tags are shown.

    An element that is never closed is unread to the end, but a tag without ``>`` in its paragraph that does not begin a
    line is text.
    """
    return list(_Scan(text, sorted(code)).parts())


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
