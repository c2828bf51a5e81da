"""The parts of a text, each with its place: sentences, list items and table rows, the stretches of a report that
its citations own, and the cells of its tables with their labels.

A mark owns the text back to the previous mark, or to the beginning of its sentence, list item, heading or cell. Behind
a name, without a figure, it also owns the figures directly behind it, and less certainly the rest up to the end.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from drretail.records.shop import SHOP_URL
from drretail.reports.citations import Cited, Known, Token, link_words, scan
from drretail.reports.page import ITEM, blanked, line_kind, lines, read_page
from drretail.reports.text.amounts import Amount, Notation, find_amounts, notation_of
from drretail.reports.text.evidence_ids import product_evidence_id
from drretail.reports.text.words import month_numbers

Span = tuple[int, int]
SentenceKind = Literal["text", "item", "row", "heading", "table_head"]

_MARK = "\ue000"
"""Replaces each character of a mark while sentences are separated."""
# What stands before the marks of a line of sources, by whether they are addresses, and between them.
_LABEL = {
    True: re.compile(r"\W*(?:(?:[^\W\d_]{1,20}\W{1,2}){0,3}[^\W\d_]{1,20}\s?[:：]\W*)?"),
    False: re.compile(r"\W*(?:[^\W\d_]{1,12}\s?[:：]\W*)?"),
}
_BETWEEN = re.compile(r"\W*(?:[^\W\d_]{1,5}\W*)?")
_TITLE = re.compile(r"(?:[\W_]|\d{1,3}[.)])*\[[^\[\]\n]*[^\W\d_]{2}[^\[\]\n]*\]\([^\n]*")
"""A line that begins with a link's words: it may name what follows, and belongs to what stands directly above."""
# A stop, closing quotes or brackets, and following marks; a link with words begins the next sentence.
_STOP = re.compile(
    r"(?P<stop>(?<![.!?…])[.!?…]++|[。！？])[\"'”’)\]*_»]*"
    r"(?:[ \t]*+\ue000++)*(?=\s+[^\sa-z(]|\s*$|(?<=[。！？])\S)"
)
# What follows a stop is looked at as well: units, "no" and "max" also end sentences, but seldom before a digit.
_ABBREVIATION = re.compile(
    r"\b(?:(?:e\.g|i\.e|vs|approx|incl|excl|nos|st|dr|mr|mrs|ms|prof|avg|est|fig|vol|pp|u\.s"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.(?:\s.)?|(?:no|p|min|max|oz|lbs?|in|ft|sq|fl)\.\s\d)$",
    re.IGNORECASE,
)
# "am 14. März 2022": the point after a day does not end a sentence.
_DAY = re.compile(r"(?<![\d.,])\d{1,2}\.\s+(?P<month>[^\W\d_]{3,})")


@cache
def what_a_mark_covers() -> str:
    """The rule, with examples, that prompts for writers and judges quote, and that stretches and cells follow."""
    return Path(__file__).with_name("what_a_mark_covers.md").read_text(encoding="utf-8").strip()


@dataclass(frozen=True, slots=True)
class Sentence:
    """``report[start:end]``, without the list marker or rank before it; a table's row is one sentence."""

    start: int
    end: int
    kind: SentenceKind
    head: tuple[int, int] | None = None
    """The span of the table's head, for a row of a table with one."""


def find_sentences(report: str) -> list[Sentence]:
    """All sentences in text order and without overlap, without reference lists, lines of sources and rules.

    A paragraph may span several lines. Linear in the length of the report.
    """
    return _cut(report)[0]


def _cut(report: str) -> tuple[list[Sentence], list[tuple[Span, Span]]]:
    """The sentences, and the lines of nothing but sources, each with the block of text above."""
    tokens = scan(report, None)
    text = blanked(read_page(report).words, tokens.lists)
    parts, position = list[str](), 0
    for mark in tokens.marks:
        if text[mark.start : mark.end].strip():
            parts += [text[position : mark.start], _MARK * (mark.end - mark.start)]
            position = mark.end
    text, sentences, source_lines = "".join([*parts, text[position:]]), list[Sentence](), list[tuple[Span, Span]]()
    block: tuple[int, int, SentenceKind] | None = None
    above: Span | None = None
    first, level = 0, -1  # where the items above begin that stand together, and how far they are indented
    head: Span | None = None
    in_table, is_apart, spans = False, True, [*lines(text), (len(text), len(text))]
    for (start, end), (next_start, next_end) in pairwise([*spans, spans[-1]]):
        line, following = text[start:end].rstrip(), text[next_start:next_end].rstrip()
        kind, indent = line_kind(line), _indent(line)
        if kind in ("blank", "heading") or (kind == "item" and indent != level):
            first, level = start, indent if kind == "item" else -1
        is_of_sources = above and kind not in ("row", "heading") and _is_of_sources(line, report[start:end])
        is_below = not is_apart and above and indent >= _indent(text[slice(*above)])
        may_name = is_of_sources and not is_below and _TITLE.fullmatch(report, start, end)
        if above and is_of_sources and not may_name and _ends_block(line, following, report[next_start:next_end]):
            source_lines.append(((start, end), (min(first, above[0]) if kind == "item" else above[0], above[1])))
            kind, level = "blank", -1
        elif kind == "blank":
            is_apart = True
        else:
            begins = is_apart or not above or is_of_sources or kind in ("heading", "item")
            above, is_apart = (start, end) if begins or not above else (above[0], end), kind == "heading"
        if block is not None and (kind != "text" or is_of_sources):
            sentences += _split(text, *block)
            block = None
        if kind == "row":
            # The first row is the head if a rule follows.
            row: SentenceKind = "table_head" if not in_table and line_kind(following) == "rule" else "row"
            sentences.append(Sentence(*_trimmed(text, start, end), row, head if in_table else None))
            head = head if in_table else (start, start + len(line))
        elif kind == "heading":
            ranked = ITEM.match(text, start + len(line) - len(line.lstrip("> \t#")), end)
            sentences.append(Sentence(*_trimmed(text, ranked.end() if ranked else start, end), kind))
        elif kind == "item":
            marker = ITEM.match(text, start, end)
            block = (marker.end() if marker else start, end, "item")
        elif kind == "text" and block is None:
            block = (start + len(line) - len(line.lstrip("> \t")), end, "text")
        elif block is not None:
            block = (block[0], end, block[2])
        in_table = kind == "row" or (in_table and kind == "rule")
    return sentences if block is None else [*sentences, *_split(text, *block)], source_lines


def _is_of_sources(line: str, written: str) -> bool:
    """True for a line of marks, with at most a label such as "Read more here:" before addresses, a word before others,
    and short words between them.
    """
    label, *gaps = re.split(f"{_MARK}+", line)
    if not gaps or re.search(r"\w", gaps[-1]) or not all(map(_BETWEEN.fullmatch, gaps[:-1])):
        return False
    item = ITEM.match(label)
    return _LABEL["://" in written].fullmatch(label, item.end() if item else 0) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _ends_block(line: str, following: str, written: str) -> bool:
    """True for a line of sources if nothing that it may be the title of follows directly."""
    kind, kind_behind = line_kind(line), line_kind(following)
    is_outer = kind_behind == "item" and (kind == "text" or _indent(following) < _indent(line))
    return is_outer or kind_behind not in ("item", "text") or _is_of_sources(following, written)


def _split(text: str, start: int, end: int, kind: SentenceKind) -> Iterator[Sentence]:
    position = start
    for stop in _STOP.finditer(text, start, end):
        at = stop.end("stop")
        if stop["stop"] == "." and _ABBREVIATION.search(text[max(0, at - 10) : min(end, at + 2)]):
            continue
        day = _DAY.search(text[max(0, at - 4) : at + 20])
        if day is not None and day["month"].casefold() in month_numbers():
            continue
        yield from _sentence(text, position, stop.end(), kind)
        position = stop.end()
    yield from _sentence(text, position, end, kind)


def _sentence(text: str, start: int, end: int, kind: SentenceKind) -> Iterator[Sentence]:
    start, end = _trimmed(text, start, end)
    if any(character.isalnum() or character == _MARK for character in text[start:end]):
        yield Sentence(start, end, kind)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), end - (len(inside) - len(inside.rstrip()))


_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# The text between marks of one group: "[P:…][W:…]", "[P:…], [W:…]".
_WITHIN_GROUP = re.compile(r"[\s,;]{0,2}")
_FIGURES_BEHIND = re.compile(
    r"[\s,:;–—(*·|=-]*(?:\b(?:costs?|is|at|for|has|in|with)\s+){0,3}(?=[$€£¥★⭐~]|US|\d)"
    r"(?:[^\w\n;]|\d|\b(?:stars?|ratings?|reviews?|out|of|from|and|with|USD|EUR|dollars?)\b)+"
)
_FIGURE = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_BAR = re.compile(r"(?<!\\)\|")
"""What stands around the cells of a row."""
LINKED = "·"
"""Stands before the words of a link."""
_ESCAPED = re.compile(r"\\(?=[$€£¥₹])")
"""The backslash before a sign that would begin a formula."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """``report[start:end]`` is about ``cited``, which is empty after the last mark of a sentence."""

    start: int
    end: int
    cited: tuple[str, ...]
    """Evidence ids, or the mark's name for unresolved sources."""
    sentence: int
    """The index of its sentence."""
    is_rest: bool = False
    """True for what stands behind a mark after a name: it may be said of something else."""
    block: tuple[int, int] | None = None
    """The span that its marks cover together, if they stand in a line or a cell of nothing but sources."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of a table; ``labels`` are its column's head and its row's first cell with words, in plain words."""

    start: int
    end: int
    row: int
    """-1 in the table's head."""
    column: int
    heads: tuple[tuple[int, int], ...]
    """The starts and ends of what its labels are made of."""
    labels: tuple[str, ...]
    subjects: tuple[str, ...]
    """The evidence ids that the cell cites, else the single one that its row or its column cites."""
    orders: tuple[str, ...]
    """The orders that its row cites."""
    sentence: int
    """The index of its row among the sentences."""


@dataclass(frozen=True)
class Layout:
    """A report in parts. ``text`` is as long as the report, as a page shows it, without reference lists and marks."""

    report: str
    text: str
    sentences: tuple[Sentence, ...]
    stretches: tuple[Stretch, ...]
    cells: tuple[_Cell, ...]
    notes: tuple[Stretch, ...] = ()
    """What lines and cells of nothing but sources cover: the sentences of the block above, the row."""

    @cached_property
    def notation(self) -> Notation:
        return notation_of(self.report)

    @cached_property
    def amounts(self) -> Sequence[Amount]:
        """What ``find_amounts`` finds in the text."""
        return find_amounts(self.text, self.notation)

    @cached_property
    def cited(self) -> Mapping[int, tuple[str, ...]]:
        """All that each sentence with marks cites, by its index."""
        by_sentence: dict[int, dict[str, None]] = {}
        for stretch in (*self.stretches, *self.notes):
            if stretch.cited:
                by_sentence.setdefault(stretch.sentence, {}).update(dict.fromkeys(stretch.cited))
        return {index: tuple(cited) for index, cited in by_sentence.items()}

    def sentence_at(self, place: int) -> int:
        """The index of the sentence at a place, -1 before all."""
        return bisect_right(self.sentences, place, key=lambda sentence: sentence.start) - 1


class _Group(NamedTuple):
    """Adjacent marks."""

    start: int
    end: int
    cited: tuple[str, ...]


def read_layout(report: str, evidence: Known | None) -> Layout:
    """The layout of a report, whose citations are resolved by ``evidence``."""
    plain = _ESCAPED.sub(" ", report.replace("&#36;", "    $"))
    tokens = scan(plain, evidence)
    groups = _groups(plain, tokens.marks)
    starts = [group.start for group in groups]
    text = _without_marks(plain, blanked(read_page(plain).words, tokens.lists), tokens.marks)
    sentences, source_lines = _cut(plain)
    stretches: list[Stretch] = []
    tables: list[list[int]] = []
    for index, sentence in enumerate(sentences):
        inside = groups[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        if sentence.kind in ("row", "table_head"):
            if not tables or tables[-1][-1] != index - 1 or sentence.kind == "table_head":
                tables.append([])
            tables[-1].append(index)
            for start, end in _row_cells(text, sentence):
                of_cell = [cell for cell in inside if start <= cell.start < end]
                stretches += _owned(text, start, end, of_cell, index) if of_cell else ()
                if of_cell and not re.search(r"\w", text[start:end]):
                    source_lines.append(((start, end), (sentence.start, sentence.end)))
        else:
            stretches += _owned(text, sentence.start, sentence.end, inside, index)
    apart = blanked(text, ((group.start, group.end) for group in groups))
    cells = [cell for table in tables for cell in _table(text, apart, table, sentences, groups)]
    notes = list(_covering(source_lines, groups, sentences))
    # Below a sentence without marks of its own, a line of sources says of what its figures are.
    cited_in = {stretch.sentence for stretch in stretches if stretch.cited}
    note_of = {note.sentence: note for note in notes if sentences[note.sentence].kind in ("text", "item")}
    note_of = {index: note for index, note in note_of.items() if index not in cited_in}
    stretches = [*(stretch for stretch in stretches if stretch.sentence not in note_of), *note_of.values()]
    stretches.sort(key=lambda stretch: stretch.start)
    notes = tuple(note for note in notes if note_of.get(note.sentence) is not note)
    return Layout(report, text, tuple(sentences), tuple(stretches), tuple(cells), notes)


def _covering(
    source_lines: Sequence[tuple[Span, Span]], groups: Sequence[_Group], sentences: Sequence[Sentence]
) -> Iterator[Stretch]:
    """The sentences of each block above lines of sources, and the row of cells of sources, with all that they cite."""
    by_block: dict[Span, dict[str, None]] = {}
    ends: dict[Span, int] = {}
    for (start, end), block in source_lines:
        first = bisect_left(groups, start, key=lambda group: group.start)
        inside = groups[first : bisect_left(groups, end, key=lambda group: group.start)]
        by_block.setdefault(block, {}).update((source, None) for group in inside for source in group.cited)
        ends[block] = max(block[1], inside[-1].end if inside else 0)
    for (start, end), cited in by_block.items():
        first = bisect_left(sentences, start, key=lambda sentence: sentence.end)
        for index in range(first, bisect_left(sentences, end, key=lambda sentence: sentence.start)):
            # A quote may come from the line of sources.
            span = sentences[index].start, sentences[index].end
            yield Stretch(*span, tuple(cited), index, block=(start, ends[start, end]))


def _without_marks(report: str, text: str, marks: Sequence[Token]) -> str:
    """The text with marks blanked, except the words of links, which belong to the sentence, behind a sign: in
    "for $39 [see it](…)" nothing is said of $39 behind it.
    """
    spans, links = list[Span](), list[int]()
    for mark in marks:
        words = link_words(report[mark.start : mark.end], mark.cited[0].name)
        begin = report.index(words, mark.start + 1) if words else mark.end
        spans += [(mark.start, begin), (begin + len(words), mark.end)]
        links += [mark.start] if words else []
    characters = [*blanked(text, spans)]
    for start in links:
        characters[start] = LINKED
    return "".join(characters)


def _groups(report: str, marks: Sequence[Token]) -> list[_Group]:
    groups: list[_Group] = []
    for mark in marks:
        start, cited = mark.start, dict.fromkeys(map(_source, mark.cited))
        if groups and _WITHIN_GROUP.fullmatch(report, groups[-1].end, mark.start):
            before = groups.pop()
            start, cited = before.start, dict.fromkeys([*before.cited, *cited])
        groups.append(_Group(start, mark.end, tuple(cited)))
    return groups


def _source(cited: Cited) -> str:
    """The evidence id; in a report without a ledger, that of the product whose address is cited."""
    if cited.entry is None and cited.type == "product" and cited.url:
        return product_evidence_id(cited.url.removeprefix(f"{SHOP_URL}/").strip("/"))
    return cited.source


def _owned(text: str, start: int, end: int, groups: Sequence[_Group], sentence: int) -> Iterator[Stretch]:
    position, rest = start, tuple[str, ...]()
    for index, group in enumerate(groups):
        limit = groups[index + 1].start if index + 1 < len(groups) else end
        behind = _FIGURES_BEHIND.match(text, group.end, limit)
        is_name = not _FIGURE.search(text, position, group.end)
        stop = behind.end() if behind and is_name else group.end
        yield Stretch(position, stop, group.cited, sentence)
        position, rest = stop, group.cited if is_name else ()
    if _FIGURE.search(text, position, end):
        yield Stretch(position, end, rest, sentence, is_rest=bool(rest))


def _row_cells(text: str, row: Sentence) -> list[tuple[int, int]]:
    bars = [bar.start() for bar in _BAR.finditer(text, row.start, row.end)]
    edges = [row.start - 1, *bars, row.end] if bars[:1] != [row.start] else [*bars, row.end]
    spans = [(left + 1, right) for left, right in pairwise(edges)]
    return spans[:-1] if spans and not text[slice(*spans[-1])].strip() and bars[-1:] == [row.end - 1] else spans


def _table(
    text: str, text_apart: str, rows: Sequence[int], sentences: Sequence[Sentence], groups: Sequence[_Group]
) -> Iterator[_Cell]:
    """The cells of a table, whose first row is its head, if it has one; ``text_apart`` is without links' words."""
    starts = [group.start for group in groups]

    def cited(start: int, end: int) -> tuple[str, ...]:
        inside = groups[bisect_left(starts, start) : bisect_left(starts, end)]
        sources = (source for group in inside for source in group.cited)
        return tuple(dict.fromkeys(source for source in sources if source[:2] in ("P:", "O:", "C:")))

    grid = [_row_cells(text, sentences[row]) for row in rows]
    # A column is about what its head, or a row of marks or links only, cites; "Soil | $45" below "Bed | $78 [P:…]" is
    # not.
    columns: dict[int, dict[str, None]] = {}
    for index, spans in enumerate(grid):
        links = [text_apart[slice(*span)] for span in spans[1:] if cited(*span)]
        are_links = len(links) == len(spans) - 1 > 1 and not re.search(r"\w", "".join(links))
        for number, span in enumerate(spans):
            is_mark = not index or (are_links and number) or not re.search(r"\w", text[slice(*span)])
            of_cell = cited(*span) if is_mark else ()
            columns.setdefault(number, {}).update((source, None) for source in of_cell if source[:2] == "P:")
    head = sentences[rows[0]]
    has_head = head.kind == "table_head" or not _FIGURE.search(text, head.start, head.end)
    written = [[text[slice(*span)].strip(" *_#.)") for span in spans] for spans in grid[has_head:]]
    ranks = [f"{number}" for number, _ in enumerate(written, 1)]
    columns_written = enumerate(zip(*written, strict=False))
    ranked = {number for number, column in columns_written if [*column] == ranks and len(ranks) > 1}
    for index, spans in enumerate(grid, -1 if has_head else 0):
        by_row = dict.fromkeys(source for span in spans for source in cited(*span))
        of_row = tuple(source for source in by_row if source[:2] == "P:")
        orders = tuple(source for source in by_row if source[:2] == "O:")
        words = next((span for span in spans if _LETTER.search(text, *span)), spans[0] if spans else None)
        for number, span in enumerate(spans):
            if number in ranked and index >= 0:
                continue
            of_column = tuple(columns[number])
            # A row of sources cites several products, one for each column.
            inherited = next((ids for ids in (of_row if index >= 0 else (), of_column) if len(ids) == 1), ())
            heads = [grid[0][number]] if has_head and index >= 0 and number < len(grid[0]) else []
            heads += [words] if words is not None and span is not words else []
            labels = tuple(filter(None, (label_of(text, *head) for head in heads)))
            yield _Cell(
                *span, index, number, tuple(heads), labels, cited(*span) or inherited, orders, rows[index + has_head]
            )


def label_of(text: str, start: int, end: int) -> str:
    """The words of a head or a first cell in lower case, without brackets and emphasis."""
    words = _BRACKETS.sub(" ", text[start:end]).replace("’", "'")
    return " ".join(re.sub(r"[^\w#★⭐%/' ]", " ", words).casefold().split())
