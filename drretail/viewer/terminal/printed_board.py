"""The scoreboard on the terminal: one table that fits, what differs, and where to read on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drretail.viewer.output import print_notes, print_title, stdout_console
from drretail.viewer.tables.agreement import agreement_table
from drretail.viewer.tables.conclusion import conclusion
from drretail.viewer.tables.scoreboard import INTERVALS, LAB, SPARE, BoardLine, PrintedBoard, PrintedCell, printed_board
from drretail.viewer.tables.scores import NONE_HELD, Metrics
from drretail.viewer.tables.widths import broken
from drretail.viewer.terminal.grid import say
from drretail.viewer.terminal.printed_scores import ruled

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from drretail.records.score import Agreement
    from drretail.records.scoreboard import BoardJudge, Scoreboard

NAMES = 16
"""A column of systems is no narrower; names that are longer are folded."""
NOTHING = "–"
_GREY = "dim"
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class _Layout:
    """What of a board is printed."""

    places: tuple[int, ...]
    """Of its columns."""
    gap: int = 2
    intervals: bool = True


def print_scoreboard(
    board: "Scoreboard",
    agreements: "Sequence[Agreement]" = (),
    metrics: Metrics = NONE_HELD,
    lab: Sequence[str] = (),
) -> None:
    """What can be concluded, the table, what its columns mean, and what must be known beside; on stdout.

    Last what the judge lab found, a line each.

    Of several judges the first one's scores; of the others who they are, and how far they agree with it.
    """
    printed = printed_board(board, lab).of_one_judge
    said = conclusion(board)
    for sentence in filter(None, (said.can, said.cannot)):
        say(sentence)
    print_notes([""])
    print_title(", ".join([printed.title, printed.by]))
    console = stdout_console()
    layout = _layout(printed, console.width)
    console.print(_table(printed, layout, console.width))
    print_notes([""])
    say(f"{printed.legend}{_on_intervals(printed, layout)}")
    left = [column.name for at, column in enumerate(printed.columns) if at not in layout.places]
    if left:
        say(f"Left out for want of width: {', '.join(left)}. --json has all.")
    for sentence in _on_others(board, agreements, metrics):
        say(sentence)
    print_notes([""])
    differs = printed.differs if said.is_cut else ()
    for title, sentences in (("What differs", differs), ("Notes", printed.notes), (LAB, printed.lab)):
        if sentences:
            print_title(title)
        for sentence in sentences:
            say(sentence)


def _on_others(board: "Scoreboard", agreements: "Sequence[Agreement]", metrics: Metrics) -> Iterator[str]:
    """Who else judged, and how far every two judges agree."""
    if board.others:
        yield f"Also judged by {', '.join(_who(other.judge) for other in board.others)}: --details."
    table = agreement_table(agreements, metrics)
    for line in table.lines if table is not None else ():
        cells = zip(table.columns, line.cells, strict=True) if table is not None else ()
        told = ", ".join(f"{column.name} {cell.value} ({cell.counts})" for column, cell in cells if cell is not None)
        yield f"Agreement of {line.label}: {told}; Spearman's ρ over reports, 1 where they rank alike."


def _who(judge: "BoardJudge") -> str:
    return judge.spec if judge.rules == "default" else f"{judge.spec} (rules of {judge.rules})"


def board_lines(printed: PrintedBoard, width: int) -> list[str]:
    """The table as lines of plain text that are no wider, as far as its columns let it be."""
    from io import StringIO

    from rich.console import Console

    console = Console(file=StringIO(), width=width, highlight=False, markup=False, emoji=False, color_system=None)
    with console.capture() as drawn:
        console.print(_table(printed, _layout(printed, width), width))
    return [line.rstrip() for line in drawn.get().splitlines()]


def board_legend(printed: PrintedBoard, width: int) -> str:
    """What the columns mean, and what stands below the values, in one line."""
    return f"{printed.legend}{_on_intervals(printed, _layout(printed, width))}"


def _on_intervals(printed: PrintedBoard, layout: _Layout) -> str:
    if not printed.has_intervals:
        return ""
    if not layout.intervals:
        return " 95 % intervals: in a wider terminal, and by --details."
    floors = " Those of floors and oracle: --details." if any(map(_is_floor, printed.lines)) else ""
    return f" Below: {INTERVALS}.{floors}"


def _is_floor(line: BoardLine) -> bool:
    """Floors and the ceiling: nobody chooses them, so they take a line each."""
    return line.place in ("floor", "ceiling")


def _layout(printed: PrintedBoard, width: int) -> _Layout:
    """The first that fits of ever sparer ones."""
    *_, last = tried = list(_sparer(printed))
    names = min(NAMES, max(len(line.name) for line in printed.lines))
    return next((it for it in tried if names + sum(_widths(printed, it)) <= width), last)


def _sparer(printed: PrintedBoard) -> Iterator[_Layout]:
    """Tighter first, then without what runs took, without intervals, then without the last columns: the first one of
    each family goes after all others."""
    places = tuple(range(len(printed.columns)))
    yield _Layout(places)
    yield _Layout(places, gap=1)
    for unit in SPARE:
        places = tuple(at for at in places if printed.columns[at].unit != unit)
        yield _Layout(places, gap=1)
    yield _Layout(places, gap=1, intervals=False)
    for left in sorted(places, key=lambda at: (printed.columns[at].is_headline, -at)):
        places = tuple(at for at in places if at != left)
        yield _Layout(places, gap=1, intervals=False)


def _widths(printed: PrintedBoard, layout: _Layout) -> list[int]:
    """Of every column that is kept, with the gap before it."""
    return [_width(printed, at, layout) + layout.gap for at in layout.places]


def _width(printed: PrintedBoard, at: int, layout: _Layout) -> int:
    heads = printed.columns[at].name.replace("_", "_ ").split()
    return max(len(it) for it in (*heads, NOTHING, *(it for line in printed.lines for it in _parts(line, at, layout))))


def _parts(line: BoardLine, at: int, layout: _Layout) -> Sequence[str]:
    cell = line.cells[at]
    return (NOTHING,) if cell is None else (_first(cell), *_below(line, cell, layout))


def _first(cell: PrintedCell) -> str:
    return f"{cell.value} {cell.beside}" if cell.beside else cell.value


def _below(line: BoardLine, cell: PrintedCell, layout: _Layout) -> Sequence[str]:
    interval = cell.interval if layout.intervals and not _is_floor(line) else ""
    return [it for it in (interval, cell.counts) if it]


def _table(printed: PrintedBoard, layout: _Layout, width: int) -> "Table":
    from rich.table import Table
    from rich.text import Text

    longest = max(len(_name(line)) for line in printed.lines)
    names = min(longest, max(NAMES, width - sum(_widths(printed, layout))))
    table = Table(box=ruled(), padding=(0, 0, 0, layout.gap - 1), pad_edge=False, show_edge=False)
    table.add_column("", width=names, overflow="fold")
    for at in layout.places:
        wide = _width(printed, at, layout)
        table.add_column("\n".join(broken(printed.columns[at].name, wide)), width=wide, justify="right", no_wrap=True)
    for line, following in zip(printed.lines, (*printed.lines[1:], None), strict=True):
        ends = following is not None and following.section != line.section
        cells = [_text(line, at, layout) for at in layout.places]
        name = Text("\n".join(broken(_name(line), names)))
        grey = _is_floor(line) or line.is_of_other_judge
        table.add_row(name, *cells, style=_GREY if grey else "", end_section=ends)
    return table


def _name(line: BoardLine) -> str:
    return f"{_INDENT}{line.name}" if line.is_of_other_judge else line.name


def _text(line: BoardLine, at: int, layout: _Layout) -> "Text":
    from rich.text import Text

    cell = line.cells[at]
    if cell is None:
        return Text("" if line.is_of_other_judge else NOTHING, style=_GREY)
    text = Text(_first(cell))
    for part in _below(line, cell, layout):
        text.append(f"\n{part}", style=_GREY)
    return text
