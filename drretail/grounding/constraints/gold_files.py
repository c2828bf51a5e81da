"""NAME.gold.jsonl beside NAME.jsonl: what is decided for the queries of a file, one line per query."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.files import read_jsonl, write_lines
from drretail.records.criteria import Gold
from drretail.records.query import Query


def gold_path(queries: Path) -> Path:
    """The file of decisions beside a file of queries: q.gold.jsonl beside q.jsonl."""
    return queries.with_name(f"{queries.name.removesuffix('.jsonl')}.gold.jsonl")


def with_gold(queries: Iterable[Query], path: Path) -> tuple[Query, ...]:
    """The queries, each with its line of a file of decisions; unchanged if there is no such file.

    Raises UserError for a line that is none.
    """
    gold = _read(path) if path.exists() else {}
    return tuple(query.model_copy(update={"gold": gold.get(query.query_id, query.gold)}) for query in queries)


def write_with_gold(queries: Sequence[Query], path: Path) -> None:
    """Writes queries, one per line, and beside them what is decided for them."""
    write_lines(path, [query.as_line() for query in queries])
    write_gold(queries, gold_path(path))


def write_gold(queries: Iterable[Query], path: Path) -> None:
    """Writes what is decided for the queries. Without any decision, no file is made."""
    # A query that was made from another has what is decided for that one.
    own = ((query.gold, {"query_id": query.query_id}) for query in queries if query.gold is not None)
    lines = [gold.model_copy(update=query_id).as_line() for gold, query_id in own]
    if lines or path.exists():
        write_lines(path, lines)


def _read(path: Path) -> dict[str, Gold]:
    try:
        lines = [Gold.model_validate(line) for line in read_jsonl(path, forgives_a_cut=False)]
    except ValidationError as problem:
        error = problem.errors()[0]
        field = ".".join(str(part) for part in error["loc"])
        raise UserError(
            f"{path} holds a line that `drretail queries decide` did not write ({field}: {error['msg']})."
        ) from problem
    return {line.query_id: line for line in lines}
