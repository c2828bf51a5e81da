"""Scores over parts of the queries as tables: a row for each system, a column for each slice."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from drretail.records.score import FEW, MetricDescription, Score, SliceBy, SliceScore, place_of
from drretail.tables.figures import NOTHING
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.tables.scores import (
    NONE_HELD,
    Metrics,
    TableKey,
    description,
    judged_by,
    notes_on,
    system_names,
    table_key_of,
)

BY: tuple[SliceBy, ...] = get_args(SliceBy)
MEANINGS: dict[SliceBy, str] = {
    "category": "By category of the wanted products.",
    "kind": "By kind of need.",
    "constraint": "By the limits that a query sets. A query counts in each column that fits.",
    "level": "By the query's difficulty, from 0 (easy) to 9 (hard).",
}


_NAMES = {
    "stars": "minimum stars",
    "ratings": "minimum number of ratings",
    "must": "must be",
    "must_not": "must not be",
    "again": "may be owned already",
    "room": "more may be added",
}
"""Limits whose own names say too little."""
_MAIN = ("basket", "utility_ratio")
"""The family and variant that levels are read for; the others are details."""


def level_slices(slices: Sequence[SliceScore], *, details: bool = False) -> list[SliceScore]:
    """The slices by level of the variant that they are read for; of all with ``details``, or where there is none."""
    found = [row for row in slices if row.by == "level"]
    main = [row for row in found if (row.metric, row.variant) == _MAIN]
    return found if details else main or found


@dataclass(frozen=True, slots=True)
class SlicedTables:
    """All slice tables of one metric, judge and set of rules."""

    table_key: TableKey
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    """True of all its tables."""
    kinds: tuple[SliceBy, ...]
    """Of each table, what its columns sort queries by."""

    def meanings_of(self, tables: Collection[Table]) -> Iterator[str]:
        """What each kind of columns means that one of these tables has."""
        shown = {by for table, by in zip(self.tables, self.kinds, strict=True) if table in tables}
        return (MEANINGS[by] for by in BY if by in shown)


def sliced_tables(
    slices: Sequence[SliceScore],
    scores: Sequence[Score],
    wanted: Sequence[SliceBy] = BY,
    metrics: Metrics = NONE_HELD,
) -> list[SlicedTables]:
    """One for each metric, judge and rules, in the order of the rows, with a table for each kind and variant.

    ``scores`` tell which systems checked themselves, and why what has no value has none.
    """
    own = {(table_key_of(score), score.system) for score in scores if score.self_checked}
    found: dict[TableKey, list[SliceScore]] = {}
    for row in slices:
        if row.by in wanted:
            found.setdefault((row.metric, row.judge, row.judge_params, row.rules), []).append(row)
    return [
        SlicedTables(
            table_key,
            tuple(table for table, _ in drawn),
            tuple(notes_on((row.system for row in rows), bounded=family.bounded_by_oracle)),
            tuple(by for _, by in drawn),
        )
        for table_key, rows in found.items()
        for family in [description(metrics, table_key[0])]
        for of_own in [{system for judged, system in own if judged == table_key}]
        for drawn in [list(_tables(rows, family, of_own, _only_na(scores, table_key)))]
    ]


def all_few(table: Table) -> bool:
    """Whether every column rests on too few queries to rely on."""
    return all(column.few for column in table.columns)


def few_words(tables: Sequence[Table]) -> str:
    """What grey means; empty where nothing is grey."""
    is_grey = any(column.few for table in tables for column in table.columns) or any(
        cell is not None and cell.few for table in tables for row in table.rows for cell in row.cells
    )
    return f"Grey: n is below {FEW}, too few to rely on." if is_grey else ""


def _only_na(scores: Sequence[Score], table_key: TableKey) -> frozenset[tuple[str, str]]:
    """Systems and variants of which reports lack a value because there is nothing to score, and for no other reason."""
    return frozenset(
        (score.system, score.variant)
        for score in scores
        if table_key_of(score) == table_key and score.n_na and not score.n_failed + score.n_unverifiable
    )


def _tables(
    rows: Sequence[SliceScore], family: MetricDescription, own: Collection[str], only_na: Collection[tuple[str, str]]
) -> Iterator[tuple[Table, SliceBy]]:
    for by in BY:
        of_kind = [row for row in rows if row.by == by]
        for variant in dict.fromkeys(row.variant for row in of_kind):
            shown = [row for row in of_kind if row.variant == variant]
            of_na = {system for system, of in only_na if of == variant}
            yield _table(f"{family.title}: {variant} by {by}", shown, own, of_na), by


def _table(title: str, rows: Sequence[SliceScore], own: Collection[str], only_na: Collection[str]) -> Table:
    first = rows[0]
    by_cell = {(row.system, row.name): row for row in rows}
    sizes = {row.name: row.n_queries for row in rows}
    columns = [
        Column(_NAMES.get(name, name.replace("_", " ")), name, f"n={n}", few=n < FEW) for name, n in sizes.items()
    ]
    lines: list[Row] = []
    for label, name in system_names((row.system for row in rows), own).items():
        found = [by_cell.get((label, column.group)) for column in columns]
        cells = tuple(None if row is None else _cell(row, only_na=label in only_na) for row in found)
        lines.append(Row(name, cells, label, place_of(label)))
    return Table(
        title=title,
        by=judged_by(first.judge, first.judge_kind, first.judge_params, first.rules),
        columns=tuple(columns),
        rows=tuple(lines),
        heading="System",
        turns_for_one=True,
    )


def _cell(row: SliceScore, *, only_na: bool) -> Cell:
    few = row.n_counted < FEW
    counts = "" if row.n_counted == row.n_queries else f"n={row.n_counted}"
    if row.value is None:
        return Cell("n/a" if only_na else NOTHING, few=few)
    return Cell(row.value, "number", row.ci_low, row.ci_high, counts=counts, few=few)
