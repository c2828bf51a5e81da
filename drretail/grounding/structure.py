"""How a report is built: sections, and within them headings, list items, table rows and sentences, cut at citations.

Everything keeps offsets into the report. Code, links' addresses and reference lists are blanked first.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from drretail.grounding.citations import CitingMark, Known, citing_marks
from drretail.grounding.markup import blanked, lines, prose
from drretail.grounding.reference_list import read_references

LineKind = Literal["heading", "item", "row", "text"]
_HEADING = re.compile(r"[ \t]{0,3}(?P<marks>#{1,6})[ \t]+(?P<title>.*?)[ \t#]*$")
_BOLD_LINE = re.compile(r"[ \t]*\*\*(?P<title>[^*]{2,120})\*\*[ \t]*:?[ \t]*$")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_RULER = re.compile(r"[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*\|?[ \t]*$")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)*]{0,3}(?P<gap>\s+)(?=[\"'“‘(*]{0,3}[A-Z0-9—])")
_ABBREVIATION = re.compile(
    r"\b(?:vs|e\.g|i\.e|approx|no|oz|lb|ft|in|ct|etc|dr|mr|mrs|ms|st|max|min|incl|est|avg|pcs)\.$", re.I
)
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table, with the span of its column's header (empty without one)."""

    start: int
    end: int
    header_start: int = 0
    header_end: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a sentence or cell up to and with the citations that end it; ``cited`` are the ids of its sources."""

    start: int
    end: int
    cited: tuple[str, ...]
    """Evidence ids, or what is said where nothing was found."""
    cites: bool
    """False for words behind the last citation of their sentence, and for sentences without any."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One statement of the report: a heading, a sentence, or a row of a table."""

    kind: LineKind
    start: int
    end: int
    line: int
    """Number of its line; the sentences of a paragraph or item share one."""
    section: int
    level: int = 0
    """Of a heading 1 to 6 (7 for a line in bold), of an item its indentation."""
    cells: tuple[Cell, ...] = ()
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands beneath it up to the next heading of any level."""

    title: str
    level: int
    start: int
    body: int
    """Where the text below the heading begins."""
    end: int
    parent: int | None


@dataclass(frozen=True, slots=True)
class Structure:
    """A report in parts; ``text`` is the report with all that is no prose blanked, marks of citations included."""

    report: str
    text: str
    units: tuple[Unit, ...]
    sections: tuple[Section, ...]
    marks: tuple[CitingMark, ...] = field(repr=False)

    def header(self, cell: Cell) -> str:
        """What stands above a cell, in lower case."""
        return self.text[cell.header_start : cell.header_end].strip(" *").casefold()

    def path(self, section: int) -> Iterator[Section]:
        """A section and those that it stands in, innermost first."""
        current: int | None = section
        while current is not None:
            yield self.sections[current]
            current = self.sections[current].parent


def read_structure(report: str, evidence: Known | None) -> Structure:
    """The parts of a report, whose citations are resolved against ``evidence``."""
    marks = tuple(citing_marks(report, evidence))
    bare = prose(report)
    bare = blanked(bare, read_references(bare).spans)
    plain = blanked(bare, _without_link_texts(report, marks))
    sections = _sections(plain)
    return Structure(report, plain, tuple(_units(plain, sections, marks)), sections, marks)


def _without_link_texts(report: str, marks: Sequence[CitingMark]) -> Iterator[tuple[int, int]]:
    """The spans of all marks, without the words of links, which belong to the sentence."""
    for mark in marks:
        text, arrow, _ = report[mark.start : mark.end].partition("](")
        if arrow and text.startswith("[") and mark.cited[0].said not in text:
            yield mark.start, mark.start + 1
            yield mark.start + len(text), mark.end
        else:
            yield mark.start, mark.end


def _sections(text: str) -> tuple[Section, ...]:
    found: list[tuple[str, int, int, int]] = [("", 0, 0, 0)]
    for start, end in lines(text):
        if (heading := _heading(text[start:end])) is not None:
            found.append((heading[0], heading[1], start, end))
    ends = [start for _, _, start, _ in found[1:]] + [len(text)]
    sections: list[Section] = []
    above: list[int] = []
    for (title, level, start, body), end in zip(found, ends, strict=True):
        while above and sections[above[-1]].level >= level:
            above.pop()
        sections.append(Section(title, level, start, body, end, above[-1] if above else None))
        above.append(len(sections) - 1)
    return tuple(sections)


def _heading(line: str) -> tuple[str, int] | None:
    if heading := _HEADING.match(line):
        return heading["title"].strip("* "), len(heading["marks"])
    if bold := _BOLD_LINE.match(line):
        return (bold["title"].strip(), 7) if not bold["title"].rstrip(" :").endswith((".", "!")) else None
    return None


def _units(text: str, sections: tuple[Section, ...], marks: Sequence[CitingMark]) -> Iterator[Unit]:
    starts = [section.start for section in sections]
    headers: list[Cell] = []
    all_lines = list(lines(text))
    for number, (start, end) in enumerate(all_lines):
        line = text[start:end]
        section = max(0, bisect_right(starts, start) - 1)
        section = section if start >= sections[section].start else 0
        is_row = line.count("|") >= 2 or ("|" in line and (bool(headers) or _is_ruled(text, all_lines, number)))
        if not is_row:
            headers = []
        if not line.strip() or _RULER.fullmatch(line):
            continue
        if is_row and not headers and _is_ruled(text, all_lines, number):
            headers = list(_cells(line, start, []))
        elif is_row:
            cells = tuple(_cells(line, start, headers))
            pieces = tuple(_pieces(start, end, marks))
            yield Unit("row", start, end, number, section, cells=cells, pieces=pieces)
        else:
            yield from _written(text, start, end, number, section, marks)


def _is_ruled(text: str, all_lines: Sequence[tuple[int, int]], number: int) -> bool:
    """True for the head of a table: the next line is its ruler."""
    return number + 1 < len(all_lines) and bool(_RULER.fullmatch(text[slice(*all_lines[number + 1])]))


def _written(text: str, start: int, end: int, number: int, section: int, marks: Sequence[CitingMark]) -> Iterator[Unit]:
    line = text[start:end]
    heading = _heading(line)
    if heading is not None:
        yield Unit("heading", start, end, number, section, heading[1], pieces=tuple(_pieces(start, end, marks)))
        return
    item = _ITEM.match(line)
    kind: LineKind = "item" if item else "text"
    level = len(item["indent"].expandtabs(4)) if item else 0
    for first, last in _sentences(text, start + (item.end() if item else 0), end):
        yield Unit(kind, first, last, number, section, level, pieces=tuple(_pieces(first, last, marks)))


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Marks are blank, and so belong to the sentence before them."""
    first = start
    for match in _SENTENCE_END.finditer(text, start, end):
        if not _ABBREVIATION.search(text, max(start, match.start() - 8), match.start()):
            yield first, match.end("gap")
            first = match.end("gap")
    if text[first:end].strip():
        yield first, end


def _pieces(start: int, end: int, marks: Sequence[CitingMark]) -> Iterator[Piece]:
    """Cut behind each run of adjacent marks."""
    inside = [mark for mark in marks if start <= mark.start < end]
    runs: list[list[CitingMark]] = []
    for mark in inside:
        if runs and mark.start - runs[-1][-1].end <= 2:
            runs[-1].append(mark)
        else:
            runs.append([mark])
    position = start
    for run in runs:
        cited = tuple(dict.fromkeys(cited.source for mark in run for cited in mark.cited))
        yield Piece(position, run[-1].end, cited, cites=True)
        position = run[-1].end
    if position < end:
        yield Piece(position, end, (), cites=False)


def _cells(line: str, offset: int, headers: Sequence[Cell]) -> Iterator[Cell]:
    bars = [match.start() for match in _CELL.finditer(line)]
    first = bars[0] if not line[: bars[0]].strip() else -1
    last = bars[-1] if not line[bars[-1] + 1 :].strip() else len(line)
    edges = [bar for bar in (first, *bars, last) if first <= bar <= last]
    for index, (left, right) in enumerate(pairwise(dict.fromkeys(edges))):
        header = headers[index] if index < len(headers) else None
        span = (header.start, header.end) if header else (0, 0)
        yield Cell(offset + left + 1, offset + right, *span)
