"""Packed files: an index and gzip members, which are read without the others, and which ``zcat`` shows.

A pack holds the .jsonl files of a folder, one its verdicts and one its journals (which hold times). It is written when
work on them ends, and read as if they still lay there. A file that lies in the folder counts before the one of its name
in a pack: whoever appends unpacks the file first, and a command that is killed while it packs leaves both.
"""

import os
import zlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from drretail.errors import UserError, file_error
from drretail.files import MOST_UNPACKED, check_format, lines_in, whole_lines, write_atomically
from drretail.files import pack as compressed
from drretail.parsing import parse_json
from drretail.records.base import FORMAT, canonical_json

JOURNAL = ".journal.jsonl"
PACKS = ("packed.jsonl.gz", "packed.journal.jsonl.gz")
"""The names of the packs of a folder's files and of its journals."""
PART = 256 << 10
"""The least bytes of a part, which is unpacked by itself: of runs by the thousand, one is read without the others.
Smaller parts take more room: of 7,100 files of 6 KB, each packed by itself takes three times as much.
"""
_Stamp = tuple[int, int, int]
_Place = tuple[tuple[int, int], int, int]
"""Where a file is: the place and size of its part in the pack, and where the file begins and ends in the part."""
_CHUNK = 4096


def archive(members: Iterable[bytes], **index: Any) -> bytes:
    """The bytes of a file with these members; ``index`` says what is in them."""
    packed = [compressed(member) for member in members]
    head = canonical_json({"format": FORMAT, "sizes": [len(member) for member in packed], **index})
    return b"".join([compressed(f"{head}\n".encode()), *packed])


def read_index(path: Path) -> tuple[dict[str, Any], list[tuple[int, int]]]:
    """The index, and where each member begins and how many bytes it takes.

    Raises FileNotFoundError if there is no such file, and UserError for a damaged one or one of another format.
    """
    unpacking, head = zlib.decompressobj(wbits=31), b""
    with path.open("rb") as file:
        try:
            while not unpacking.eof and (data := unpacking.unconsumed_tail or file.read(_CHUNK)):
                head += unpacking.decompress(data, MOST_UNPACKED - len(head))
                if len(head) == MOST_UNPACKED:
                    raise ValueError
            index, begin = parse_json(head), file.tell() - len(unpacking.unused_data)
        except (zlib.error, ValueError) as problem:
            raise damaged(path) from problem
        size_of_file = os.fstat(file.fileno()).st_size
    if not isinstance(index, dict):
        raise damaged(path)
    check_format(index, path)
    places: list[tuple[int, int]] = []
    sizes = index.get("sizes")
    for size in sizes if isinstance(sizes, list) else ():
        if type(size) is not int or size < 0:
            raise damaged(path)
        places.append((begin, size))
        begin += size
    if begin != size_of_file:  # a copy that was cut
        raise damaged(path)
    return index, places


def read_parts(path: Path, places: Iterable[tuple[int, int]]) -> list[bytes]:
    """The unpacked members at these places."""
    members: list[bytes] = []
    with path.open("rb") as file:
        for begin, size in places:
            file.seek(begin)
            unpacking = zlib.decompressobj(wbits=31)
            try:
                members.append(unpacking.decompress(file.read(size), MOST_UNPACKED))
            except zlib.error as problem:
                raise damaged(path) from problem
            if not unpacking.eof or unpacking.unused_data:
                raise damaged(path)
    return members


def damaged(path: Path) -> UserError:
    return UserError(f"{path} is damaged: restore it, or delete it; the command that made it makes it again.")


def packed_names(folder: Path) -> list[str]:
    """The names of the .jsonl files in a folder and its packs, sorted."""
    names = {path.name for path in folder.glob("*.jsonl") if path.is_file()}
    return sorted(names.union(*(_files(folder / pack) for pack in PACKS)))


def data_of(path: Path) -> bytes:
    """A file's bytes, from its folder or the folder's pack; empty if it is in neither.

    Raises UserError if it can't be read, also for a damaged pack.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        pack = _pack_of(path)
        part, begin, end = _files(pack).get(path.name, (None, 0, 0))
    except OSError as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem
    return b"" if part is None else _part(pack, _stamp(pack), part)[begin:end]


def lines_of(path: Path) -> list[str]:
    """A file's whole lines, as ``read_lines`` gives them; none if it is not there."""
    return lines_in(data, path) if (data := whole_lines(data_of(path))) else []


def unpack(path: Path) -> None:
    """Lays the file in its folder, to be appended to, if only the pack has it."""
    if not path.exists() and path.name in _files(_pack_of(path)):
        write_atomically(path, data_of(path))


def unpack_below(folder: Path) -> None:
    """Lays the files of all packs below a folder beside them, and removes the packs."""
    for pack in sorted(path for name in PACKS for path in folder.rglob(name)):
        for name in _files(pack):
            unpack(pack.with_name(name))
        pack.unlink()


def pack_below(folder: Path) -> None:
    """Packs the .jsonl files of every folder three levels below this one. Call it under the experiment's lock."""
    for place in sorted({path.parent for path in folder.glob("*/*/*/*.jsonl")}):
        paths = [place / name for name in packed_names(place)]
        for pack in (place / name for name in PACKS):
            packed = [path for path in paths if _pack_of(path) == pack]
            if any(path.exists() for path in packed):
                write_atomically(pack, _packed(packed))
                for path in packed:
                    path.unlink(missing_ok=True)


def _packed(paths: list[Path]) -> bytes:
    """A pack of these files, each without a cut last line, in parts of whole files."""
    parts, files = [b""], dict[str, tuple[int, int, int]]()
    for path in paths:
        if len(parts[-1]) >= PART:
            parts.append(b"")
        begin = len(parts[-1])
        parts[-1] += whole_lines(data_of(path))
        files[path.name] = len(parts) - 1, begin, len(parts[-1])
    return archive(parts, files=files)


def _pack_of(path: Path) -> Path:
    return path.with_name(PACKS[path.name.endswith(JOURNAL)])


def _files(pack: Path) -> Mapping[str, _Place]:
    """By name, the files in a pack; none if there is no pack."""
    return _index(pack, _stamp(pack)) if pack.exists() else {}


def _stamp(pack: Path) -> _Stamp:
    stat = pack.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


@lru_cache(maxsize=256)
def _index(pack: Path, stamp: _Stamp) -> Mapping[str, _Place]:
    index, parts = read_index(pack)
    try:
        files = {name: (parts[part], int(begin), int(end)) for name, (part, begin, end) in index["files"].items()}
    except (AttributeError, LookupError, TypeError, ValueError) as problem:
        raise damaged(pack) from problem
    if any("/" in name or not name.endswith(".jsonl") for name in files):
        raise damaged(pack)  # it could name a file elsewhere
    return files


@lru_cache(maxsize=4)  # a stranger's part may unpack to 512 MB
def _part(pack: Path, stamp: _Stamp, place: tuple[int, int]) -> bytes:
    (data,) = read_parts(pack, [place])
    return data
