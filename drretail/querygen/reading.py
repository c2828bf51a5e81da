"""Queries read from a file, each line checked."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.files import read_lines
from drretail.grounding.constraints.gold_files import gold_path, with_gold
from drretail.parsing import parse_json
from drretail.records.base import fault_of
from drretail.records.query import LONGEST_TEXT, Query

_MOST_FAULTS = 10
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "query_id": ("id",),
    "user_id": ("user",),
    "text": ("question", "query", "prompt"),
}
"""What fields of a query are called elsewhere."""


def with_our_names(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with the fields of a query under our names. A field that has ours already stays as it is."""
    named = dict(row)
    for ours, others in OTHER_NAMES.items():
        for other in others:
            if other in named and named.get(ours) in (None, ""):
                named[ours] = named.pop(other)
    return named


def read_queries(path: Path) -> tuple[Query, ...]:
    """The queries of a .jsonl file, in order, with their gold. Raises as ``read_tasks`` does, and for a broken gold."""
    return with_gold(_read(path), gold_path(path))


def read_tasks(path: Path) -> tuple[Query, ...]:
    """The tasks of a .jsonl file, in order. The file of their gold is not opened.

    Raises UserError for a file without queries, and for lines (at most ten are named) that are no query, are cut off,
    or repeat an id.
    """
    return tuple(query.task for query in _read(path))


def _read(path: Path) -> Sequence[Query]:
    queries: dict[str, Query] = {}
    lines: dict[str, int] = {}
    faults: list[str] = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        read = _query_in(line, path.name)
        if isinstance(read, str):
            faults.append(f"line {number}: {read}")
        elif read.query_id in queries:
            faults.append(
                f"line {number}: line {lines[read.query_id]} has the id {read.query_id!r} already; remove one of them "
                "or change its query_id"
            )
        else:
            queries[read.query_id] = read
            lines[read.query_id] = number
    if faults and not queries and (len(faults) > _MOST_FAULTS or path.suffix != ".jsonl"):
        hint = "`drretail queries import` makes queries from plain questions."
        raise UserError(f"{path} is no file of queries: {faults[0]}. {hint}")
    if faults:
        more = f"; … and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
        count = "a line" if len(faults) == 1 else f"{len(faults)} lines"
        raise UserError(f"{path} has {count} to mend: {'; '.join(faults[:_MOST_FAULTS])}{more}.")
    if not queries:
        raise UserError(f"{path} holds no query: make some with `drretail queries generate`.")
    return list(queries.values())


def _query_in(line: str, source: str) -> Query | str:
    """The query of a line, or why the line is none. ``source`` made it if the line doesn't say who did."""
    try:
        value = parse_json(line)
    except json.JSONDecodeError as problem:
        return f"not JSON ({problem.msg} at character {problem.pos + 1})"
    if not isinstance(value, dict):
        return "not a JSON object"
    try:
        value = {"source": source, **with_our_names(value)}
        value.setdefault("mode", "profile_aware" if value.get("user_id") else "generic")
        query = Query.model_validate(value)
    except ValidationError as problem:
        return f"not a query ({fault_of(problem)})"
    if len(query.text) > LONGEST_TEXT:
        return f"its text has {len(query.text):,} characters; at most {LONGEST_TEXT:,} are taken"
    return query


def check_made_for(queries: Iterable[Query], fingerprint: str) -> None:
    """Raises UserError if a query was made for a world with another fingerprint."""
    for query in queries:
        if query.world_fingerprint not in (None, fingerprint):
            raise UserError(
                f"The query {query.query_id!r} was made for the world {query.world_fingerprint[:12]}, and this is "
                f"{fingerprint[:12]}: name that world with --world, or make queries for this one."
            )
