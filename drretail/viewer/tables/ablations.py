"""Scores by value of one condition, with the effect of each value."""

from collections.abc import Iterable, Mapping

from drretail.conditions.condition import Condition
from drretail.errors import UserError
from drretail.eval.numbers.ablations import condition_by
from drretail.records.comparison import ComparedRow, Outcome
from drretail.records.figures import NOTHING, p_value
from drretail.records.run import NO_SYSTEMS, SIZE, Systems
from drretail.records.score import SettingTable
from drretail.viewer.drawing.table import Cell, Column, Row, Table
from drretail.viewer.tables.board import difference_cell
from drretail.viewer.tables.scores import (
    NONE_HELD,
    NOTES,
    Metrics,
    description,
    judged_by,
    part_cell,
    system_names,
)

HEADLINES = ("IR_SC", "CC", "FA", "avg6", "FP")
"""The variants that an ablation of a sandbox is mainly read for."""


_NO_EFFECT: Mapping[Outcome, str] = {
    "too_few": "too few users",
    "missing": "values missing",
    "not_read": "not read",
    "order_decided": "not read",
}
"""Why a difference shows nothing, if it can't show any."""


def headlines_first(tables: Iterable[SettingTable]) -> list[SettingTable]:
    """The tables of ``HEADLINES``, in that order, then the others as given."""
    return sorted(
        tables, key=lambda table: HEADLINES.index(table.variant) if table.variant in HEADLINES else len(HEADLINES)
    )


def condition_of(by: str, systems: Systems) -> Condition:
    """The condition of a table. One that can't be loaded here is shown with its values as they are."""
    try:
        return condition_by(systems.values(), by)
    except UserError:
        return Condition(name=by, about=by)


def condition_note(condition: Condition) -> str:
    """What the differences between this condition's values mean."""
    if condition.is_stepwise:
        return f"Over the one before: the difference from the column to the left, {NOTES['difference_of_settings']}"
    return f"Over the first: the difference from the first column, {NOTES['difference_of_settings']}"


def row_names(labels: Iterable[str], systems: Systems) -> dict[str, str]:
    """The names of systems with the size of their web apart: "react at 64k", without the model that all share."""
    sizes = {label: systems[label].options.get(SIZE, "") if label in systems else "" for label in labels}
    apart = {label: label.replace(f"-{SIZE}-{size}", "", 1) if size else label for label, size in sizes.items()}
    names = system_names(apart.values(), {apart[label]: systems[label] for label in apart if label in systems})
    return {label: names[apart[label]] + (f" at {size}" if size else "") for label, size in sizes.items()}


def ablation_table(table: SettingTable, metrics: Metrics = NONE_HELD, systems: Systems = NO_SYSTEMS) -> Table:
    """A variant by one judge: scores by setting, and differences below."""
    condition = condition_of(table.by, systems)
    agents = {row.agent: systems.get(row.cells[0].system) for row in table.rows}
    names = row_names(agents, {agent: condition.without(system) for agent, system in agents.items() if system})
    settings = sorted({cell.part for row in table.rows for cell in row.cells}, key=condition.order)
    rows: list[Row] = []
    for row in table.rows:
        values = {cell.part: part_cell(cell) for cell in row.cells}
        rows.append(Row(names[row.agent], tuple(map(values.get, settings)), row.agent))
        first, last = row.cells[0].part, row.cells[-1].part
        steps: dict[str, dict[str, Cell]] = {}
        for step in row.steps:
            spans_all = condition.is_stepwise and len(row.cells) > 2 and (step.b, step.a) == (first, last)
            whole = f"{condition.words(last)} over {condition.words(first)}"
            over = whole if spans_all else "over the one before" if condition.is_stepwise else "over the first"
            steps.setdefault(over, {})[step.a] = step_cell(step)
        for over, its in steps.items():
            rows.append(Row(f"{names[row.agent]}, {over}", tuple(map(its.get, settings)), "", "difference"))
    return Table(
        f"{description(metrics, table.metric).title}: {table.variant} by {table.by.replace('_', ' ')}",
        tuple(Column(condition.words(setting)) for setting in settings),
        tuple(rows),
        by=judged_by(table),
        heading="System",
        unit="query",
    )


def step_cell(row: ComparedRow) -> Cell:
    """A difference with its interval and p."""
    why = _NO_EFFECT.get(row.outcome, "")
    mark = "*" if row.is_shown else ""
    note = why or ("" if row.p_holm is None else f"p {p_value(row.p_holm)}")
    cell = difference_cell(row, mark=mark, n=row.n_pairs, planned=row.n_planned, note=note)
    return cell or Cell(NOTHING, note=why)
