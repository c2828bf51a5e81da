"""One table, drawn in each form, its parts, and numbers as text, as ``tables.txt`` has them.
Also tests layout.py, markup.py, result.py and records/figures.py.

``python -m tests.viewer.drawing.test_table`` writes the file anew.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.records import figures
from drretail.viewer.drawing.layout import parts, table_lines
from drretail.viewer.drawing.markup import latex_table, markdown_table
from drretail.viewer.drawing.table import Cell, Column, Row, Table, csv_table, table_of
from tests.golden import read_golden, write_golden

GOLDEN = Path(__file__).with_name("tables.txt")

SCORES = Table(
    "Scores",
    (Column("FP"), Column("words")),
    (
        Row(
            "react",
            (Cell(0.7412, "number", 0.68, 0.8, n=48, planned=50, missing=("2 n/a",)), Cell(1234.6, "count")),
            "react@m",
        ),
        Row("oracle", (Cell(1.0, "number", n=50, planned=50), None), "oracle", "ceiling"),
    ),
    heading="System",
)


LABELS = st.lists(st.text("ab_-@+ ", min_size=1, max_size=40).filter(str.strip), min_size=1, max_size=4)


@given(LABELS, st.lists(st.floats(0, 1e6), min_size=1, max_size=12), st.integers(60, 120))
def test_no_figure_is_broken_or_lost_and_lines_fit(names: list[str], values: list[float], width: int) -> None:
    columns = [f"column_{at}" for at, _ in enumerate(values)]
    table = table_of("", ["", *columns], [(name, *values) for name in names])
    lines = table_lines(table, width)
    words = " ".join(lines).split()
    assert max(map(len, lines)) <= width
    for cell in table.rows[0].cells:
        assert cell is not None
        assert words.count(cell.text) >= len(names)


def columns(groups: str) -> list[Column]:
    return [Column(f"{group}{at}", group) for at, group in enumerate(groups)]


WITH_SIGNS = replace(SCORES, columns=(Column("50% & more | a", meaning="a_b"), SCORES.columns[1]), notes=("one\ntwo",))
FROM_ZERO = replace(SCORES, columns=SCORES.columns[:1], rows=(Row("none", (Cell(0.0, "percent", 0.0, 0.08),)),))
WIDE = Table(
    "Wide",
    tuple(Column(f"metric{at}") for at in range(12)),
    (Row("a", tuple(Cell(0.5, "number", 0.25, 0.75) for _ in range(12))),),
)
CELLS = (
    Cell(9, "of_all", 0.55, 1.0, n=10),
    Cell(9, "fraction", n=10),
    Cell(1, "of_all", -0.13, 0.33, signed=True),
    Cell(0.98, "short"),
    Cell(-0.014, "short", signed=True),
    Cell(23_000, "thousands", signed=True),
    Cell(4_700, "thousands"),
    Cell(0.0, "tenths", signed=True),
)
INTERVALS = ((0.676, 0.8), (0.631, 1.0), (0.0, 0.37), (-0.124, 0.3), (-1.0, 1.0), (0.12, 1.58), (148.5, 327.24))
SPREADS = ((1370.4, 58.2), (1370.4, None), (19.52, 8.04))


def with_counts(*counts: tuple[int | None, int | None]) -> str:
    """What stands beside the values of a table with these n of planned runs, and below it."""
    cells = [Cell(0.5, "number", n=n, planned=planned) for n, planned in counts]
    table = Table("", (Column("FP"),), tuple(Row(str(at), (cell,)) for at, cell in enumerate(cells)))
    return f"{[cell.denominator for cell in cells]} {table.basis}"


def in_csv(table: Table) -> str:
    return csv_table(table).decode("utf-8-sig").replace("\r\n", "\n").rstrip("\n")


DRAWN: dict[str, Callable[[], str]] = {
    "terminal": lambda: "\n".join(table_lines(SCORES, 80)),
    "terminal, no rows": lambda: "\n".join(table_lines(replace(SCORES, rows=()), 80)),
    "terminal, intervals below their values where room lacks": lambda: "\n".join(table_lines(SCORES, 22)),
    "markdown": lambda: markdown_table(SCORES),
    "markdown, signs of its own": lambda: markdown_table(WITH_SIGNS),
    "csv": lambda: in_csv(SCORES),
    "csv, an interval from zero": lambda: in_csv(FROM_ZERO),
    "latex, signs of its own": lambda: latex_table(WITH_SIGNS),
    "latex, wide": lambda: latex_table(WIDE),
    "json": lambda: "\n".join(str(cell and cell.document()) for row in SCORES.rows for cell in row.cells),
    "cells and their intervals": lambda: "\n".join(f"{cell.text} ({cell.interval}) {cell.counts}" for cell in CELLS),
    "n and what it counts": lambda: "\n".join(
        # All, not all, none (whose reason is shown), and nothing counted.
        with_counts(*counts)
        for counts in ([(10, 10)], [(1, 11), (11, 11)], [(0, 11), (9, None)], [(None, None)])
    ),
    "intervals": lambda: "\n".join(figures.interval(*each) for each in INTERVALS),
    "roughly": lambda: "\n".join(figures.roughly(each) for each in (87, 100, 163, 1104, 2856, None)),
    "dollars": lambda: "\n".join(figures.dollars(each) for each in (12.345, 1.0, 0.0123, 0.0)),
    "spreads": lambda: "\n".join(figures.spread(*each) for each in SPREADS),
    "columns in groups": lambda: "\n".join(
        str(parts(columns(groups), widths, room))
        # A group stays together where it fits by itself, and is torn where it doesn't; one column is too wide.
        for groups, widths, room in (("aaabbb", [1] * 6, 4), ("aaaaab", [1] * 6, 2), ("abc", [1, 9, 1], 4))
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_tables_and_figures_are_drawn_as_written_down(name: str) -> None:
    assert DRAWN[name]().strip("\n") == read_golden(GOLDEN)[name]


if __name__ == "__main__":
    write_golden(GOLDEN, {name: draw().strip("\n") for name, draw in DRAWN.items()})
