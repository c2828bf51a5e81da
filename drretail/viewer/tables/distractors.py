"""What distractors cost, in words: a line a system and size, with what is left without supportive pages."""

from collections.abc import Iterable
from dataclasses import dataclass

from drretail.records.comparison import ComparedRow, DistractorRow, DistractorTable, SettingCell
from drretail.viewer.tables.ablations import ends, headlines_first, p_value, row_names

HEADING = "Distractor effect"
NOTE = (
    "Effect: all pages minus those without distractors, inside each query that both have, with its interval "
    "over queries. p: signed rank test, corrected for the system's compositions (Holm); * where it and the interval "
    "both show a difference."
)
_COLUMNS = ("", "all", "no distractors", "effect", "95 % of it", "p", "no supportive", "95 %")


@dataclass(frozen=True, slots=True)
class DistractorSheet:
    """One variant by one judge, ready to be printed; every line has a cell for each of ``columns``."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentence: str


def distractor_sheets(tables: Iterable[DistractorTable]) -> list[DistractorSheet]:
    """One for each table, headlines first."""
    return [_sheet(it) for it in headlines_first(tables)]


def _sheet(table: DistractorTable) -> DistractorSheet:
    names = row_names(row.agent for row in table.rows)
    title = f"{HEADING}: {table.name.replace('_', ' ')}, by {table.judge}"
    rows = tuple((names[row.agent], *_cells(row)) for row in table.rows)
    sentence = table.sentence
    for agent, name in sorted(names.items(), key=lambda it: -len(it[0])):
        sentence = sentence.replace(agent, name)
    return DistractorSheet(title, _COLUMNS, rows, sentence)


def _cells(row: DistractorRow) -> tuple[str, ...]:
    left = row.without_supportive
    return (
        _mean(row.everything),
        _mean(row.without_distractors),
        *_cost(row.without_distractors_over_all),
        _mean(left),
        "" if left is None else ends(left.ci_low, left.ci_high),
    )


def _mean(cell: SettingCell | None) -> str:
    return "" if cell is None else "–" if cell.mean is None else f"{cell.mean:.2f}"


def _cost(row: ComparedRow | None) -> tuple[str, str, str]:
    """Of all pages over those without distractors: the other way round than the test has it."""
    if row is None or row.difference is None:
        return ("", "", "") if row is None else ("–", "", "")
    shown = f"{-round(row.difference, 2) + 0.0:+.2f}{'*' if row.outcome in ('higher', 'lower') else ''}"
    interval = "" if row.ci_low is None or row.ci_high is None else ends(-row.ci_high, -row.ci_low)
    return shown, interval, p_value(row.p_holm)
