"""One of the paper's tables with the experiment's own lines in it."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from drretail.records.run import Run, System

Source = Literal["here", "paper"]
AGENTS = ("plan_to_function", "react", "hybrid_react")
SYSTEMS = tuple(f"{agent}{web}" for agent in AGENTS for web in ("", "+ws"))
"""The paper's six, in the order of its tables."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean ± sample standard deviation over reports."""

    mean: float
    sd: float | None = None


Cell = float | bool | str | Spread | None
"""None = not known here."""


@dataclass(frozen=True, slots=True)
class Row:
    """What stands behind a name, here or in the paper."""

    name: str
    source: Source
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """``missing`` names what the experiment doesn't hold and what would make it; ``notes`` say how to read it."""

    name: str
    """"Table 1", "Figure 4", "Appendix E"."""
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    digits: int = 2
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """For JSON: cells under their columns, ± as two numbers."""
        rows = [
            {
                "name": row.name,
                "source": row.source,
                **{column: _plain(cell) for column, cell in zip(self.columns, row.cells, strict=True)},
            }
            for row in self.rows
        ]
        return {
            "name": self.name,
            "title": self.title,
            "rows": rows,
            "notes": list(self.notes),
            "missing": list(self.missing),
        }


@dataclass(frozen=True, slots=True)
class Lineup:
    """An experiment's systems as the paper would call them."""

    by_name: dict[str, tuple[str, ...]]
    """The labels of systems that are one of the paper's six, by its name: several where models differ."""
    others: tuple[str, ...] = ()
    """All other labels: the paper has no line for them."""
    missing: tuple[str, ...] = field(default=())
    """Names of the paper's systems that are not in the experiment."""


def lineup(systems: dict[str, System]) -> Lineup:
    """Which of an experiment's systems stand beside which line of the paper's tables."""
    by_name: dict[str, tuple[str, ...]] = dict.fromkeys(SYSTEMS, ())
    others: list[str] = []
    for label, system in sorted(systems.items()):
        name = f"{system.agent}{'+ws' if system.web_mode == 'ws' else ''}"
        if name in by_name and not system.options:
            by_name[name] += (label,)
        else:
            others.append(label)
    return Lineup(by_name, tuple(others), tuple(name for name, labels in by_name.items() if not labels))


def beside(lines: Lineup, here: Mapping[str, Sequence[Cell]], paper: Mapping[str, Sequence[Cell]]) -> tuple[Row, ...]:
    """Each of the paper's systems: the experiment's lines first, the paper's after; then the experiment's others.

    ``here`` is by label, ``paper`` by the paper's name.
    """
    rows: list[Row] = []
    for name, labels in lines.by_name.items():
        rows += [Row(label, "here", tuple(here[label])) for label in labels if label in here]
        rows.append(Row(name, "paper", tuple(paper[name])))
    rows += [Row(label, "here", tuple(here[label])) for label in lines.others if label in here]
    return tuple(rows)


def absent(lines: Lineup) -> tuple[str, ...]:
    """One sentence where systems of the paper were not run."""
    if not lines.missing:
        return ()
    flags = " ".join(f"--agent {name}" for name in lines.missing)
    return (f"not run here: {', '.join(lines.missing)} (drretail run … {flags})",)


def by_system(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs that are done, by label."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        if run.status == "done":
            found.setdefault(run.system, []).append(run)
    return dict(sorted(found.items()))


def _plain(cell: Cell) -> Any:
    return {"mean": cell.mean, "sd": cell.sd} if isinstance(cell, Spread) else cell


@cache
def _published() -> dict[str, dict[str, Any]]:
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))


def columns_of(table: str) -> tuple[str, ...]:
    """The names of a table's columns."""
    return tuple(_published()[table]["columns"])


def rows_of(table: str) -> dict[str, tuple[Cell, ...]]:
    """A table's lines by name; two numbers are mean and ±."""
    return {name: tuple(map(_cell, cells)) for name, cells in _published()[table]["rows"].items()}


def numbers_of(table: str) -> dict[str, float]:
    """Numbers by name, of what is no table."""
    return dict(_published()[table])


def _cell(value: Any) -> Cell:
    return Spread(*value) if isinstance(value, list) else value
