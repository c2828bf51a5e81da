"""Files that survive a crash: documents are replaced atomically, JSONL may lose its last line, folders are whole."""

import fcntl
import gzip
import json
import os
import re
import secrets
import shutil
import stat
import sys
import time
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from drretail.errors import UserError, file_error
from drretail.parsing import parse_json
from drretail.records.base import FORMAT, Document, canonical_json

T = TypeVar("T", bound=Document)
LONGEST_LINE = 64 << 20
MOST_UNPACKED = 512 << 20
"""Bytes: files are read whole, so an endless line or a packed bomb must be refused."""
PACKING = 6
"""zlib's usual level. ISA-L packs a run's file a tenth larger in a fifth of its two milliseconds; 9 is no smaller."""
_LONGEST = 60
"""Characters of a name: at most 240 bytes in UTF-8, and a file name may have 255."""
_PART = re.compile(r".+\.[a-z0-9_]{8}\.part", re.DOTALL)
_is_synced = ContextVar("is_synced", default=True)
_OPENED = re.compile(r"/(?:dev|proc/self)/fd/(?P<number>\d+)|/dev/(?P<name>stdin|stdout|stderr)")


@contextmanager
def unsynced() -> Generator[None]:
    """Within it, writes do not wait for the disk: for files that are temporary or easily made again."""
    before = _is_synced.set(False)
    try:
        yield
    finally:
        _is_synced.reset(before)


def _sync(descriptor: int) -> None:
    if _is_synced.get():
        os.fsync(descriptor)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replaces the file at ``path``: after a crash it holds either the old content or the new, never a part.

    A link is kept, and its target is replaced. Pipes and devices are written to directly.
    """
    _write_parts(path, [content.encode("utf-8") if isinstance(content, str) else content])


def _write_parts(path: Path, parts: Iterable[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not _is_written_through(path):
        path = Path(os.path.realpath(path))
        _sweep(path)
        replace_file(path, parts)
        sync_folder(path.parent)
        return
    opened = _OPENED.fullmatch(str(path.absolute()))
    if opened is None:
        with path.open("wb") as file:
            file.writelines(parts)
        return
    # Opened by its name, a file would be written from its start again.
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed before the process began
            stream.flush()
    number = {"stdin": 0, "stdout": 1, "stderr": 2}.get(opened["name"] or "", opened["number"])
    with os.fdopen(os.dup(int(number)), "wb") as file:
        file.writelines(parts)


def replace_file(path: Path, parts: Iterable[bytes]) -> None:
    """``write_atomically`` with one wait for the disk: after the machine's own crash the old file may be there.

    Parts that killed processes left behind stay, since among thousands of files it takes long to look for them.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = _new_part(path)
    try:
        with _naming(path), os.fdopen(descriptor, "wb") as file:
            with suppress(FileNotFoundError):
                os.fchmod(descriptor, stat.S_IMODE(path.stat().st_mode))
            file.writelines(parts)
            file.flush()
            _sync(descriptor)
            temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _naming(path: Path) -> Generator[None]:
    """Names the file in the system's errors in a ``with`` block: those of writing, as on a full disk, name none."""
    try:
        yield
    except OSError as problem:
        problem.filename = problem.filename or str(path)
        raise


def check_new(path: Path) -> None:
    """Raises UserError unless ``path`` is missing or an empty folder."""
    if path.is_dir() and any(path.iterdir()):
        raise UserError(f"{path} is not empty: name a new folder.")
    if path.is_file():
        raise UserError(f"{path} is there already: name another.")


@contextmanager
def made_whole(path: Path, *, is_replaced: bool = False, is_shared: bool = False) -> Generator[Path]:
    """The place where a file or folder is made that is named ``path`` once the ``with`` block has ended.

    The place has the same name, in a folder NAME.<8 characters>.part beside ``path``. An error removes that folder, and
    what a killed process left there is removed first. Pipes and devices are written to directly.

    Raises UserError if another process is making ``path``, and if it is there, unless it is an empty folder or
    ``is_replaced``. If several processes may make it at once (``is_shared``), the result of the first one stays.
    """
    if _is_written_through(path) and not path.is_dir():
        yield path
        return
    if not (is_replaced or is_shared):
        check_new(path)
    path = Path(os.path.realpath(path))
    with part_folder(path, is_shared=is_shared) as folder:
        new = folder / path.name
        yield new
        sync_tree(new)
        if is_replaced and path.is_dir():
            shutil.rmtree(path)
        try:
            new.rename(path)
        except OSError:
            if not (is_shared and path.exists()):
                check_new(path)
                raise
        sync_folder(path.parent)


@contextmanager
def part_folder(path: Path, *, is_shared: bool = True) -> Generator[Path]:
    """An empty folder beside ``path`` for the time of a ``with`` block; what killed processes left there is removed.

    Raises UserError if another process has such a folder, unless ``is_shared``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    parent = os.open(path.parent, os.O_RDONLY)
    try:
        # Of two processes that look for each other's parts, the second has to find the first one's.
        with suppress(OSError):  # a file system without locks
            fcntl.flock(parent, fcntl.LOCK_EX)
        if _sweep(path) and not is_shared:
            raise UserError(f"Another process is writing {path}: wait until it has ended.")
        descriptor, folder = _new_part(path, is_folder=True)
    finally:
        os.close(parent)
    try:
        yield folder
    finally:
        # An error here must not hide the one that ended the block; the next process removes the rest.
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def is_unfinished(path: Path) -> bool:
    """True for a temporary file or folder, which a killed process left behind or another one is writing."""
    return _PART.fullmatch(path.name) is not None and (path.name.startswith(".") or path.is_dir())


def _new_part(path: Path, *, is_folder: bool = False) -> tuple[int, Path]:
    """A new temporary file or folder beside ``path``, open, and locked to show that its writer is alive.

    Folders are not hidden, since they may be large.
    """
    while True:
        name = f"{path.name[:_LONGEST]}.{secrets.token_hex(4)}.part"
        part = path.with_name(name if is_folder else f".{name}")
        try:
            if is_folder:
                part.mkdir()
            descriptor = os.open(part, os.O_RDONLY if is_folder else os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        except OSError as problem:
            problem.filename = str(path)  # messages name the user's file, not the temporary one
            raise
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if part.exists():
            return descriptor, part
        os.close(descriptor)  # swept before it was locked


def _sweep(path: Path) -> bool:
    """Removes what killed writers of the same path left behind. Returns whether another one has a temporary folder."""
    name, is_held = path.name[:_LONGEST], False
    with os.scandir(path.parent) as entries:
        parts = [Path(entry.path) for entry in entries if entry.name.startswith((f".{name}.", f"{name}."))]
    for part in filter(is_unfinished, parts):
        with suppress(OSError):
            descriptor = os.open(part, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(part) if part.is_dir() else part.unlink()
            except BlockingIOError:  # another process is writing or sweeping it
                is_held = is_held or part.is_dir()
            finally:
                os.close(descriptor)
    return is_held


def _is_written_through(path: Path) -> bool:
    """True for paths that must not be replaced by a file: devices, pipes, and the process's open descriptors."""
    if _OPENED.fullmatch(str(path.absolute())) is not None:
        return True
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def files_below(folder: Path, pattern: str = "*") -> list[Path]:
    """The files below a folder that match a pattern, sorted, without hidden ones; raises as ``check_inside``."""
    files = sorted(path for path in folder.glob(pattern) if path.is_file() and not path.name.startswith("."))
    for path in files:
        check_inside(path, folder)
    return files


def check_entries(folder: Path) -> None:
    """Raises UserError if an experiment's folder, or one of several experiments, holds anything but files and folders.

    A link shows, and could change, a file elsewhere, and a pipe may never end.
    """
    folders = [os.fspath(folder)] if folder.is_dir() else []
    while folders:
        path = folders.pop()
        try:
            entries = [*os.scandir(path)]
        except PermissionError:
            # One of several that is closed to this user shows nothing; a part of one would be missed.
            if (
                Path(path).parent == folder
                and not (folder / "experiment.json").exists()
                and not os.access(path, os.X_OK)
            ):
                continue
            raise
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif not entry.is_file(follow_symlinks=False):
                kind = "a link" if entry.is_symlink() else "a pipe or device"
                raise UserError(f"{entry.path} is {kind}, and no file of an experiment: put the file itself there.")


def check_inside(path: Path, folder: Path) -> None:
    """Raises UserError for a link out of the folder: a folder from somebody else could link to any file."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{path} is a link that leads out of {folder}: put what it leads to there.")


def write_json(path: Path, value: Any) -> None:
    """Writes readable JSON (sorted keys, two spaces, a final newline) atomically."""
    write_atomically(path, readable_json(value))


def readable_json(value: Any) -> str:
    """The text that ``write_json`` writes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2) + "\n"


def write_rows(path: Path, value: Mapping[str, Any]) -> None:
    """Writes a JSON object of lists (sorted keys) atomically, an item a line: small, and a diff shows what differs."""
    tables = {
        name: "[\n" + ",\n".join(map(canonical_json, rows)) + "\n]" if isinstance(rows, list) else canonical_json(rows)
        for name, rows in sorted(value.items())
    }
    lines = [f'"{name}":{table}' for name, table in tables.items()]
    write_atomically(path, "{\n" + ",\n".join(lines) + "\n}\n")


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises UserError if it is missing or broken, or of another format."""
    try:
        value = parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist.") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as problem:
        if isinstance(problem, json.JSONDecodeError):
            raise UserError(f"{path} cannot be read as JSON ({problem}): restore it, or make it anew.") from problem
        raise UserError(f"{file_error(problem, path)}.") from problem
    if not isinstance(value, dict):
        raise UserError(f"{path} holds no JSON object.")
    check_format(value, path)
    return value


def check_format(value: dict[str, Any], where: object) -> None:
    """Raises UserError if ``value`` names another format than this version of drretail reads."""
    version = value.get("format")
    if version == FORMAT:
        return
    fault, advice = "names no format" if version is None else f"is of format {version!r}", "Make it anew."
    if isinstance(version, int) and version > FORMAT:
        fault, advice = f"{fault}, made by a newer version", "Install that version, or name another folder."
    raise UserError(f"{where} {fault}; this version of drretail reads format {FORMAT}. {advice}")


def check_replaceable(path: Path) -> None:
    """Raises UserError for JSON that a newer version made. What is missing, damaged or older may be made anew."""
    with suppress(OSError, ValueError):
        value = parse_json(path.read_bytes())
        if isinstance(value, dict) and isinstance(version := value.get("format"), int) and version > FORMAT:
            check_format(value, path)


def read_jsonl(path: Path, *, forgives_a_cut: bool = True) -> Iterator[dict[str, Any]]:
    """The objects of a .jsonl or .jsonl.gz file. Raises UserError for a broken line.

    A cut last line, as a killed program leaves it, is skipped if ``forgives_a_cut``; set it False for users' files.
    """
    return parsed_lines(path, read_lines(path), forgives_a_cut=forgives_a_cut)


def parsed_lines(path: Path, lines: Sequence[str], *, forgives_a_cut: bool = True) -> Iterator[dict[str, Any]]:
    """The same of lines that were read from a file."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except json.JSONDecodeError as problem:
            if number == len(lines) and forgives_a_cut:
                return
            raise UserError(f"{path}, line {number}, is not JSON: {problem}.") from problem
        if not isinstance(value, dict):
            raise UserError(f"{path}, line {number}, is not a JSON object.")
        yield value


def read_documents(path: Path, kind: type[T], what: str) -> tuple[T, ...]:
    """The records of a .jsonl file in their order; none if there is no file.

    Raises UserError that names a line which is not a ``what``.
    """
    documents: list[T] = []
    for number, line in enumerate(read_jsonl(path) if path.exists() else (), 1):
        try:
            documents.append(kind.model_validate(line))
        except ValidationError as problem:
            raise UserError(f"{path}, line {number}, is no {what}: {problem.errors()[0]['msg']}.") from problem
    return tuple(documents)


def read_lines(path: Path, most: int | None = None) -> list[str]:
    """The lines of a text file, packed or not.

    Raises UserError if it can't be read, or unpacks to more than ``most`` bytes.
    """
    try:
        if path.stat().st_size > LONGEST_LINE:
            with path.open("rb") as file:
                for number in count(1):
                    line = file.readline(LONGEST_LINE + 1)
                    if len(line) > LONGEST_LINE:  # longer than any person or program of ours writes
                        most_mb = LONGEST_LINE >> 20
                        raise UserError(f"{path}, line {number}, has more than {most_mb} MB, the most that is read.")
                    if not line:
                        break
        data = read_packed(path, most or MOST_UNPACKED) if path.suffix == ".gz" else path.read_bytes()
        # splitlines() would also cut at U+2028, which JSON strings may hold.
        return data.decode("utf-8-sig").removesuffix("\n").split("\n")  # Windows' editors begin with a mark
    except FileNotFoundError:
        raise UserError(f"{path} does not exist.") from None
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem


def read_packed(path: Path, most: int) -> bytes:
    """The unpacked bytes of a gzip file.

    Raises OSError, EOFError or zlib.error if it is missing or damaged, and UserError if it unpacks to more than
    ``most`` bytes: ten megabytes may unpack to ten gigabytes.
    """
    with gzip.open(path) as file:
        unpacked = file.read(most + 1)
    if len(unpacked) > most:
        raise UserError(f"{path} holds more than {most >> 20} MB when it is unpacked, the most that is read.")
    return unpacked


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Writes all lines atomically. A path that ends in .gz is packed; equal lines give equal bytes.

    Unpacked lines are written as they are produced: thousands of runs do not fit into memory. If ``lines`` raises
    before its first line, no folder is made.
    """
    if path.suffix == ".gz":
        write_atomically(path, packed_lines(lines))
    else:
        parts = (f"{line}\n".encode() for line in lines)
        _write_parts(path, chain([next(parts, b"")], parts))


def packed_lines(lines: Iterable[str]) -> bytes:
    """The bytes that ``write_lines`` writes to a path that ends in .gz."""
    return pack("".join(f"{line}\n" for line in lines).encode())


def pack(data: bytes) -> bytes:
    """gzip without name and time, so that equal content gives equal bytes on one machine."""
    return gzip.compress(data, PACKING, mtime=0)


class LineAppender:
    """Appends lines to a file; a line survives the process once ``append`` returns. Opening drops a cut last line.

    To survive the machine, a line must be synced to disk, which takes about a millisecond. ``append`` syncs if that is
    ``seconds`` ago; before, the line gets to disk with the next sync, or when the system writes it.
    """

    def __init__(self, path: Path, seconds: float = 0) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        drop_cut_line(path)
        self._file = path.open("ab")
        self._path = path
        self._seconds = seconds
        self._synced = time.monotonic()

    @property
    def is_due(self) -> bool:
        """True if the next ``append`` will sync."""
        return time.monotonic() - self._synced >= self._seconds

    def append(self, line: str) -> None:
        with _naming(self._path):
            self._file.write(f"{line}\n".encode())
            self._file.flush()
            if self.is_due:
                _sync(self._file.fileno())
                self._synced = time.monotonic()

    def close(self) -> None:
        with _naming(self._path):  # what could not be written is tried again
            self._file.close()


def append_documents(path: Path, documents: Iterable[Document]) -> None:
    """Appends records to a .jsonl file; they are on disk when this returns. Without any, no file is made."""
    lines = [document.as_line() for document in documents]
    if lines:
        with closing(LineAppender(path)) as file:
            for line in lines:
                file.append(line)


def drop_cut_line(path: Path) -> None:
    """Cuts the file after its last newline, if there is such a file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with path.open("r+b") as file:
            file.truncate(whole)


def sync_folder(folder: Path) -> None:
    """Makes a rename within ``folder`` durable, or a file's content."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(path: Path) -> None:
    """Makes a file, or a folder with all that is in it, durable."""
    for file in [*path.rglob("*"), path]:
        sync_folder(file)
