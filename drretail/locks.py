"""One writer of a file or folder: a lock ends with its process, however that ends, and a folder's names its holder."""

import fcntl
import os
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from drretail.errors import UserError

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
