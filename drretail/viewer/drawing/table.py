"""A table before it is drawn: columns, rows of typed cells, and notes; a table as CSV."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from drretail.parsing import guarded
from drretail.records import figures
from drretail.records.run import NO_SYSTEMS, Place, Systems, place_of

Kind = Literal[
    "text",
    "number",
    "signed",
    "percent",
    "p",
    "count",
    "mean",
    "tenths",
    "thousands",
    "dollars",
    "check",
    "short",
    "of_all",
    "fraction",
]
_FORMATS: Mapping[str, Callable[[float | None], str]] = {
    "number": figures.number,
    "signed": figures.signed,
    "percent": figures.percent,
    "p": figures.p_value,
    "count": figures.count,
    "mean": figures.mean,
    "tenths": figures.tenths,
    "thousands": figures.thousands,
    "dollars": figures.dollars,
    "check": figures.check_mark,
    "short": figures.short,
    "of_all": figures.count,
    "fraction": figures.count,
}

_OVER: Mapping[str, str] = {"of_all": " of {:,}", "fraction": "/{:,}"}
"""Kinds of counts that stand before what they are counted among."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value with its interval, counts and marks; the value is a word if there is no number."""

    value: float | str | None
    kind: Kind = "text"
    low: float | None = None
    high: float | None = None
    """Ends of the 95% interval."""
    deviation: float | None = None
    """Standard deviation of a mean."""
    mark: str = ""
    """Shown directly after the figure: "*"."""
    signed: bool = False
    """True for a difference: a number above 0 is shown with its sign."""
    n: int | None = None
    """The value's denominator: how many reports, queries or runs it is over. None if it is not over several."""
    planned: int | None = None
    """What ``n`` would be if nothing were missing; None if that is unknown."""
    missing: tuple[str, ...] = ()
    """How many reports have no value, by reason: "2 n/a", "1 run failed"."""
    note: str = ""
    """Shown below the value, after the counts: "p .014"."""
    html: str = ""
    """Replaces all other fields on pages, for links and images."""

    @property
    def is_number(self) -> bool:
        return self.kind != "check" and not isinstance(self.value, str) and self.value is not None

    @property
    def number(self) -> float | None:
        """The value, unless it is a word."""
        return None if isinstance(self.value, str) else self.value

    @property
    def plain(self) -> float | str | None:
        """The value as its interval is: of what is counted, the share."""
        return self.number / self.n if self.kind in _OVER and self.n and self.number is not None else self.value

    @property
    def ends(self) -> tuple[float, float] | None:
        """The 95% interval; None without both ends."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def text(self) -> str:
        """The value with its mark, without interval and counts: "0.74*", "19.5 ± 8.0", "9 of 10", "+23k"."""
        if isinstance(self.value, str):
            shown = self.value
        elif self.kind == "mean":
            shown = figures.spread(self.value, self.deviation)
        else:
            form = _FORMATS.get(self.kind, figures.number)
            shown = form(self.value) + (f" ± {form(self.deviation)}" if self.deviation is not None else "")
            shown += "" if self.n is None else _OVER.get(self.kind, "").format(self.n)
            shown = f"+{shown}" if self.signed and (self.value or 0) > 0 and shown.strip("0.k") else shown
        return f"{shown}{self.mark}"

    @property
    def interval(self) -> str:
        if self.kind == "percent" or self.kind in _OVER:
            return figures.percent_interval(self.low, self.high)
        is_fine = self.kind in ("number", "signed", "text", "short")
        return figures.interval(self.low, self.high, figures.number if is_fine else _FORMATS[self.kind])

    @property
    def is_partial(self) -> bool:
        """True if the value is over fewer runs than planned."""
        return self.n is not None and self.planned is not None and self.n < self.planned

    @property
    def denominator(self) -> str:
        """ "n=11", or "9 of 11" if the value is over fewer than planned; empty without a value over several."""
        if not self.n or self.kind in _OVER:
            return ""
        return f"{self.n:,} of {self.planned:,}" if self.is_partial else f"n={self.n:,}"

    @property
    def counts(self) -> str:
        """All that stands below the value: "49 of 50, 1 n/a"."""
        return ", ".join(filter(None, (self.denominator, *self.missing, self.note)))

    @property
    def whole(self) -> str:
        """Everything in one line: "0.74 (.68–.80), 49 of 50"."""
        shown = f"{self.text} ({self.interval})" if self.interval else self.text
        return f"{shown}, {self.counts}" if self.counts else shown

    def document(self) -> object:
        """For JSON: the value alone if that is all there is, or else its ends, deviation and counts beside it."""
        cell_parts = {name: getattr(self, name) for name in ("low", "high", "deviation", "n", "planned", "missing")}
        parts = {name: part for name, part in cell_parts.items() if part not in (None, ())}
        return {"value": self.value, **parts} if parts else self.value


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    group: str = ""
    """Columns of one group stay side by side if a table is cut into parts."""
    meaning: str = ""
    """What the column shows, in a few words."""
    leads: bool = False
    """True if systems are chosen by it, so that a page prints it bold."""


@dataclass(frozen=True, slots=True)
class Row:
    """One system, or another thing that ``Table.heading`` names."""

    name: str
    cells: tuple[Cell | None, ...]
    """One for each column."""
    label: str = ""
    """The full name, if ``name`` leaves out what all rows share."""
    place: Place | Literal["difference", "paper"] = "system"
    meaning: str = ""
    """As ``Column.meaning``."""
    link: str = ""
    """The address that the name links to on pages."""

    @property
    def is_baseline(self) -> bool:
        """True for floors, the ceiling, differences and the paper's rows, which stand below a rule."""
        return self.place != "system"


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    by: str = ""
    """Who judged, and by which rules."""
    heading: str = ""
    """What a row is about; the heading of the names."""
    notes: tuple[str, ...] = ()
    """What a reader must know about the numbers."""
    unit: str = "planned run"
    """What ``Cell.n`` counts."""

    @property
    def full_title(self) -> str:
        return ", ".join(filter(None, (self.title, self.by)))

    @property
    def filled(self) -> "Table":
        """The table without the columns in which no row has anything."""
        cells = [[row.cells[at] for row in self.rows] for at in range(len(self.columns))]
        empty = (None, figures.NOTHING)
        places = [at for at, column in enumerate(cells) if any(cell and cell.value not in empty for cell in column)]
        rows = (replace(row, cells=tuple(row.cells[at] for at in places)) for row in self.rows)
        return replace(self, columns=tuple(self.columns[at] for at in places), rows=tuple(rows)) if places else self

    @property
    def basis(self) -> str:
        """As ``basis_of``."""
        return basis_of((cell for row in self.rows for cell in row.cells), self.unit)

    def is_of_numbers(self, at: int) -> bool:
        """True if a column holds numbers, or nothing at all; it is then aligned right."""
        cells = [cell for row in self.rows if (cell := row.cells[at]) is not None]
        cells = [cell for cell in cells if cell.value not in (None, figures.NOTHING)]
        return not cells or any(cell.is_number for cell in cells)


def basis_of(cells: Iterable[Cell | None], unit: str) -> str:
    """What the n beside values counts: "n: planned runs that a value is over."; empty if no value has any."""
    units = figures.counted(2, unit).partition(" ")[2]
    has_any = any(cell is not None and cell.denominator and cell.planned is not None for cell in cells)
    return f"n: {units} that a value is over." if has_any else ""


def pivot(
    title: str,
    cells: Mapping[tuple[str, str], Cell | None],
    names: Mapping[str, str],
    columns: Mapping[str, Column],
    systems: Systems = NO_SYSTEMS,
    *,
    heading: str = "System",
    **about: Any,
) -> Table:
    """A table of figures by label and column, with a row for each of ``names``, which are by label.

    ``columns`` are by the key that cells name them by.
    """
    rows = (
        Row(name, tuple(cells.get((label, key)) for key in columns), label, place_of(label, systems))
        for label, name in names.items()
    )
    return Table(title, tuple(columns.values()), tuple(rows), heading=heading, **about)


def table_of(
    title: str,
    columns: Sequence[str | Column],
    rows: Iterable[Sequence[object]],
    *,
    notes: Iterable[str] = (),
) -> Table:
    """A table of plain values. The first value of each row names it; integers are counts, floats are numbers."""
    heading, *others = [column if isinstance(column, Column) else Column(column) for column in columns]
    return Table(
        title,
        tuple(others),
        tuple(Row(cell_of(first).text, tuple(map(cell_of, rest))) for first, *rest in rows),
        heading=heading.name,
        notes=tuple(notes),
    )


def cell_of(value: object) -> Cell:
    """A cell for a plain value; a Cell is returned as it is."""
    match value:
        case Cell():
            return value
        case None:
            return Cell(None)
        case bool():
            return Cell("yes" if value else "no")
        case int():
            return Cell(value, "count")
        case float():
            return Cell(value, "number")
        case _:
            return Cell(str(value))


def as_csv(rows: Iterable[Sequence[str | float]]) -> bytes:
    """Rows as UTF-8 with the byte order mark that Excel knows it by; text is guarded, numbers stay numbers."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return buffer.getvalue().encode("utf-8-sig")


_PARTS = ("low", "high", "deviation", "n", "planned", "missing", "note")


def csv_table(table: Table) -> bytes:
    """The table as a CSV file: unrounded values, with intervals, deviations and counts in columns of their own."""
    parts = [
        [part for part in _PARTS if any(_part(row.cells[at], part) != "" for row in table.rows)]
        for at in range(len(table.columns))
    ]
    heads = [table.heading or "name"]
    for column, its in zip(table.columns, parts, strict=True):
        heads += [column.name, *(f"{column.name} {part}" for part in its)]
    lines: list[list[str | float]] = [[*heads]]
    for row in table.rows:
        lines.append([row.label or row.name])
        for cell, its in zip(row.cells, parts, strict=True):
            lines[-1].append("" if cell is None or cell.plain is None else cell.plain)
            lines[-1] += (_part(cell, part) for part in its)
    return as_csv(lines)


def csv_of(tables: Iterable[Table]) -> str:
    """Several tables in one sheet, each below its title, which is one cell in quotes."""
    titled = ((guarded(table.full_title).replace('"', '""'), csv_table(table).decode("utf-8-sig")) for table in tables)
    return "\n".join(f'"{title}"\n{rows}' for title, rows in titled).replace("\r\n", "\n")


def _part(cell: Cell | None, part: str) -> str | float:
    value = None if cell is None else getattr(cell, part)
    return "" if value is None else ", ".join(value) if isinstance(value, tuple) else value
