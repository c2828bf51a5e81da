"""Score against one option in words: a system's lines, a column for each setting, and what it brings over another."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from drretail.eval.compare.one_option import ABLATED, NO_WEB
from drretail.records.comparison import (
    OPTIONS,
    ComparedRow,
    DistractorTable,
    Option,
    SettingCell,
    SettingRow,
    SettingTable,
)
from drretail.records.run import SANDBOX
from drretail.viewer.tables.scores import system_names

HEADINGS: Mapping[Option, str] = {
    "information": "Score against information",
    "size": "Score against size",
    "compose": "Score by what is served of the sandbox",
    "retriever": "Score by retriever",
    "rag_turns": "Score by turns of a search",
    "web": "Score by where pages come from",
}
WORDS = {
    "task": "task only",
    "context": "with context",
    "persona": "with persona",
    "tools": "with tools",
    "no_distractor": "no distractors",
    "supportive_only": "supportive alone",
    "no_supportive": "no supportive",
}
HEADLINES = ("IR_SC", "CC", "FA", "avg6", "FP")
"""What an ablation of a sandbox is read for, first."""
T = TypeVar("T", SettingTable, DistractorTable)
_SIZED = re.compile(r"-size-([a-z0-9.]+)")
_DIFFERENCE = (
    "inside each query that both have; 95 % intervals over users. p: signs of users flipped, corrected for the "
    "system's lines (Holm); * where it and the interval both show a difference."
)


@dataclass(frozen=True, slots=True)
class AblationSheet:
    """One variant by one judge, ready to be printed; every line has a cell for each of ``columns``."""

    title: str
    columns: tuple[str, ...]
    """The first two, of systems and of what a line holds, have no name."""
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class AblationPart:
    """All sheets of one option."""

    by: Option
    heading: str
    sheets: tuple[AblationSheet, ...]
    note: str


def ablation_parts(tables: Sequence[SettingTable]) -> list[AblationPart]:
    """One for each option that systems differ in."""
    return [
        AblationPart(by, HEADINGS[by], tuple(ablation_sheets(its)), note_of(by))
        for by in OPTIONS
        if (its := [it for it in tables if it.by == by])
    ]


def ablation_sheets(tables: Iterable[SettingTable]) -> list[AblationSheet]:
    """One for each table, headlines first."""
    return [_sheet(it) for it in headlines_first(tables)]


def headlines_first(tables: Iterable[T]) -> list[T]:
    """Those that a sandbox is read for, then the others in their order; by judge in either."""
    places = {variant: at for at, variant in enumerate(HEADLINES)}
    return sorted(tables, key=lambda it: places.get(it.variant, len(places)))


def note_of(by: Option) -> str:
    """What a difference of this option is."""
    if ABLATED[by].is_stepwise:
        return f"Over the one before: over the setting in the column to the left that the system has, {_DIFFERENCE}"
    return f"Over the first: over the setting in the system's first column, {_DIFFERENCE}"


def setting_words(setting: str, by: Option) -> str:
    """A setting as tables name it."""
    match by:
        case "web" if setting == NO_WEB:
            return "no web"
        case "web" if not setting.startswith(SANDBOX):
            return f"{setting} (open web)"
        case "rag_turns":
            return "1 turn" if setting == "1" else f"{setting} turns"
        case _:
            return WORDS.get(setting, setting)


def settings_of(table: SettingTable) -> list[str]:
    """All that any system has, in their order."""
    return sorted({cell.setting for row in table.rows for cell in row.cells}, key=ABLATED[table.by].order)


def row_names(labels: Iterable[str]) -> dict[str, str]:
    """What systems apart from an option are called: "react at 64k", without the model that all share."""
    apart = {label: _SIZED.sub("", label) for label in labels}
    names = system_names(apart.values())
    sizes = {label: found[1] if (found := _SIZED.search(label)) else "" for label in apart}
    return {label: names[it] + (f" at {sizes[label]}" if sizes[label] else "") for label, it in apart.items()}


def _sheet(table: SettingTable) -> AblationSheet:
    names = row_names(row.agent for row in table.rows)
    settings = settings_of(table)
    lines = tuple(line for row in table.rows for line in _lines(table.by, row, names[row.agent], settings))
    title = f"{HEADINGS[table.by]}: {table.name.replace('_', ' ')}, by {table.judge}"
    return AblationSheet(title, ("", " ", *(setting_words(it, table.by) for it in settings)), lines)


def _lines(by: Option, row: SettingRow, name: str, settings: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Scores with their intervals, then differences with theirs; of lines without anything, none."""
    cells = {cell.setting: cell for cell in row.cells}

    def line(said: str, told: Callable[[SettingCell], str]) -> tuple[str, ...]:
        return ("", said, *(told(cells[it]) if it in cells else "" for it in settings))

    made = [
        line("score", lambda cell: "–" if cell.mean is None else f"{cell.mean:.2f}"),
        line("95 %", lambda cell: ends(cell.ci_low, cell.ci_high)),
        line("queries", lambda cell: str(cell.n)),
    ]
    first, last = row.cells[0].setting, row.cells[-1].setting
    steps = {step.later: step.row for step in row.steps if not _is_whole(by, step.earlier, step.later, row)}
    made += _differences(steps, "over the one before" if ABLATED[by].is_stepwise else "over the first", settings)
    whole = {it.later: it.row for it in row.steps if _is_whole(by, it.earlier, it.later, row)}
    made += _differences(whole, f"{setting_words(last, by)} over {setting_words(first, by)}", settings)
    shown = [it for it in made if any(it[2:])]
    yield from ((name if at == 0 else "", *it[1:]) for at, it in enumerate(shown))


def _is_whole(by: Option, earlier: str, later: str, row: SettingRow) -> bool:
    """True of the step over all others."""
    ends = row.cells[0].setting, row.cells[-1].setting
    return ABLATED[by].is_stepwise and len(row.cells) > 2 and (earlier, later) == ends


def _differences(rows: Mapping[str, ComparedRow], said: str, settings: Sequence[str]) -> list[tuple[str, ...]]:
    def line(what: str, told: Callable[[ComparedRow], str]) -> tuple[str, ...]:
        return ("", what, *(told(rows[it]) if it in rows else "" for it in settings))

    return [
        line(said, difference),
        line("95 % of it", lambda row: ends(row.ci_low, row.ci_high)),
        line("p", lambda row: p_value(row.p_holm)),
    ]


def difference(row: ComparedRow) -> str:
    """ "+1.50*", "–"."""
    if row.difference is None:
        return "–"
    return f"{round(row.difference, 2) + 0.0:+.2f}{'*' if row.outcome in ('higher', 'lower') else ''}"


def p_value(p: float | None) -> str:
    """ "0.014", "<0.001"; blank without a test."""
    return "" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def ends(low: float | None, high: float | None) -> str:
    """ "0.25 to 0.75"; blank without an interval."""
    return "" if low is None or high is None else f"{round(low, 2) + 0.0:.2f} to {round(high, 2) + 0.0:.2f}"
