"""The file that queries are written to: what is in it already is somebody's work."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.errors import UserError

if TYPE_CHECKING:
    from drretail.records.query import Query

Force = Annotated[bool, typer.Option("--force", help="Overwrite the file of --to.")]


def check_file(to: Path) -> None:
    """Raises UserError where there can be no file of this name."""
    if to.is_dir():
        raise UserError(f"{to} is a folder: name a file in it, such as {to / 'queries.jsonl'}.")


def check_unused(to: Path, *, force: bool) -> None:
    """Raises UserError, before what is slow to make is made, where the file has lines already."""
    check_file(to)
    if not force and _lines_of(to):
        raise UserError(f"{to} exists: name another file, or add --force.")


def write_queries(to: Path, queries: "Iterable[Query]", *, force: bool) -> None:
    """Writes the queries, a line each.

    Raises UserError where the file holds any line that would be lost; the same queries, and more of them, lose none.
    """
    from drretail.files import write_lines

    check_file(to)
    lines = [query.as_line() for query in queries]
    lost = 0 if force else sum(line not in set(lines) for line in _lines_of(to))
    if lost:
        raise UserError(
            f"{to} exists, and {'a line' if lost == 1 else f'{lost} lines'} of it would be lost: name another file, "
            "or add --force."
        )
    write_lines(to, lines)


def check_resumable(to: Path, journal: Path, source: str) -> None:
    """Raises UserError before a model is paid for what could not be written.

    A file is resumed when the calls for it stand in its journal, and the model that is named wrote all of it.
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


def _lines_of(to: Path) -> list[str]:
    from drretail.files import read_lines

    return [line for line in read_lines(to) if line.strip()] if to.is_file() else []
