"""The paper's own numbers, from published.toml, and tables of an experiment with them below."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from drretail.viewer.drawing.table import Cell, Column, Kind, Row, Table

Rows = Mapping[str, Sequence[Cell | None]]
"""The cells of rows by their names."""


@cache
def published() -> Mapping[str, Mapping[str, Any]]:
    """The paper's tables by key: names, columns, rows, notes."""
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))


def published_rows(table: str) -> dict[str, dict[str, Cell]]:
    """A table's rows by name, each by column; a value of two numbers is a mean with its ±. Empty for other tables."""
    its = published().get(table, {})
    kind: Kind = "tenths" if its.get("digits") == 1 else "number"
    return {
        name: {column: _cell(value, kind) for column, value in zip(its["columns"], values, strict=True)}
        for name, values in its.get("rows", {}).items()
    }


def _cell(value: Any, kind: Kind) -> Cell:
    if isinstance(value, list):
        mean, deviation = value
        return Cell(mean, "count" if isinstance(mean, int) else kind, deviation=deviation)
    return Cell(value, "check" if isinstance(value, bool) else kind)


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table with the experiment's own rows, and the paper's below."""

    name: str
    """"Table 1", "Figure 5", "Appendix E"."""
    table: Table
    missing: tuple[str, ...] = ()
    """What the experiment lacks for this table, and the commands that would make it."""

    @property
    def here(self) -> list[Row]:
        """The experiment's own rows."""
        return [row for row in self.table.rows if row.place != "paper"]

    @property
    def titled(self) -> Table:
        """The table for a terminal: "Table 1. Faithfulness"."""
        return replace(self.table, title=f"{self.name}. {self.table.title}")

    def document(self) -> dict[str, Any]:
        """For JSON: cells by column, as ``Cell.document`` gives them."""
        names = [column.name for column in self.table.columns]
        rows: list[dict[str, Any]] = []
        for row in self.table.rows:
            rows.append({"name": row.label or row.name, "source": "paper" if row.place == "paper" else "here"})
            cells = zip(names, row.cells, strict=True)
            rows[-1] |= {name: None if cell is None else cell.document() for name, cell in cells}
        notes = {"notes": list(self.table.notes), "missing": list(self.missing)}
        return {"name": self.name, "title": self.table.title, "rows": rows, **notes}


def paper_table(
    key: str,
    ours: Rows,
    missing: Sequence[str] = (),
    *,
    paper: Rows | None = None,
    notes: Sequence[str] = (),
) -> PaperTable:
    """The table of this key in published.toml: the experiment's rows, then the paper's; ``notes`` before its own."""
    about = published()[key]
    if paper is None:
        paper = {name: [cells.get(head) for head in about["columns"]] for name, cells in published_rows(key).items()}
    rows = [Row(name, tuple(cells), name) for name, cells in ours.items()]
    rows += [Row(f"{name} (paper)", tuple(cells), name, "paper") for name, cells in paper.items()]
    notes = (*notes, *about.get("notes", ()))
    unit = about.get("unit", "planned run")
    table = Table(about["title"], tuple(map(Column, about["columns"])), tuple(rows), notes=notes, unit=unit)
    return PaperTable(about["name"], table, tuple(missing))
