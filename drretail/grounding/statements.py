"""The statements of a report, in the places that they hold: sentences in paragraphs and items, rows in tables."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drretail.grounding.markup import lines
from drretail.grounding.sentences import find_sentences
from drretail.grounding.structure import LineKind, Structure


@dataclass(frozen=True, slots=True)
class Statement:
    """``report[start:end]``: a heading, a sentence of a paragraph or of a list item, or a row of a table."""

    kind: LineKind
    start: int
    end: int
    block: int
    """Number of its paragraph, item or table; statements of one block stand together."""
    section: int
    """Index of the structure's section that it stands in; a heading stands in its own."""
    line: int
    level: int = 0
    """Of an item its indentation."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A report as lines, and as statements in text order that lie apart."""

    structure: Structure
    lines: tuple[tuple[int, int], ...]
    statements: tuple[Statement, ...]

    def at(self, place: int) -> int | None:
        """The number of the statement that holds a place; the one before it where the place lies between two."""
        index = bisect_right(self.statements, place, key=lambda statement: statement.start) - 1
        if index >= 0 and place < self.statements[index].end:
            return index
        line = self.line_of(place)
        on_line = [number for number, it in enumerate(self.statements) if it.line == line]
        return on_line[-1] if on_line else None

    def line_of(self, place: int) -> int:
        return bisect_right(self.lines, place, key=lambda line: line[0]) - 1

    def text(self, statement: Statement) -> str:
        return self.structure.report[statement.start : statement.end]

    def block(self, number: int) -> list[int]:
        """The numbers of the statements of a block."""
        return [index for index, statement in enumerate(self.statements) if statement.block == number]


def read_layout(structure: Structure) -> Layout:
    """The layout of a report; what stands in reference lists and code is no statement."""
    all_lines = tuple(lines(structure.report))
    placed = sorted([*_units(structure), *_sentences(structure)], key=lambda it: it[1])
    return Layout(structure, all_lines, tuple(_numbered(structure, all_lines, placed)))


_Placed = tuple[LineKind, int, int, int, int]
"""Kind, start, end, section, level."""


def _units(structure: Structure) -> Iterator[_Placed]:
    """Headings and rows, whose lines hold nothing else."""
    for unit in structure.units:
        if unit.kind in ("heading", "row"):
            start, end = _trimmed(structure.report, unit.start, unit.end)
            yield unit.kind, start, end, unit.section, unit.level


def _sentences(structure: Structure) -> Iterator[_Placed]:
    """Sentences, which may go over several lines; those that the structure reads as rows or headings are left out."""
    taken = [(unit.start, unit.end) for unit in structure.units if unit.kind in ("heading", "row")]
    starts = [section.start for section in structure.sections]
    covered: list[tuple[int, int]] = []
    for sentence in find_sentences(structure.report):
        if sentence.kind == "table_head" or _meets(taken, sentence.start, sentence.end):
            continue
        covered.append((sentence.start, sentence.end))
        section = max(0, bisect_right(starts, sentence.start) - 1)
        level = _indentation(structure.report, sentence.start)
        yield "item" if sentence.kind == "item" else "text", sentence.start, sentence.end, section, level
    for unit in structure.units:
        if unit.kind in ("item", "text") and not _meets(covered, unit.start, unit.end):
            start, end = _trimmed(structure.report, unit.start, unit.end)
            if any(character.isalnum() for character in structure.text[start:end]):
                yield unit.kind, start, end, unit.section, unit.level


def _numbered(
    structure: Structure, all_lines: Sequence[tuple[int, int]], placed: Sequence[_Placed]
) -> Iterator[Statement]:
    block, before = -1, None
    for kind, start, end, section, level in placed:
        if before is None or not _goes_on(structure.report, before, (kind, start)):
            block += 1
        line = bisect_right(all_lines, start, key=lambda it: it[0]) - 1
        yield Statement(kind, start, end, block, section, line, level)
        before = (kind, end)


def _goes_on(report: str, before: tuple[LineKind, int], this: tuple[LineKind, int]) -> bool:
    """True when two statements are of one paragraph, of one item, or neighbouring rows."""
    if before[0] != this[0] or this[0] == "heading":
        return False
    gap = report[before[1] : this[1]]
    if this[0] == "row":
        return gap.count("\n") == 1
    return not gap.strip() and gap.count("\n") < 2


def _meets(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """True when one of the spans, in text order and apart, overlaps; linear only in those before it."""
    index = bisect_right(spans, end - 1, key=lambda span: span[0]) - 1
    return index >= 0 and spans[index][1] > start


def _indentation(report: str, start: int) -> int:
    line = report[report.rfind("\n", 0, start) + 1 : start]
    return len((line[: len(line) - len(line.lstrip())]).expandtabs(4))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), end - (len(inside) - len(inside.rstrip()))
