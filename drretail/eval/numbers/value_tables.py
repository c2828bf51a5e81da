"""Values that others computed, by the same paired test."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from math import inf
from pathlib import Path
from typing import NamedTuple

from drretail.errors import UserError
from drretail.eval.numbers.contrast import Side, concluded, contrast
from drretail.eval.numbers.family import chosen_pairs
from drretail.eval.numbers.judges import Assessor
from drretail.eval.numbers.wording import sentences, sides_named
from drretail.experiments.experiment import Definition
from drretail.parsing import read_sheet
from drretail.records.comparison import ComparedRow, Comparison, JudgeTable
from drretail.records.run import IMPORTED_AGENT, System
from drretail.records.score import JudgeRef
from drretail.stats.intervals import Clusters

COLUMNS = ("system", "query", "value")
"""The columns that a table needs; ``user`` and ``metric`` may stand beside them. Further rows of a query repeat it."""
_LARGEST = 1e100
"""A value above it is none: its square would be no number."""


_JUDGE = "the file"
"""Whose values they are; that of another night, which confirms a gate, is called the same."""


class _Value(NamedTuple):
    system: str
    query: str
    value: float | None
    user: str = ""
    metric: str = "value"


def is_value_table(path: Path) -> bool:
    """True for a file of values."""
    return path.suffix.lower() in (".csv", ".tsv")


def compare_values(
    path: Path, a: str | None = None, b: str | None = None, *, baseline: str | None = None
) -> tuple[list[Comparison], Clusters, dict[str, System]]:
    """The comparisons of the systems in a file, the clusters of their queries, and the systems by label.

    A query that only one of two systems has in a metric lacks a value of the other. Raises UserError for a file without
    values, and as ``chosen_pairs``.
    """
    values = [*_values(path)]
    metrics = [*dict.fromkeys(value.metric for value in values)]
    if not metrics:
        raise UserError(f"{path} holds no value.")
    users: dict[str, set[str]] = defaultdict(set)
    for value in values:
        users[value.query].add(value.user)
    by_side: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(dict)
    user_of = dict[str, str]()
    for value in values:
        # What several users asked is a query of each.
        query = value.query if len(users[value.query]) == 1 else f"{value.query} ({value.user or 'no user'})"
        user_of |= {query: value.user} if value.user else {}
        its = by_side[value.metric, value.system].setdefault(query, [])
        its += [] if value.value is None else [value.value]
    systems = {value.system: System(agent=IMPORTED_AGENT, models={}) for value in values}
    shown, pairs = chosen_pairs(Definition(systems=systems), a, b, baseline)
    clusters, rows = Clusters(user_of), list[ComparedRow]()
    for (label, other), metric in product(dict.fromkeys([*shown, *pairs]), metrics):
        both = by_side[metric, label], by_side[metric, other]
        queries = sorted(both[0].keys() | both[1].keys())
        sides = [{query: its.get(query, []) for query in queries} for its in both]
        is_share = all(0 <= value <= 1 for side in sides for its in side.values() for value in its)
        a_side, b_side = (
            Side(its, {query: "no value in the file" for query in its if not its[query]}) for its in sides
        )
        row = contrast("table", metric, (a_side, b_side), clusters, whole=1.0 if is_share else inf)
        rows.append(row.model_copy(update={"name": metric, "a": label, "b": other}))
    final, columns = concluded(rows, clusters), Assessor(JudgeRef(spec=_JUDGE, kind="rule_based"), "default").columns
    comparisons = list[Comparison]()
    for label, other in shown:
        table = JudgeTable(**columns, rows=tuple(row for row in final if (row.a, row.b) == (label, other)))
        conclusions = tuple(sentences(table.rows, sides_named(label, other), is_of_two=True))
        comparisons.append(Comparison(a=label, b=other, tables=(table,), conclusions=conclusions))
    return comparisons, clusters, systems


def _values(path: Path) -> Iterator[_Value]:
    sheet = read_sheet(path)
    if missing := [name for name in COLUMNS if name not in sheet.columns]:
        raise UserError(f"{path} has no column {' and no column '.join(missing)}: a table has {', '.join(COLUMNS)}.")
    for number, row in sheet.rows:
        value = _number(row["value"])
        if row["value"] and value is None:
            raise UserError(f"{path}, row {number}: {row['value']!r} is no number.")
        yield _Value(row["system"], row["query"], value, row.get("user", ""), row.get("metric") or "value")


def _number(text: str) -> float | None:
    with suppress(ValueError):
        return number if abs(number := float(text)) <= _LARGEST else None
    return None
