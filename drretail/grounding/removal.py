"""A report without some of its statements: what is left is well-formed, and in the words and order that it had."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from drretail.grounding.statements import Layout, Statement
from drretail.grounding.totals import SUM_CELL

_RULER = re.compile(r"[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*\|?[ \t]*$")
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_PAIRS = {")": "(", "]": "["}
_BLANKS = re.compile(r"(?:[ \t]*\n)+")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, order=True)
class Cut:
    """``report[start:end]`` goes, out of a statement that stays; ``instead`` is what joins its two sides."""

    start: int
    end: int
    instead: str = ""


def without(
    layout: Layout, struck: Collection[int], cuts: Sequence[Cut] = (), remarks: Sequence[tuple[int, str]] = ()
) -> str:
    """The report without the statements of these numbers, and without ``cuts``, which are in statements that stay.

    ``remarks`` are paragraphs to be added, each with the index of the section at whose end it is to stand. Headings
    and tables with nothing left in them go too, and blank lines that would stand doubled.
    """
    report = layout.structure.report
    struck = complete(layout, struck)
    gone = _lines_gone(layout, struck)
    spans = [Cut(*span) for span in (*_inside(layout, struck, gone), *_whole(layout, gone))]
    ends = [(layout.structure.sections[section].end, text) for section, text in remarks]
    added = [Cut(end, end, ("" if report[:end].endswith("\n") else "\n") + f"\n{text}\n\n") for end, text in ends]
    parts: list[str] = []
    position = 0
    for cut in sorted([*cuts, *spans, *added]):
        if cut.start >= position:
            parts.append(report[position : cut.start])
        elif cut.end <= position and cut not in added:
            continue
        parts.append(cut.instead)
        position = max(position, cut.end)
    return _tidied("".join([*parts, report[position:]]), report)


def headings_gone(layout: Layout, struck: Collection[int]) -> frozenset[int]:
    """The sections, by number, of whose heading and text nothing is left without the statements of these numbers."""
    gone = _lines_gone(layout, complete(layout, struck))
    sections = enumerate(layout.structure.sections)
    return frozenset(number for number, it in sections if it.level > 0 and layout.line_of(it.start) in gone)


def complete(layout: Layout, struck: Collection[int]) -> frozenset[int]:
    """The statements with those that cannot stand without them: the rest of an item whose beginning goes, rows of
    sums alone, and the rest of a paragraph that would be left with half a pair of marks.
    """
    numbers = set(struck)
    for block in _blocks(layout):
        inside = [index for index in block if index in numbers]
        if not inside:
            continue
        first = layout.statements[block[0]]
        if first.kind == "row":
            left = [index for index in block if index not in numbers]
            if not any(not _is_sum(layout, layout.statements[index]) for index in left):
                numbers.update(block)
        elif (first.kind == "item" and block[0] in numbers) or not _balanced_without(layout, block, numbers):
            numbers.update(block)
    return frozenset(numbers)


def _is_sum(layout: Layout, row: Statement) -> bool:
    text = layout.structure.text[row.start : row.end]
    return bool(SUM_CELL.match(text.lstrip(" |")))


def _blocks(layout: Layout) -> Iterator[list[int]]:
    block: list[int] = []
    for index, statement in enumerate(layout.statements):
        if block and layout.statements[block[0]].block != statement.block:
            yield block
            block = []
        block.append(index)
    if block:
        yield block


def _balanced_without(layout: Layout, block: Sequence[int], struck: Collection[int]) -> bool:
    """False when marks that pair in the whole block would not pair in what is left of it."""
    statements = layout.statements
    whole = layout.structure.report[statements[block[0]].start : statements[block[-1]].end]
    left = " ".join(layout.text(statements[index]) for index in block if index not in struck)
    return balanced(left) or not balanced(whole)


def balanced(text: str) -> bool:
    """True when brackets, backticks and signs of bold type pair."""
    opened: list[str] = []
    for character in text:
        if character in "([":
            opened.append(character)
        elif character in _PAIRS and (not opened or opened.pop() != _PAIRS[character]):
            return False
    return not opened and text.count("**") % 2 == 0 and text.count("`") % 2 == 0


def _lines_gone(layout: Layout, struck: Collection[int]) -> frozenset[int]:
    """The lines of blocks that go as a whole, with heads of tables and headings that are left empty."""
    gone: set[int] = set()
    for block in _blocks(layout):
        if all(index in struck for index in block):
            first, last = layout.statements[block[0]], layout.statements[block[-1]]
            whole = range(first.line, layout.line_of(max(last.start, last.end - 1)) + 1)
            gone.update(number for number in whole if not _ends_code(layout, number))
            if first.kind == "row":
                gone.update(_head_of_table(layout, first.line))
        elif layout.statements[block[0]].kind == "row":
            gone.update(layout.statements[index].line for index in block if index in struck)
    gone.update(_headings_left_empty(layout, gone))
    return frozenset(gone)


def _ends_code(layout: Layout, line: int) -> bool:
    """True for the fence of a block of code, behind which models put marks."""
    return bool(_FENCE.match(layout.structure.report, *layout.lines[line]))


def _head_of_table(layout: Layout, first_row: int) -> Iterator[int]:
    """The lines of pipes and rulers directly above the first row."""
    report = layout.structure.report
    number = first_row - 1
    while number >= 0:
        line = report[slice(*layout.lines[number])]
        if "|" not in line and not (line.strip() and _RULER.match(line)):
            return
        yield number
        number -= 1


def _headings_left_empty(layout: Layout, gone: Collection[int]) -> Iterator[int]:
    """The lines of headings below which something stood, and nothing stands any more."""
    structure = layout.structure
    for index, section in enumerate(structure.sections):
        if section.level == 0:
            continue
        below = [number for number, _ in enumerate(structure.sections) if section in structure.path(number)]
        last = layout.line_of(max(section.start, max(structure.sections[number].end for number in below) - 1))
        heads = {layout.line_of(structure.sections[number].start) for number in below}
        body = [
            number
            for number in range(layout.line_of(section.start) + 1, last + 1)
            if number not in heads and structure.report[slice(*layout.lines[number])].strip()
        ]
        if body and all(number in gone for number in body):
            yield layout.line_of(structure.sections[index].start)


def _whole(layout: Layout, gone: Collection[int]) -> Iterator[Span]:
    """The spans of lines with their newlines."""
    end_of_report = len(layout.structure.report)
    for number in sorted(gone):
        start, end = layout.lines[number]
        yield start, min(end + 1, end_of_report)


def _inside(layout: Layout, struck: Collection[int], gone: Collection[int]) -> Iterator[Span]:
    """The spans of sentences whose paragraph stays, with the space up to the next one."""
    statements = layout.statements
    for block in _blocks(layout):
        if statements[block[0]].line in gone and all(index in struck for index in block):
            continue
        if statements[block[0]].kind in ("row", "heading"):
            continue
        for place, index in enumerate(block):
            if index not in struck:
                continue
            if any(later not in struck for later in block[place + 1 :]):
                yield statements[index].start, statements[block[place + 1]].start
            else:
                left = [earlier for earlier in block[:place] if earlier not in struck]
                yield (statements[left[-1]].end if left else statements[index].start), statements[index].end


def _tidied(text: str, before: str) -> str:
    """Without blank lines that were not doubled before; code keeps its own."""
    most = max((match[0].count("\n") for match in re.finditer(r"\n(?:[ \t]*\n)*", before)), default=1)
    limit = max(2, most)
    text = re.sub(r"\n(?:[ \t]*\n){2,}", lambda match: "\n" * min(match[0].count("\n"), limit), text)
    return text.strip("\n") + ("\n" if before.endswith("\n") and text.strip() else "")
