"""The .jsonl files of a folder in two packed files, verdicts and journals (which hold times): written when work on them
ends, and read as if they still lay there.

A file that lies in the folder counts before the one of its name in a pack: whoever appends unpacks the file first, and
a command that is killed while it packs leaves both. ``zcat`` shows a pack: a line that lists its files, then theirs.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from drretail.archive import archive, damaged, read_index, read_parts
from drretail.errors import UserError, file_error
from drretail.files import lines_in, write_atomically

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
    """A file's lines, as ``read_lines`` gives them; none if it is not there."""
    return lines_in(data, path) if (data := data_of(path)) else []


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
        data = data_of(path)
        begin = len(parts[-1])
        parts[-1] += data[: data.rfind(b"\n") + 1]
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
