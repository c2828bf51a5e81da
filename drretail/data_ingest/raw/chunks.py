"""A file of lines, unpacked chunk by chunk, so that an engine reads it as fast as it unpacks.

DuckDB's own reader unpacks gzip three times slower than ISA-L. And a chunk is cheap to read again for its bad lines,
unlike the whole file.
"""

import os
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from drretail.data_ingest.raw.sources import open_binary, reading
from drretail.errors import UserError

# Bytes; large enough that a query for each chunk costs little.
CHUNK = 32 << 20
# Bytes unpacked at once: few enough to stay in the processor's caches until they are copied.
_PIECE = 1 << 18
# No row of the dataset comes near; the engine refuses longer ones.
LONGEST_LINE = 15 << 20


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines of a file."""

    path: Path
    """The file for the engine, valid until the next chunk is asked for."""
    place: int
    """The number of unpacked bytes in the file before this chunk."""
    size: int


def read_chunks(path: Path, packed: bool, on_place: Callable[[int], None], size: int = CHUNK) -> Iterator[Chunk]:
    """The lines of a file in chunks of about ``size`` bytes. ``on_place`` is called with the place in the file on disk.

    Raises UserError if the file is cut, damaged or unreadable, or has a line that is too long for any row.
    """
    piece, place, rest = memoryview(bytearray(_PIECE)), 0, b""
    with _window() as (window, name), open_binary(path, packed, on_place) as file:
        while True:
            os.lseek(window, 0, os.SEEK_SET)
            _put(window, rest)
            filled, read, end = len(rest), 1, 0
            while read and (filled < size or not end):
                with reading(path):
                    # A packed file unpacks into this memory without a copy. BinaryIO does not declare readinto.
                    read = int(file.readinto(piece))  # pyright: ignore[reportAttributeAccessIssue]
                end = _end_of_lines(piece[:read], filled) or end
                _put(window, piece[:read])
                filled += read
                if filled - end > size + LONGEST_LINE:
                    raise UserError(f"{path} has a line of more than {LONGEST_LINE >> 20} MB: shorten or remove it.")
            # What comes after the last newline of a file is a line, too.
            end = end if read else filled
            rest = os.pread(window, filled - end, end)
            os.ftruncate(window, end)
            yield Chunk(name, place, end)
            if not read:
                return
            place += end


def count_lines(path: Path, packed: bool, place: int) -> int:
    """The number of lines before a place in the unpacked file."""
    lines = 0
    with open_binary(path, packed) as file:
        while place and (data := file.read(min(place, _PIECE))):
            lines, place = lines + data.count(b"\n"), place - len(data)
    return lines


def _end_of_lines(piece: memoryview, before: int) -> int:
    """The place after the last newline; 0 if there is none."""
    found = bytes(piece[-4096:]).rfind(b"\n")
    if found >= 0:
        return before + len(piece) - len(piece[-4096:]) + found + 1
    return before + found + 1 if (found := bytes(piece).rfind(b"\n")) >= 0 else 0


@contextmanager
def _window() -> Generator[tuple[int, Path]]:
    """A file in memory that an engine can open by name (a temporary file on systems other than Linux)."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("drretail-chunk")
        path = Path(f"/proc/self/fd/{descriptor}")
    else:
        descriptor, name = tempfile.mkstemp(prefix="drretail-chunk-", suffix=".jsonl")
        path = Path(name)
    try:
        yield descriptor, path
    finally:
        os.close(descriptor)
        if path.parent.name != "fd":
            path.unlink(missing_ok=True)


def _put(descriptor: int, data: bytes | memoryview) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
