"""Scores on the terminal: one table for each family and judge, and what must be known beside its numbers."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.errors import UnknownName
from drretail.viewer.output import print_notes, print_title, stdout_console
from drretail.viewer.tables.scores import NOT_RATED, score_tables, table_key_of
from drretail.viewer.tables.slices import BY, MEANINGS, few_words, sliced_tables
from drretail.viewer.tables.widths import broken, parts

if TYPE_CHECKING:
    from rich.box import Box
    from rich.table import Table as Grid
    from rich.text import Text

    from drretail.viewer.tables.scores import Cell, Column, Line, Table
if TYPE_CHECKING:
    from drretail.records.score import Judging, Scores, SliceBy
    from drretail.viewer.tables.scores import TableKey


NARROWEST = 12
"""Of a column: an interval of shares, as in [0.89, 0.95]."""
USUAL = 17
"""Of a share with its interval; names and counts that are longer are folded."""
_GAP = 2
_EDGES = 2
_GREY = "dim"
_INDENT = "  "


def print_grid(table: "Table") -> None:
    """The table on stdout in as few parts as fit side by side, its title above all.

    Intervals stand beside their values, or, where a group of columns would be torn by that, below them. A single
    system has a row for each variant.
    """
    console = stdout_console()
    print_title(", ".join(filter(None, [table.title, table.by])))
    if len({line.label for line in table.lines}) == 1 and len(table.columns) > 1:
        console.print(_upright(table))
        return
    widths = _widths(table, beside=True)
    names = _names_width(table.lines, console.width, sum(widths))
    room = console.width - names - _EDGES
    beside = all(sum(widths[place] for place in places) <= room for places in _groups(table))
    widths = widths if beside else _widths(table, beside=False)
    for places in parts(table.columns, widths, room):
        console.print(_grid(table, places, names, beside=beside))


def _names_width(lines: "Sequence[Line]", width: int, others: int) -> int:
    """Of the column of systems: a quarter of the line, or what the others leave; 20 in any case."""
    longest = max((len(name) for line in lines for name in (line.system, _INDENT + line.manner)), default=0)
    return min(longest, max(20, width // 4, width - others - _EDGES))


def _groups(table: "Table") -> list[list[int]]:
    """The places of columns that belong together, of every group that has several."""
    grouped = groupby(range(len(table.columns)), key=lambda place: table.columns[place].group)
    return [places for _, group in grouped if len(places := list(group)) > 1]


def _widths(table: "Table", *, beside: bool) -> list[int]:
    """Of every column, with the gap behind it."""
    return [_width(table, place, beside=beside) + _GAP for place in range(len(table.columns))]


def _width(table: "Table", place: int, *, beside: bool) -> int:
    texts = (_figures(line.cells[place], beside=beside) for line in table.lines)
    figures = [part for text in texts for part in text.split("\n")]
    counts = [cell.counts for line in table.lines if (cell := line.cells[place]) is not None]
    column = table.columns[place]
    if column.narrow:
        words = column.name.replace("_", "_ ").split()
        pieces = [piece for text in counts for piece in text.split(", ")]
        return max(map(len, (*words, *pieces, *figures)))
    foldable = min(max([len(column.name), *map(len, counts)]), USUAL)
    return max(NARROWEST, foldable if beside else 0, *map(len, figures))


def _grid(table: "Table", places: Sequence[int], names: int, *, beside: bool) -> "Grid":
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=ruled(), padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column("", width=names, overflow="fold")
    for place in places:
        width = _width(table, place, beside=beside)
        column = table.columns[place]
        grid.add_column(_heading(column, width), width=width, overflow="fold", style=_GREY if column.few else "")
    lines = [line for line in table.lines if not line.manner or any(line.cells[place] for place in places)]
    for line, following in zip(lines, (*lines[1:], None), strict=True):
        ends = following is not None and following.section != line.section
        name = Text("\n".join(broken(_INDENT + line.manner if line.manner else line.system, names)))
        shown = [_text(line.cells[place], _width(table, place, beside=beside), beside=beside) for place in places]
        grey = line.place in ("floor", "ceiling") or line.manner
        grid.add_row(name, *shown, style=_GREY if grey else "", end_section=ends)
    return grid


def _upright(table: "Table") -> "Grid":
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=ruled(), padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("", *(line.manner or line.system for line in table.lines)):
        grid.add_column(heading, overflow="fold")
    for at, column in enumerate(table.columns):
        name = " ".join(filter(None, [column.name, column.counts]))
        cells = [_text(line.cells[at], None, beside=True) for line in table.lines]
        grid.add_row(Text(name), *cells, style=_GREY if column.few else "")
    return grid


def _heading(column: "Column", width: int) -> str:
    """The name, broken at its underscores where it is too long, and what there is to say of the whole column."""
    return "\n".join([*broken(column.name, width), *filter(None, [column.counts])])


def _text(cell: "Cell | None", width: int | None, *, beside: bool) -> "str | Text":
    """Its figures, and its counts below in lines of that width; on the same line where there is no width."""
    from rich.text import Text

    if cell is None:
        return ""
    text = Text(_figures(cell, beside=beside), style=_GREY if cell.few else "")
    if not cell.counts:
        return text
    counts = f"  {cell.counts}" if width is None else "\n" + "\n".join(_filled(cell.counts.split(", "), width))
    return text.append(counts, style=_GREY)


def _filled(parts: "Sequence[str]", width: int) -> Iterator[str]:
    """The parts with commas between them, in as few lines as have room for whole ones."""
    line = ""
    for at, part in enumerate(parts, 1):
        said = part + ("," if at < len(parts) else "")
        if line and len(f"{line} {said}") > width:
            yield line
            line = ""
        line = f"{line} {said}".strip()
    yield line


def _figures(cell: "Cell | None", *, beside: bool) -> str:
    """Value and interval: 0.74 [0.68, 0.80]."""
    if cell is None:
        return ""
    gap = " " if beside else "\n"
    return f"{cell.value}{gap}[{cell.interval}]" if cell.interval else cell.value


def ruled() -> "Box":
    """Rules below the headings and between sections, and none anywhere else."""
    from rich.box import Box

    return Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")


def print_scores(scores: "Scores") -> None:
    """All tables on stdout, each followed by what must be known beside its numbers."""
    table_keys = dict.fromkeys(map(table_key_of, scores.scores))
    for table_key, table in zip(table_keys, score_tables(scores.scores, scores.metrics), strict=True):
        if not table.columns:
            unrated = f"{NOT_RATED}. Numbers need a language model: --judge PROVIDER:MODEL."
            first, *others = [unrated] if table.unrated else table.notes
            print_notes([f"{table.title}, {table.by}: {first}", *others, ""])
            continue
        print_grid(table)
        judgings = [judging for judging in scores.judgings if _table_key(judging) == table_key]
        print_notes([*table.notes, *_standing(judgings), ""])


def print_slices(scores: "Scores", by: "Sequence[SliceBy]") -> None:
    """The headline variants by category, kind or constraint on stdout; says so where there are none."""
    tables_of_judges = sliced_tables(scores.slices, scores.scores, by, scores.metrics)
    for sliced in tables_of_judges:
        for table in sliced.tables:
            print_grid(table)
        print_notes(filter(None, [*(MEANINGS[it] for it in by), few_words(sliced.tables), *sliced.notes]))
        print_notes([""])
    if not tables_of_judges:
        print_notes(["There is nothing to slice: no family that was scored has numbers."])


def slice_kinds(names: "Sequence[str]") -> "list[SliceBy]":
    """What tables are asked for by, each once. Raises UnknownName for anything else."""
    known: dict[str, SliceBy] = {kind: kind for kind in BY}
    for name in names:
        if name not in known:
            raise UnknownName("kind of slice", name, known)
    return [known[name] for name in dict.fromkeys(names)]


def _table_key(row: "Judging") -> "TableKey":
    return row.metric, row.judge, row.judge_params, row.rules


def _standing(judgings: "Iterable[Judging]") -> Iterator[str]:
    for judging in judgings:
        told = {
            "verdicts failed": judging.failed,
            "stale verdicts (another report or other words) unused": judging.stale,
            "reports not judged": judging.not_judged,
        }
        parts = [f"{count:,} {what}" for what, count in told.items() if count]
        if parts:
            yield f"{judging.system}: {', '.join(parts)}."
