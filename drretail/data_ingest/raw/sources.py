"""The files behind the paths that a user gives: which there are, and how each is opened."""

import errno
import gzip
import io
import zlib
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

from isal import igzip, igzip_lib

from drretail.data_ingest.raw.columns import Mapping
from drretail.errors import UserError, file_error

Shape = Literal["products", "reviews", "unknown", "empty"]
Layout = Literal["lines", "document", "table"]
_BLOCK = 1 << 20
ABOUT_MADE_UP = "synth.json"
"""The report on a made-up shop, beside its files."""
# The stubs of isal take the class for an instance.
_ISAL_ERROR = cast("type[Exception]", igzip_lib.IsalError)
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class RawFile:
    """One file, recognised by its content."""

    path: Path
    packed: bool
    shape: Shape
    layout: Layout = "lines"
    why: str | None = None
    """Why an unknown or empty file is not read."""
    mapping: Mapping | None = None
    """For a table of your own shop: which column is what."""
    beside: tuple[Path, ...] = ()
    """Other tables that are needed to read its rows."""


def find_files(paths: Iterable[Path], world: Path) -> list[Path]:
    """All files below the paths, each once, by path, without hidden ones, the world's, and a made-up shop's notes.

    Raises UserError if a path does not exist, or if there is no file at all.
    """
    named = list(paths)
    found: set[Path] = set()
    for path in named:
        if path.is_dir():
            found.update(
                file.absolute()
                for file in path.rglob("*")
                if file.is_file()
                and file.name != ABOUT_MADE_UP
                and not any(part.startswith(".") for part in file.relative_to(path).parts)
            )
        elif path.is_file():
            found.add(path.absolute())
        else:
            raise UserError(f"{path} does not exist: give files or folders of Amazon Reviews 2023.")
    own = world.resolve()
    # A link keeps its own name, which says the category: download caches link to files that are named by their hash.
    files = {file.resolve(): file for file in sorted(found, reverse=True)}
    chosen = sorted(file for target, file in files.items() if not target.is_relative_to(own))
    if not chosen:
        where = ", ".join(map(str, named))
        raise UserError(f"There is no file in {where}: give files or folders of Amazon Reviews 2023.")
    return chosen


def is_packed(path: Path) -> bool:
    """True if the file is gzip, by its first bytes and not by its name. Raises UserError if it is unreadable."""
    with reading(path), path.open("rb") as file:
        return file.read(2) == _GZIP_MAGIC


@contextmanager
def open_binary(path: Path, packed: bool) -> Generator[BinaryIO]:
    """The unpacked bytes of a file. Reading raises UserError if the file is cut or damaged."""
    with reading(path), path.open("rb", buffering=0) as raw, open_unpacked(raw, packed) as file:
        yield file


@contextmanager
def open_unpacked(raw: io.FileIO, packed: bool) -> Generator[io.BufferedReader]:
    if packed:
        # ISA-L unpacks twice as fast as zlib, and compares the checksum at the end as well.
        with igzip.open(raw, "rb") as file:
            yield io.BufferedReader(cast("io.RawIOBase", file), _BLOCK // 4)
    else:
        yield io.BufferedReader(raw)


@contextmanager
def open_text(path: Path, packed: bool) -> Generator[io.TextIOWrapper]:
    """The text of a file without a byte order mark. Bytes that are not UTF-8 become U+FFFD."""
    with open_binary(path, packed) as file:
        yield io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")


@contextmanager
def reading(path: Path) -> Generator[None]:
    """Turns errors while a file is read into a UserError that names it."""
    try:
        yield
    except EOFError:
        raise UserError(f"{path} ends too early: download it again.") from None
    except (zlib.error, _ISAL_ERROR, gzip.BadGzipFile) as problem:
        raise UserError(f"{path} is damaged ({problem}): download it again.") from problem
    except OSError as problem:
        # The error is about the file that is being written.
        if problem.errno in NO_ROOM:
            raise
        raise UserError(f"{file_error(problem, path)}.") from problem


def file_state(path: Path) -> tuple[int, int]:
    """The size of a file, and when it was modified, in nanoseconds. Raises UserError if it is gone."""
    with reading(path):
        state = path.stat()
    return state.st_size, state.st_mtime_ns


def check_unchanged(path: Path, size: int, modified: int) -> None:
    """Raises UserError if the file is gone, or has changed since ``file_state``."""
    if file_state(path) != (size, modified):
        raise UserError(f"{path} changed while it was read; run the same command again when it is complete.")


def check_packed(path: Path) -> None:
    """Unpacks a gzip file to its end. Raises UserError if it is cut or damaged."""
    with open_binary(path, packed=True) as file:
        while file.read(_BLOCK):
            pass
