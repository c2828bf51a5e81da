"""The file that queries are written to. Its lines may be somebody's work, so none is lost without --force."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from drretail.errors import UserError

if TYPE_CHECKING:
    from drretail.records.query import Query


def check_file(to: Path) -> None:
    """Raises UserError if the path is a folder, or ends like a file of another format."""
    if to.is_dir():
        raise UserError(f"{to} is a folder: name a file in it, such as {to / 'queries.jsonl'}.")
    if to.suffix.casefold() in (".csv", ".tsv", ".xlsx", ".json", ".txt"):
        raise UserError(f"{to}: queries are written as JSONL: give it a name that ends in .jsonl.")


def check_unused(to: Path, *, force: bool) -> None:
    """Raises UserError if the file already has lines. Called before the slow work begins."""
    check_file(to)
    if not force and _lines_of(to):
        raise UserError(f"{to} exists: name another file, or add --force.")


def write_queries(to: Path, queries: "Iterable[Query]", *, force: bool) -> None:
    """Writes the queries, one per line.

    Raises UserError if a line of the file would be lost, unless ``force``. The same queries, or more of them, lose
    none.
    """
    from drretail.grounding.constraints import gold_files

    check_file(to)
    queries = list(queries)
    written = {query.as_line() for query in queries}
    lost = 0 if force else sum(line not in written for line in _known(to))
    if lost:
        raise UserError(
            f"{to} exists, and {'a line' if lost == 1 else f'{lost} lines'} of it would be lost: name another file, "
            "or add --force."
        )
    gold_files.write_with_gold(queries, to)


def check_resumable(to: Path, journal: Path, source: str) -> None:
    """Raises UserError, before a model is paid, for a file that could not be written afterwards.

    A file can be resumed if its journal exists and the named model wrote all of its queries.
    """
    from pydantic import ValidationError

    from drretail.records.query import Query

    check_file(to)
    try:
        sources = {Query.model_validate_json(line).source for line in _lines_of(to)}
    except ValidationError:
        sources = {"somebody else"}
    if sources - {source} or (sources and not journal.exists()):
        raise UserError(f"{to} exists, and {source} did not write it: name another file, or add --force.")


def _known(to: Path) -> list[str]:
    """A file's queries, each with its gold as one line; its lines, if these are no queries."""
    from drretail.querygen.reading import read_queries

    try:
        return [query.as_line() for query in read_queries(to)]
    except UserError:
        return _lines_of(to)


def _lines_of(to: Path) -> list[str]:
    from drretail.files import read_lines

    return [line for line in read_lines(to) if line.strip()] if to.is_file() else []
