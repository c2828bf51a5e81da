"""The scoreboard as the page shows it: outcomes first, and each system's difference from a baseline on one axis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from drretail.eval.scores.gathering import FP
from drretail.records.comparison import ComparedMeasure, ComparedRow
from drretail.records.score import Scoreboard, ShownColumn
from drretail.records.tables.table import Cell, Column, Table
from drretail.viewer.page.outcomes import are_decided, outcome_bar
from drretail.viewer.run_lines import RunLine
from drretail.viewer.tables.result import OUTCOME
from drretail.viewer.tables.scoreboard import SPARE

_AXIS, _HIGH = 110.0, 14.0
_SHOWN = ("higher", "lower")
_NEEDED = frozenset((FP, "false statements", "false answers"))
"""Columns on the truth of what is said, which are always in sight."""
_ROUND = (0.1, 0.25, 0.5, 1.0)
"""Ends of the axis of differences."""


@dataclass(frozen=True, slots=True)
class PageBoard:
    """The table of systems that research, what stands behind "all columns", and whom they can be compared with."""

    table: Table
    rest: tuple[int, ...]
    """The indices of columns that are hidden at first."""
    baselines: Mapping[str, str]
    """Names of systems by label, the best first, which is compared with at first; empty if none are compared."""


def page_board(board: Scoreboard, table: Table, lines: Sequence[RunLine]) -> PageBoard:
    """The table with each system's outcomes, its rank, and its difference from any other one as further columns."""
    measure = _measure(board)
    systems = [row for row in table.rows if row.section < 2]
    ranked = {row.label: row.name for row in systems if row.section == 0}
    baselines = {} if measure is None else ranked
    end = 1.0 if measure is None else _end(measure)
    added: list[tuple[Column, list[Cell | None]]] = []
    if are_decided(lines):
        meaning = "what became of the answers: faults from the left, right answers last"
        answers = [[line for line in lines if line.label == row.label] for row in table.rows]
        bars = [Cell("", html=outcome_bar(own)) if own else None for own in answers]
        added.append((Column("outcomes", meaning=meaning), bars))
    if measure is not None:
        differences = [_against(row.label, baselines, measure, end) for row in table.rows]
        meaning = "its mean minus that of the baseline, over the questions that both answered"
        added.append((Column(f"difference in {measure.measure}", meaning=meaning), differences))
        if len(ranked) > 2:
            ranks = [_rank(row.label, len(ranked), measure) if row.label in ranked else None for row in table.rows]
            meaning = "the ranks that it may have: what isn't told apart shares them"
            added.append((Column("rank", meaning=meaning), ranks))
    decides = [at for at, column in enumerate(board.columns) if column.decides][:1]
    others = [at for at in range(len(board.columns)) if at not in decides]
    columns = [*(table.columns[at] for at in decides), *(column for column, _ in added)]
    columns += [table.columns[at] for at in others]
    rows = [
        replace(
            row,
            cells=(
                *(row.cells[at] for at in decides),
                *(cells[place] for _, cells in added),
                *(row.cells[at] for at in others),
            ),
        )
        for place, row in enumerate(table.rows)
    ]
    offset = len(decides) + len(added)
    rest = tuple(offset + place for place, at in enumerate(others) if not _is_needed(board.columns[at]))
    return PageBoard(replace(table, columns=tuple(columns), rows=tuple(rows)), rest, baselines)


def _is_needed(column: ShownColumn) -> bool:
    """True for what a system decides, whether what it says is true, its rating, and its cost."""
    return column.decides or column.name in _NEEDED or column.unit == "rating" or column.unit in set(SPARE) - {"words"}


def _measure(board: Scoreboard) -> ComparedMeasure | None:
    """What was bought, or the first measure that is compared."""
    named = {measure.measure: measure for measure in board.compared if measure.pairs}
    return named.get(OUTCOME) or next(iter(named.values()), None)


def _end(measure: ComparedMeasure) -> float:
    reached = max((abs(each) for row in measure.pairs for each in _ends(row)), default=0.0)
    return next((end for end in _ROUND if reached <= end), reached)


def _ends(row: ComparedRow) -> Iterator[float]:
    yield from (each for each in (row.difference, row.ci_low, row.ci_high) if each is not None)


def _compared(label: str, other: str, measure: ComparedMeasure) -> tuple[ComparedRow, int] | None:
    """The comparison of two systems, and -1 if its difference is the second's minus the first's."""
    for row in measure.pairs:
        if (row.a, row.b) in ((label, other), (other, label)):
            return row, 1 if row.a == label else -1
    return None


def _rank(label: str, of: int, measure: ComparedMeasure) -> Cell:
    """From one more than are shown to be above it, to those that are shown to be below it."""
    above = below = 0
    for row in measure.pairs:
        if label in (row.a, row.b) and row.outcome in _SHOWN:
            is_above = (row.outcome == "higher") == (row.a == label)
            above, below = above + (not is_above), below + is_above
    first, last = 1 + above, of - below
    return Cell(f"{first}" if first == last else f"{first}–{last}")


def _against(label: str, baselines: Mapping[str, str], measure: ComparedMeasure, end: float) -> Cell | None:
    """The difference from each baseline, one of which the page shows."""
    shown: list[Markup] = []
    for at, other in enumerate(baselines):
        comparison = _compared(label, other, measure)
        hidden = Markup(" hidden") if at else Markup()
        if label == other:
            shown.append(Markup('<span class="against" data-base="{}"{}>baseline</span>').format(other, hidden))
        elif comparison is not None and comparison[0].difference is not None:
            drawn, value = _difference(*comparison, end)
            shown.append(
                Markup('<span class="against" data-base="{}" data-value="{:.4f}"{}>{}</span>').format(
                    other, value, hidden, drawn
                )
            )
    return Cell("", html=Markup().join(shown)) if shown else None


def _difference(row: ComparedRow, sign: int, end: float) -> tuple[Markup, float]:
    """A dot with its interval around zero; full if the difference is more than chance."""
    value = sign * (row.difference or 0.0)
    low, high = sorted(sign * each for each in (row.ci_low, row.ci_high) if each is not None) or (value, value)
    cell = Cell(value, "signed", *((low, high) if row.ci_low is not None else (None, None)))

    def at(number: float) -> float:
        return _AXIS / 2 * (1 + max(-1.0, min(1.0, number / end)))

    is_shown = row.outcome in _SHOWN
    words = "more than chance" if is_shown else "may be chance"
    svg = Markup(
        '<svg class="forest" viewBox="-5 0 {} {}" role="img" aria-label="{}, {}"><line x1="{}" x2="{}" y1="0" y2="{}"'
        ' class="zero"/><line x1="{:.1f}" x2="{:.1f}" y1="7" y2="7" class="s0"/><circle cx="{:.1f}" cy="7" r="4"'
        ' class="{}"/></svg> <span class="interval">{}</span>'
    ).format(
        _AXIS + 10,
        _HIGH,
        cell.whole,
        words,
        _AXIS / 2,
        _AXIS / 2,
        _HIGH,
        at(low),
        at(high),
        at(value),
        "s0" if is_shown else "s0 hollow",
        cell.whole,
    )
    return svg, value
