"""Score against information in words: a line for an agent in a setting, with what it gained over the one before."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from drretail.records.comparison import ComparedRow, InformationRow, InformationTable
from drretail.records.run import Information
from drretail.viewer.tables.scores import system_names

SETTINGS: dict[Information, str] = {
    "task": "task only",
    "context": "with context",
    "persona": "with persona",
    "tools": "with tools",
}
HEADING = "Score against information"
COLUMNS = ("", "known of the shopper", "score", "95 %", "queries", "gain", "95 % of it", "on queries")
NOTE = (
    "Gain: over the setting in the line above, inside each query that both have; bootstrap intervals over queries. "
    "* where the signed rank test, corrected for the agent's steps (Holm), and the interval both show a difference."
)


@dataclass(frozen=True, slots=True)
class InformationSheet:
    """One variant by one judge, ready to be printed; every line has a cell for each of ``COLUMNS``."""

    title: str
    rows: tuple[tuple[str, ...], ...]


def information_sheets(tables: Iterable[InformationTable]) -> list[InformationSheet]:
    """One for each table."""
    return [_sheet(it) for it in tables]


def _sheet(table: InformationTable) -> InformationSheet:
    names = system_names(row.agent for row in table.rows)
    lines = tuple(line for row in table.rows for line in _lines(row, names[row.agent]))
    return InformationSheet(f"{HEADING}: {table.name.replace('_', ' ')}, by {table.judge}", lines)


def _lines(row: InformationRow, name: str) -> Iterator[tuple[str, ...]]:
    """The settings, and last what all information together brings where it came in several steps."""
    steps = {(step.earlier, step.later): step.row for step in row.steps}
    for before, cell in zip((None, *row.cells), row.cells, strict=False):
        score = "–" if cell.mean is None else f"{cell.mean:.2f}"
        gain = ("", "", "") if before is None else _gain(steps[before.setting, cell.setting])
        first = name if before is None else ""
        yield (first, SETTINGS[cell.setting], score, _ends(cell.ci_low, cell.ci_high), str(cell.n), *gain)
    if len(row.steps) > 1:
        whole = row.steps[-1]
        yield ("", f"{SETTINGS[whole.later]} over {SETTINGS[whole.earlier]}", "", "", "", *_gain(whole.row))


def _gain(row: ComparedRow) -> tuple[str, str, str]:
    if row.difference is None:
        return "–", "", str(row.n_pairs)
    shown = "*" if row.outcome in ("higher", "lower") else ""
    return f"{row.difference:+.2f}{shown}", _ends(row.ci_low, row.ci_high), str(row.n_pairs)


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.2f} to {high:.2f}"
