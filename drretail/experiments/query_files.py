"""The two files of a query set: its tasks, and the gold beside them.

A task is what a system may know of a query. Gold is what scores rest on: wish, hidden limits, decisions, facts and all
else (``IN_TASK``). Whoever runs systems opens the first file alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.files import read_jsonl, write_lines
from drretail.records.base import canonical_json, fault_of
from drretail.records.criteria import Gold
from drretail.records.query import IN_TASK, Query

_OF_GOLD = Query.model_fields.keys() - IN_TASK - {"gold"}


def gold_file(queries: Path) -> Path:
    """The file of gold beside a file of tasks: q.gold.jsonl beside q.jsonl, or the packed one of drretail's own."""
    plain = queries.with_name(f"{queries.name.removesuffix('.jsonl')}.gold.jsonl")
    packed = plain.with_name(f"{plain.name}.gz")
    return packed if packed.exists() else plain


def with_gold(queries: Iterable[Query], path: Path) -> tuple[Query, ...]:
    """The queries, each with its line of a file of gold; unchanged if there is no such file.

    Raises UserError for a line that is none, and for a file that was emptied or is of other queries.
    """
    queries = tuple(queries)
    if not path.exists():
        return queries
    rows = {row.get("query_id"): row for row in read_jsonl(path, forgives_a_cut=False)}
    if queries and rows.keys().isdisjoint(query.query_id for query in queries):
        raise UserError(f"{path} has a line for none of the queries: restore it, or remove it to go on without gold.")
    try:
        return tuple(_joined(query, rows[query.query_id]) if query.query_id in rows else query for query in queries)
    except ValidationError as problem:
        raise UserError(f"{path} holds a line that is no gold of a query ({fault_of(problem)}).") from problem


def _joined(query: Query, row: Mapping[str, Any]) -> Query:
    of_query = {name: row[name] for name in _OF_GOLD & row.keys()}
    decided = Gold.model_validate({name: value for name, value in row.items() if name not in of_query})
    gold = decided if decided != Gold(query_id=query.query_id) else None
    of_row = {name: value for name in type(query).model_fields if (value := getattr(query, name)) is not None}
    return Query.model_validate(of_row | of_query | {"gold": gold})


def write_with_gold(queries: Sequence[Query], path: Path) -> None:
    """Writes the tasks of queries, one per line, and beside them the gold."""
    write_gold(queries, gold_file(path))
    write_lines(path, (canonical_json(as_task(query)) for query in queries))


def write_gold(queries: Iterable[Query], path: Path) -> None:
    """Writes the gold of the queries that have any. Without any gold, there is no file."""
    if lines := [gold_line(query) for query in queries if query.has_gold]:
        write_lines(path, lines)
    else:
        path.unlink(missing_ok=True)


def as_task(query: Query) -> dict[str, Any]:
    """The task of a query, as files have it."""
    return query.model_dump(mode="json", include={*IN_TASK}, exclude_none=True)


def gold_line(query: Query) -> str:
    """The line of a query in the file of gold, without what is as usual."""
    typed = query.model_dump(mode="json", include={*_OF_GOLD}, exclude_none=True, exclude_defaults=True)
    # A query that was made from another has what is decided for that one.
    decided = {} if query.gold is None else query.gold.model_dump(mode="json", exclude_none=True)
    return canonical_json(typed | decided | {"format": 1, "query_id": query.query_id})
