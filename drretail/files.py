"""Files that survive a killed process: documents and folders are whole, and JSONL may lose its last line.

One writer at a time: a lock ends with its process, however that ends, and a folder's names its holder.
"""

import fcntl
import gzip
import json
import os
import shutil
import socket
import stat
import time
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from isal import igzip
from pydantic import ValidationError

from drretail.errors import UserError, file_error
from drretail.parsing import parse_json
from drretail.records.base import FORMAT, Document, fault_of

T = TypeVar("T", bound=Document)
MOST_UNPACKED = 512 << 20
"""Bytes: files are read whole, so an endless one or a packed bomb must be refused."""
PACKING = 2
"""A level of ISA-L's, which packs a run's file a tenth larger than zlib's usual one in a fifth of the time."""
PART = ".drretail.part"
"""How the names of unfinished files and folders end."""


def write_atomically(path: Path, content: str | bytes | Iterable[bytes]) -> None:
    """Replaces the file at ``path``: whoever is killed leaves the old content or the new, never a part.

    A link is kept, and its target is replaced. Pipes and devices are written to directly.
    """
    content = content.encode("utf-8") if isinstance(content, str) else content
    parts = [content] if isinstance(content, bytes) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_special(path):
        with path.open("wb") as file:
            file.writelines(parts)
        return
    path = Path(os.path.realpath(path))
    part = _part_of(path, ".")
    with _naming(path), os.fdopen(open_locked(part, os.O_CREAT | os.O_WRONLY), "wb") as file:
        try:
            file.truncate()  # what a killed writer left
            with suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _part_of(path: Path, hiding: str = "") -> Path:
    # 60 characters are at most 240 bytes in UTF-8, and a file name may have 255.
    return path.with_name(f"{hiding}{path.name[-60:]}{PART}")


@contextmanager
def _naming(path: Path) -> Generator[None]:
    """Errors of the system name the user's file: theirs is a temporary one, or on a full disk none."""
    try:
        yield
    except OSError as problem:
        if problem.filename is None or str(problem.filename).endswith(PART):
            problem.filename = str(path)
        raise


def check_new(path: Path) -> None:
    """Raises UserError unless ``path`` is missing or an empty folder."""
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise UserError(f"{path} is there already: name another.")


@contextmanager
def made_whole(path: Path, *, is_replaced: bool = False, is_shared: bool = False) -> Generator[Path]:
    """The place where a file or folder is made that is named ``path`` once the ``with`` block has ended.

    The place has the same name, in a ``part_folder``. Pipes and devices are written to directly.

    Raises UserError if another process is making ``path``, and if it is there, unless it is an empty folder or
    ``is_replaced``. If several processes may make it (``is_shared``), each waits, and the result of the first stays.
    """
    if is_special(path):
        yield path
        return
    if not (is_replaced or is_shared):
        check_new(path)
    path = Path(os.path.realpath(path))
    with part_folder(path, waits=is_shared) as folder:
        new = folder / path.name
        yield new
        sync_tree(new)
        if is_replaced and path.is_dir():
            shutil.rmtree(path)
        if not (is_shared and path.exists()):
            new.rename(path)


@contextmanager
def part_folder(path: Path, *, waits: bool = False) -> Generator[Path]:
    """An empty folder beside ``path`` for the time of a ``with`` block; what a killed process left there is removed.

    It is not hidden, since it may be large. Raises UserError if another process has it, unless this one ``waits``.
    """
    folder = _part_of(path)
    with _naming(path):
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = open_locked(folder, os.O_RDONLY | os.O_DIRECTORY, waits=waits)
        except BlockingIOError:
            raise UserError(f"Another process is writing {path}: wait until it has ended.") from None
    try:
        for left in folder.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        yield folder
    finally:
        # An error here must not hide the one that ended the block; the next process removes the rest.
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def is_unfinished(path: Path) -> bool:
    """True for a temporary file or folder, which a killed process left behind or another one is writing."""
    return path.name.endswith(PART)


def is_special(path: Path) -> bool:
    """True for pipes and devices, which must not be replaced by a file."""
    return path.exists() and not (path.is_file() or path.is_dir())


def files_below(folder: Path, pattern: str = "*") -> list[Path]:
    """The files below a folder that match a pattern, sorted, without hidden ones; raises as ``check_inside``."""
    files = sorted(path for path in folder.glob(pattern) if path.is_file() and not path.name.startswith("."))
    for path in files:
        check_inside(path, folder)
    return files


def check_entries(folder: Path) -> None:
    """Raises UserError if an experiment's folder holds anything but files and folders.

    A link shows, and could change, a file elsewhere, and a pipe may never end.
    """
    for entry in [*os.scandir(folder)] if folder.is_dir() else ():
        if entry.is_dir(follow_symlinks=False):
            check_entries(Path(entry.path))
        elif not entry.is_file(follow_symlinks=False):
            raise UserError(f"{entry.path} is a link, pipe or device, and no file: put the file itself there.")


def check_inside(path: Path, folder: Path) -> None:
    """Raises UserError for a link out of the folder: a folder from somebody else could link to any file."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{path} is a link that leads out of {folder}: put what it leads to there.")


def write_once(path: Path, text: str) -> None:
    """Writes a file, unless it is there."""
    if not path.exists():
        write_atomically(path, text)


def write_json(path: Path, value: Any) -> None:
    """Writes readable JSON (sorted keys, two spaces, a final newline) atomically."""
    write_atomically(path, readable_json(value))


def readable_json(value: Any) -> str:
    """The text that ``write_json`` writes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2) + "\n"


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises UserError if it is missing or broken, or of another format."""
    try:
        value = parse_json("\n".join(read_lines(path)))
    except json.JSONDecodeError as problem:
        raise UserError(f"{path} cannot be read as JSON ({problem}): restore it, or make it anew.") from problem
    if not isinstance(value, dict):
        raise UserError(f"{path} holds no JSON object.")
    check_format(value, path)
    return value


def read_document(path: Path, record: type[T]) -> T:
    """The record in a JSON file. Raises UserError if it is missing or broken, or of another format."""
    try:
        return record.model_validate(read_json(path))
    except ValidationError as problem:
        raise UserError(f"{path} is not as this version writes it: {fault_of(problem)}.") from problem


def check_format(value: dict[str, Any], where: object) -> None:
    """Raises UserError if ``value`` names another format than this version of drretail reads."""
    if (version := value.get("format")) != FORMAT:
        fault = "names no format" if version is None else f"is of format {version!r}"
        advice = "Make it anew, or install the version that made it."
        raise UserError(f"{where} {fault}; this version of drretail reads format {FORMAT}. {advice}")


def read_jsonl(
    path: Path, lines: Sequence[str] | None = None, *, forgives_a_cut: bool = True
) -> Iterator[dict[str, Any]]:
    """The objects of a .jsonl or .jsonl.gz file, or in ``lines`` that were read already.

    Raises UserError for a broken line. Without ``lines``, a last line that was cut is left out as ``LineAppender``
    drops it, if ``forgives_a_cut``; set it False for users' files.
    """
    lines = read_lines(path, forgives_a_cut=forgives_a_cut) if lines is None else lines
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except json.JSONDecodeError as problem:
            raise UserError(f"{path}, line {number}, is not JSON: {problem}.") from problem
        if not isinstance(value, dict):
            raise UserError(f"{path}, line {number}, is not a JSON object.")
        yield value


def read_lines(path: Path, *, forgives_a_cut: bool = False) -> list[str]:
    """The lines of a text file, packed or not; ``whole_lines`` of it if it ``forgives_a_cut``.

    Raises UserError if it can't be read, or holds more than ``MOST_UNPACKED``: ten megabytes may unpack to ten
    gigabytes, and what is no file may never end.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            data = file.read(MOST_UNPACKED + 1)
        if len(data) > MOST_UNPACKED:
            raise UserError(f"{path} holds more than {MOST_UNPACKED >> 20} MB of text, the most that is read.")
        return lines_in(whole_lines(data) if forgives_a_cut else data, path)
    except (OSError, EOFError, zlib.error) as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem


def whole_lines(data: bytes) -> bytes:
    """The data without a last line that a killed program left without its end, maybe within a character."""
    return data[: data.rfind(b"\n") + 1]


def lines_in(data: bytes, path: Path) -> list[str]:
    """The lines of a file, which end at line feeds alone: strings of JSON may hold U+2028.

    Raises UserError unless it is in UTF-8.
    """
    try:
        return data.decode("utf-8-sig").removesuffix("\n").split("\n")  # Windows' editors begin with a mark
    except UnicodeDecodeError as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Writes all lines atomically. A path that ends in .gz is packed; equal lines give equal bytes.

    Unpacked lines are written as they are produced: thousands of runs do not fit into memory.
    """
    parts = (f"{line}\n".encode() for line in lines)
    write_atomically(path, pack(b"".join(parts)) if path.suffix == ".gz" else parts)


def pack(data: bytes) -> bytes:
    """gzip without name and time, so that equal content gives equal bytes on one machine."""
    return igzip.compress(data, PACKING, mtime=0)


class LineAppender:
    """Appends lines to a file; a line survives the process once ``append`` returns. Opening drops a cut last line."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._file = path.open("a+b")
        self._file.seek(0)
        self._file.truncate(len(whole_lines(self._file.read())))

    def append(self, line: str) -> None:
        with _naming(self._path):
            self._file.write(f"{line}\n".encode())
            self._file.flush()

    def close(self) -> None:
        with _naming(self._path):  # what could not be written is tried again
            self._file.close()


def append_line(path: Path, line: str) -> None:
    """Appends one line to a file."""
    with closing(LineAppender(path)) as file:
        file.append(line)


def sync_tree(path: Path) -> None:
    """Brings a file, or a folder with all that is in it, to the disk."""
    for file in [*path.rglob("*"), path]:
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


LOCK = ".lock"
"""The lock's file, in the folder while a process writes there."""


def open_locked(path: Path, flags: int, *, waits: bool = True) -> int:
    """The descriptor of a file or folder that no other process or thread has locked, until it is closed.

    Raises BlockingIOError if another one has locked it, unless this one ``waits``.
    """
    is_folder = bool(flags & os.O_DIRECTORY)
    while True:
        if is_folder:
            path.mkdir(exist_ok=True)
        try:
            descriptor = os.open(path, flags | os.O_NOFOLLOW, 0o666)  # a stranger's link could lead to any file
        except FileNotFoundError:
            if is_folder:  # its last holder removed it meanwhile
                continue
            raise
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        except BlockingIOError:
            os.close(descriptor)
            raise
        except OSError:  # a file system without locks
            pass
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        os.close(descriptor)  # its last holder renamed or removed it before it was locked


@contextmanager
def locked_folder(folder: Path, what: str | None = None) -> Generator[None]:
    """Keeps other writers out of an existing folder during a ``with`` block.

    Raises UserError that names the process which is writing ``what``, or else the folder.
    """
    path = folder / LOCK
    try:
        descriptor = open_locked(path, os.O_RDWR | os.O_CREAT, waits=False)
    except BlockingIOError:
        raise UserError(
            f"Another process is writing {what or folder}{_holder(path)}: wait until it has ended."
        ) from None
    try:
        with suppress(OSError):  # the lock holds on a full disk, too
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode())
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(descriptor)


@contextmanager
def locked_file(path: Path) -> Generator[None]:
    """Keeps other writers of a file waiting during a ``with`` block; makes the file and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = open_locked(path, os.O_RDWR | os.O_CREAT)
    try:
        yield
    finally:
        os.close(descriptor)


def _holder(path: Path) -> str:
    """The process that holds a lock, for a message; empty if it has not yet written its name."""
    for _ in range(20):
        with suppress(FileNotFoundError):
            pid, _, host = path.read_text(encoding="utf-8", errors="replace").strip().partition(" ")
            if pid:
                where = "" if host == socket.gethostname() else f" on {host}"
                since = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                return f" (process {pid}{where}, since {since:%Y-%m-%d %H:%M} UTC)"
        time.sleep(0.01)
    return ""
