"""The .jsonl files of a folder in two packed files, verdicts and journals (which hold times): written when work on them
ends, and read as if they still lay there.

A file that lies in the folder counts before the one of its name in a pack: whoever appends unpacks the file first, and
a command that is killed while it packs leaves both. ``zcat`` shows a pack: a line that lists its files, then theirs.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from drretail.archive import archive, damaged, read_index, read_parts
from drretail.errors import UserError, file_error
from drretail.files import write_atomically

JOURNAL = ".journal.jsonl"
PACKS = ("packed.jsonl.gz", "packed.journal.jsonl.gz")
"""The names of the packs of a folder's files and of its journals."""
PART = 256 << 10
"""The least bytes of a part, which is unpacked by itself: of runs by the thousand, one is read without the others.
Smaller parts take more room: of 7,100 files of 6 KB, each packed by itself takes three times as much.
"""
_PARTS, _INDEXES = 4, 256
"""The most of each that are remembered: a stranger's part may unpack to 512 MB."""


@dataclass(frozen=True, slots=True)
class _Index:
    parts: tuple[tuple[int, int], ...]
    """The place of each part in the packed file, and its size there."""
    files: Mapping[str, tuple[int, int, int]]
    """By name, the part, where the file begins in it, and where it ends."""


_Stamp = tuple[int, int, int]


def packs_below(folder: Path) -> list[Path]:
    """All packs below a folder, sorted."""
    return sorted(path for name in PACKS for path in folder.rglob(name))


def names_in(folder: Path) -> list[str]:
    """The names of the .jsonl files in a folder and its packs, sorted."""
    names = {path.name for path in folder.glob("*.jsonl") if path.is_file()}
    for packed in (folder / name for name in PACKS):
        stamp = _stamp(packed)
        names |= set() if stamp is None else _index(packed, stamp).files.keys()
    return sorted(names)


def is_there(path: Path) -> bool:
    """True if the file lies in its folder or in the folder's pack."""
    packed = _pack_of(path)
    stamp = None if path.exists() else _stamp(packed)
    return path.exists() if stamp is None else path.name in _index(packed, stamp).files


def data_of(path: Path) -> bytes:
    """A file's bytes, from its folder or the folder's pack.

    Raises FileNotFoundError if it is in neither, and UserError for a damaged pack.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        packed = _pack_of(path)
        stamp = _stamp(packed)
        if stamp is None or (place := _index(packed, stamp).files.get(path.name)) is None:
            raise
    part, begin, end = place
    data = _part(packed, stamp, *_index(packed, stamp).parts[part])
    if not 0 <= begin <= end <= len(data):
        raise damaged(packed)
    return data[begin:end]


def lines_of(path: Path) -> list[str]:
    """A file's lines, as ``read_lines`` gives them; none if it is not there."""
    try:
        return data_of(path).decode("utf-8-sig").removesuffix("\n").split("\n")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem


def unpack(path: Path) -> None:
    """Lays the file in its folder, to be appended to, if only the pack has it."""
    if not path.exists() and is_there(path):
        write_atomically(path, data_of(path))


def unpack_below(folder: Path, is_wanted: Callable[[str], bool] = bool) -> None:
    """Lays the files of all packs below a folder beside them, or those with a wanted name; removes the packs."""
    for packed in packs_below(folder):
        stamp = _stamp(packed)
        for name in filter(is_wanted, () if stamp is None else _index(packed, stamp).files):
            unpack(packed.with_name(name))
        packed.unlink()


def pack_below(folder: Path) -> None:
    """Packs the .jsonl files of every folder three levels below this one. Call it under the experiment's lock."""
    for place in sorted({path.parent for path in folder.glob("*/*/*/*.jsonl")}):
        paths = [place / name for name in names_in(place)]
        for packed in (place / name for name in PACKS):
            its = [path for path in paths if _pack_of(path) == packed]
            if any(path.exists() for path in its):
                _write(packed, its)
                for path in its:
                    path.unlink(missing_ok=True)


def _pack_of(path: Path) -> Path:
    return path.with_name(PACKS[path.name.endswith(JOURNAL)])


def _write(packed: Path, paths: Collection[Path]) -> None:
    """Packs these files, each without a cut last line, in parts of whole files."""
    parts: list[bytes] = []
    files: dict[str, tuple[int, int, int]] = {}
    waiting = b""
    for path in paths:
        data = data_of(path)
        data = data[: data.rfind(b"\n") + 1]
        files[path.name] = len(parts), len(waiting), len(waiting) + len(data)
        waiting += data
        if len(waiting) >= PART:
            parts.append(waiting)
            waiting = b""
    write_atomically(packed, archive([*parts, waiting], files=files))


def _stamp(packed: Path) -> _Stamp | None:
    try:
        stat = packed.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


@lru_cache(maxsize=_INDEXES)
def _index(packed: Path, stamp: _Stamp) -> _Index:
    index, parts = read_index(packed)
    try:
        files = {str(name): (int(part), int(first), int(last)) for name, (part, first, last) in index["files"].items()}
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as problem:
        raise damaged(packed) from problem
    for name, (part, _, _) in files.items():
        if "/" in name or "\\" in name or not name.endswith(".jsonl") or part not in range(len(parts)):
            raise damaged(packed)  # it could name a file elsewhere
    return _Index(tuple(parts), files)


@lru_cache(maxsize=_PARTS)
def _part(packed: Path, stamp: _Stamp, begin: int, size: int) -> bytes:
    (data,) = read_parts(packed, [(begin, size)])
    return data
