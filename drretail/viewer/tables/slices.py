"""Scores over parts of the queries as tables: a row for each system, a column for each slice."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from drretail.records.score import FEW, NO_SYSTEMS, Score, SliceBy, Systems
from drretail.records.tables.table import Cell, Column, Table, pivot
from drretail.viewer.tables.scores import (
    NONE_HELD,
    Metrics,
    TableKey,
    description,
    judged_by,
    notes_on,
    part_cell,
    system_names,
    table_key_of,
)

BY: tuple[SliceBy, ...] = get_args(SliceBy)
MEANINGS: dict[str, str] = {
    "category": "By category of the wanted products.",
    "kind": "By kind of need.",
    "axis": "By what makes a query hard. A query counts in each column that fits.",
    "level": "By the query's difficulty, from 0 (easy) to 9 (hard).",
}


_MAIN = ("basket", "utility_ratio")
"""The metric and variant that levels are mainly read for; other variants are details."""


def main_slices(slices: Sequence[Score], *, details: bool = False) -> list[Score]:
    """Those of the variant in ``_MAIN``; of all variants with ``details``, or if it has none."""
    main = [row for row in slices if (row.metric, row.variant) == _MAIN]
    return list(slices) if details else main or list(slices)


@dataclass(frozen=True, slots=True)
class SlicedTables:
    """All slice tables of one metric, judge and set of rules."""

    table_key: TableKey
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    """Notes that hold for all its tables."""
    kinds: tuple[str, ...]
    """For each table, what its columns split queries by."""


def sliced_tables(
    slices: Sequence[Score],
    scores: Sequence[Score],
    wanted: Sequence[str] = BY,
    metrics: Metrics = NONE_HELD,
    systems: Systems = NO_SYSTEMS,
) -> list[SlicedTables]:
    """One for each metric, judge and rules, in the order of the rows, with a table for each kind and variant.

    ``scores`` say which systems checked themselves, and why values are missing.
    """
    by_key: dict[TableKey, list[Score]] = {}
    for row in slices:
        if row.by in wanted:
            by_key.setdefault(table_key_of(row), []).append(row)
    made: list[SlicedTables] = []
    for table_key, rows in by_key.items():
        metric = description(metrics, table_key[0])
        same = [score for score in scores if table_key_of(score) == table_key]
        own = {score.system for score in same if score.self_checked}
        # Systems and variants that lack values only because there is nothing to score
        na = {(each.system, each.variant) for each in same if each.n_na and not each.n_failed + each.n_unverifiable}
        tables: list[Table] = []
        kinds: list[str] = []
        pairs = dict.fromkeys((by, row.variant) for by in BY for row in rows if row.by == by)
        for by, variant in pairs:
            shown = [row for row in rows if (row.by, row.variant) == (by, variant)]
            only_na = {system for system, of in na if of == variant}
            tables.append(_table(f"{metric.title}: {variant} by {by}", shown, own, only_na, systems))
            kinds.append(by)
        notes = notes_on((row.system for row in rows), systems, bounded=metric.bounded_by_oracle)
        made.append(SlicedTables(table_key, tuple(tables), tuple(notes), tuple(kinds)))
    return made


def few_words(tables: Sequence[Table]) -> str:
    """What grey means; empty if nothing is grey."""
    is_grey = any(column.few for table in tables for column in table.columns) or any(
        cell is not None and cell.few for table in tables for row in table.rows for cell in row.cells
    )
    return f"Grey: n is below {FEW}, too few to rely on." if is_grey else ""


def _table(
    title: str, rows: Sequence[Score], own: Collection[str], only_na: Collection[str], systems: Systems
) -> Table:
    sizes = {row.part: row.n_asked for row in rows}
    return pivot(
        title,
        {(row.system, "", row.part): _cell(row, only_na=row.system in only_na) for row in rows},
        system_names((row.system for row in rows), systems, own),
        {name: Column(name.replace("_", " "), name, f"n={n}", few=n < FEW) for name, n in sizes.items()},
        systems,
        by=judged_by(rows[0]),
        unit="query",
        turns_for_one=True,
    )


def _cell(row: Score, *, only_na: bool) -> Cell:
    cell = replace(part_cell(row), few=row.n_counted < FEW)
    return replace(cell, value="n/a") if only_na and row.value is None else cell
