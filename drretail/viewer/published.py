"""One of the paper's tables with the experiment's own rows in it."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from drretail.records.run import Run, System
from drretail.records.tables.table import Cell, Column, Kind, Row, Table, pivot

HERE, PAPER = Cell("here"), Cell("paper")
"""The source of a row."""
Figures = dict[tuple[str, str], Sequence[Cell | None]]
"""The cells of rows by their source, "here" or "paper", and their name."""
AGENTS = ("plan_to_function", "react", "hybrid_react")
SYSTEMS = tuple(f"{agent}{web}" for agent in AGENTS for web in ("", "+ws"))
"""The paper's six systems, in the order of its tables."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table with the paper's rows and the experiment's own."""

    name: str
    """"Table 1", "Figure 4", "Appendix E"."""
    table: Table
    """The first column has the source of each row."""
    missing: tuple[str, ...] = ()
    """What the experiment lacks for this table, and the commands that would make it."""

    @property
    def here(self) -> list[Row]:
        """The experiment's own rows."""
        return [row for row in self.table.rows if row.cells[0] == HERE]

    def document(self) -> dict[str, Any]:
        """For JSON: cells by column, as ``Cell.document`` gives them."""
        names = [column.name for column in self.table.columns]
        rows: list[dict[str, Any]] = []
        for row in self.table.rows:
            rows.append({"name": row.name})
            for name, cell in zip(names, row.cells, strict=True):
                rows[-1][name] = None if cell is None else cell.document()
        notes = {"notes": list(self.table.notes), "missing": list(self.missing)}
        return {"name": self.name, "title": self.table.title, "rows": rows, **notes}


def paper_table(
    key: str,
    figures: Figures,
    missing: Sequence[str] = (),
    *,
    columns: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> PaperTable:
    """The table of this key in published.toml, with a first column for the source of its rows.

    ``columns`` take the place of those that it names, and ``notes`` come before its own.
    """
    published = _published()[key]
    heads = ("source", *(columns or published["columns"]))
    cells = {
        (" ".join(row), "", head): cell
        for row, its in figures.items()
        for head, cell in zip(heads, (Cell(row[0]), *its), strict=True)
    }
    names = {" ".join(row): row[1] for row in figures}
    notes = (*notes, *published.get("notes", ()))
    table = pivot(published["title"], cells, names, {head: Column(head) for head in heads}, heading="", notes=notes)
    return PaperTable(published["name"], table, tuple(missing))


def here(rows: Mapping[str, Sequence[Cell | None]]) -> Figures:
    """Rows of the experiment, by name."""
    return {("here", name): cells for name, cells in rows.items()}


def of_paper(rows: Mapping[str, Sequence[Cell | None]]) -> Figures:
    """Rows of the paper, by name."""
    return {("paper", name): cells for name, cells in rows.items()}


@dataclass(frozen=True, slots=True)
class Lineup:
    """An experiment's systems by the paper's names."""

    by_name: dict[str, tuple[str, ...]]
    """For each of the paper's six systems the labels here: several if models differ."""
    others: tuple[str, ...] = ()
    """All other labels, which have no row in the paper."""

    @property
    def absent(self) -> tuple[str, ...]:
        """One sentence if some of the paper's systems were not run."""
        missing = [name for name, labels in self.by_name.items() if not labels]
        flags = " ".join(f"--agent {name}" for name in missing)
        return (f"not run here: {', '.join(missing)} (drretail run … {flags})",) if missing else ()


def lineup(systems: dict[str, System]) -> Lineup:
    """Matches an experiment's systems to the rows of the paper's tables."""
    by_name: dict[str, tuple[str, ...]] = dict.fromkeys(SYSTEMS, ())
    others: list[str] = []
    for label, system in sorted(systems.items()):
        if (name := system.name) in by_name and not system.options:
            by_name[name] += (label,)
        else:
            others.append(label)
    return Lineup(by_name, tuple(others))


def beside(
    lines: Lineup, own: Mapping[str, Sequence[Cell | None]], paper: Mapping[str, Sequence[Cell | None]]
) -> Figures:
    """The rows of each of the paper's six systems, ``own`` by label before the ``paper``'s; then all others."""
    figures: Figures = {}
    for name, labels in lines.by_name.items():
        figures |= here({label: own[label] for label in labels if label in own}) | {("paper", name): paper[name]}
    return figures | here({label: own[label] for label in lines.others if label in own})


def by_system(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """The runs that are done, by label."""
    by_label: dict[str, list[Run]] = {}
    for run in runs:
        if run.status == "done":
            by_label.setdefault(run.system, []).append(run)
    return dict(sorted(by_label.items()))


@cache
def _published() -> dict[str, dict[str, Any]]:
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))


def columns_of(table: str) -> tuple[str, ...]:
    """The names of a table's columns."""
    return tuple(_published()[table]["columns"])


def rows_of(table: str) -> dict[str, tuple[Cell, ...]]:
    """A table's rows by name; a value of two numbers is a mean with its ±."""
    kind: Kind = "tenths" if _published()[table].get("digits") == 1 else "number"
    rows: dict[str, tuple[Cell, ...]] = {}
    for name, values in _published()[table]["rows"].items():
        cells: list[Cell] = []
        for value in values:
            if isinstance(value, list):
                mean, deviation = value
                cells.append(Cell(mean, "count" if isinstance(mean, int) else kind, deviation=deviation))
            else:
                cells.append(Cell(value, "check" if isinstance(value, bool) else kind))
        rows[name] = tuple(cells)
    return rows


def numbers_of(table: str) -> dict[str, float]:
    """A table's numbers by name, where it has one a row."""
    return dict(_published()[table]["numbers"])
