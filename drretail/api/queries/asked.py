"""Queries for ``run``, the gym and the inspect task: from a file, records or plain questions."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from drretail.agents.running.new_experiment import question_as_query
from drretail.api.options.run import Queries
from drretail.env.web.base import Web
from drretail.env.web.sealed import SealedWeb
from drretail.env.world import World
from drretail.errors import UserError, quoted
from drretail.querygen.reading import read_queries, read_tasks
from drretail.records.query import Query

NOTHING_ASKED = (
    "There is nothing to answer: name questions with --queries FILE (drretail queries shipped --to FILE writes the "
    "fifty that come with drretail), or give a list of them in Python."
)


def read_file_of_queries(
    queries: Queries | None, web: Web, read: Callable[[Path], Sequence[Query]] = read_queries
) -> Queries | None:
    """The queries, read if they are a file. None only for a sandbox, which brings its own.

    Raises UserError for a broken file, and if there are no queries at all.
    """
    if queries is None and not isinstance(web, SealedWeb):
        raise UserError(NOTHING_ASKED)
    if not isinstance(queries, str | Path):
        return queries
    if not Path(queries).exists() and " " in str(queries):
        raise UserError(f"There is no file {str(queries)!r}: to ask a question, put it into a list, [question].")
    return list(read(Path(queries)))


def asked_queries(queries: Queries | None, user: str | None, world: World) -> list[Query]:
    """The queries of a file, or the given ones, with plain questions as queries of ``user``.

    If none are given, the queries of the sandbox, which has a web for each. What that web establishes about products
    belongs to a query, wherever it comes from.
    """
    query_list = _asked(queries, user, world, read_queries)
    return world.web.with_gold(query_list) if isinstance(world.web, SealedWeb) else query_list


def asked_tasks(queries: Queries | None, user: str | None, world: World) -> list[Query]:
    """The same queries without their gold, which is not opened."""
    return [query.task for query in _asked(queries, user, world, read_tasks)]


def _asked(
    queries: Queries | None, user: str | None, world: World, read: Callable[[Path], Sequence[Query]]
) -> list[Query]:
    queries = read_file_of_queries(queries, world.web, read)
    if queries is None:
        return list(cast(SealedWeb, world.web).queries)
    is_one = isinstance(queries, Query) or not isinstance(queries, Iterable)
    items: list[Any] = [queries] if is_one else list(cast(Iterable[Any], queries))
    wrong = [each for each in items if not isinstance(each, str | Query)]
    if wrong:
        raise UserError(f"A query is a question or a Query, and {quoted(str(wrong[0]))} is neither.")
    query_list = [question_as_query(each, user, world) if isinstance(each, str) else each for each in items]
    if not query_list:
        raise UserError("There is nothing to answer: the list of queries is empty.")
    return query_list
