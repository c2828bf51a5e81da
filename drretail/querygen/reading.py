"""Queries from a file, each line checked."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.files import read_jsonl
from drretail.records.query import Query


def read_queries(path: Path) -> tuple[Query, ...]:
    """The queries of a .jsonl file, in its order.

    Raises UserError that names the line when one is no query or stands twice, and when there is none.
    """
    queries: dict[str, Query] = {}
    for number, line in enumerate(read_jsonl(path), 1):
        try:
            query = Query.model_validate(line)
        except ValidationError as problem:
            error = problem.errors()[0]
            field = ".".join(str(part) for part in error["loc"]) or "the object"
            raise UserError(f"{path}, query {number}, is not a query: {field}: {error['msg']}.") from problem
        if query.query_id in queries:
            raise UserError(f"{path}, query {number}: {query.query_id!r} stands twice; give each query its own id.")
        queries[query.query_id] = query
    if not queries:
        raise UserError(f"{path} holds no query: make some with `drretail queries generate`.")
    return tuple(queries.values())


def check_made_for(queries: Iterable[Query], fingerprint: str) -> None:
    """Raises UserError when a query was made for another world than the one with this fingerprint."""
    for query in queries:
        if query.world_fingerprint not in (None, fingerprint):
            raise UserError(
                f"The query {query.query_id!r} was made for the world {query.world_fingerprint[:12]}, and this is "
                f"{fingerprint[:12]}: use that world, or make queries for this one."
            )
