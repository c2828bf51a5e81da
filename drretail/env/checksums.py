"""The checksums of a generation's files, as ``sha256sum -c`` reads them, by which a single flipped bit is noticed."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from drretail.env.manifest import DATABASE_FILE, INDEX_FOLDER
from drretail.errors import UserError
from drretail.files import write_lines
from drretail.records.evidence import Finding

CHECKSUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")
_PASSING = (".lock", f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm")
"""Files that come and go with readers."""


def write_checksums(generation: Path) -> None:
    """Writes down the checksums of all files of a generation as they are now."""
    names = sorted(path.relative_to(generation).as_posix() for path in generation.rglob("*") if path.is_file())
    kept = [name for name in names if name != CHECKSUMS and not name.endswith(_PASSING)]
    write_lines(generation / CHECKSUMS, (f"{_sha256(generation / name)}  {name}" for name in kept))


def changed_files(generation: Path, below: str = "") -> Iterator[Finding]:
    """The files that are not as they were written, or are gone; of those in one folder ``below`` alone, where given.

    Nothing of a generation without the list: it was made before there was one. What profile updates change in the
    database is for the caller to know.
    """
    path = generation / CHECKSUMS
    if not path.is_file():
        return
    *lines, end = path.read_bytes().decode("utf-8", "replace").split("\n")
    known = [_LINE.fullmatch(line) for line in lines]
    if end or not all(known):
        yield Finding(code="file_changed", severity="error", said=CHECKSUMS, found="it is no list of checksums")
    for match in (it for it in known if it and it[2].startswith(below)):
        file = generation / match[2]
        if not file.is_file():
            yield Finding(code="file_missing", severity="error", said=match[2])
        elif (found := _sha256(file)) != match[1]:
            yield Finding(code="file_changed", severity="error", said=f"{match[2]}: {match[1]}", found=found)


def check_index_files(generation: Path) -> None:
    """Raises UserError for a product index of which a file is not as it was written.

    A search engine trusts its files: with single bytes of them changed it gave other products without a word, or ended
    the whole process. To read them takes 0.6 s per GB, and they are read for searches anyway.
    """
    for finding in changed_files(generation, f"{INDEX_FOLDER}/"):
        raise UserError(
            f"The product index of {generation} is damaged ({finding.said.partition(':')[0]}): `drretail world check` "
            "says more; make the world anew."
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
