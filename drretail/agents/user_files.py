"""A user's own files: which folder holds those of a query, and their hash."""

import hashlib
from pathlib import Path

from drretail.errors import UserError
from drretail.files import check_inside, files_below
from drretail.records.base import sha256_of


def files_for(folder: Path | None, query_id: str, *, alone: bool) -> Path | None:
    """The folder of one query's files: named by its id, or ``folder`` itself for a question ``alone``.

    None if there is neither.
    """
    if folder is None:
        return None
    own = folder / query_id
    if not own.is_dir():
        return folder if alone else None
    check_inside(own, folder)
    return own


def files_hash(folder: Path) -> str:
    """A hash of the names and bytes of all files below a folder. Raises UserError for a folder without files."""
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder: name one with the user's files, or with such a folder for each query.")
    files = files_below(folder, "**/*")
    if not files:
        raise UserError(f"{folder} holds no file: put the user's files there, or in a folder for each query's id.")
    named = [[path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()] for path in files]
    return sha256_of(named)[:12]
