"""One writer a folder: a lock that ends with its process, whatever ends that, and says who holds it."""

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
"""In the folder that it is for, as long as somebody writes there."""


@contextmanager
def locked_folder(folder: Path, what: str) -> Generator[None]:
    """Keeps other writers out of a folder that is there, for the time of a ``with`` block.

    Raises UserError that names the process which writes ``what`` already.
    """
    descriptor = take_lock(folder, what)
    try:
        yield
    finally:
        release_lock(folder, descriptor)


def take_lock(folder: Path, what: str) -> int:
    """``locked_folder`` for whoever has no block to hold it by: to be given back to ``release_lock``."""
    path = folder / LOCK
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(descriptor)
            os.close(descriptor)
            raise UserError(f"Another process is writing {what}{holder}: wait until it has ended.") from None
        if _is_at(descriptor, path):
            break
        os.close(descriptor)  # its last holder removed it between the two steps
    with suppress(OSError):  # the lock holds on a full disk, too
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode())
    return descriptor


def release_lock(folder: Path, descriptor: int) -> None:
    """Gives the lock back, and leaves no file behind."""
    with suppress(OSError):
        (folder / LOCK).unlink()
    os.close(descriptor)


def _holder(descriptor: int) -> str:
    """Which process holds a lock, as far as it has said so within a moment of taking it."""
    for _ in range(20):
        pid, _, host = os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip().partition(" ")
        if pid:
            break
        time.sleep(0.01)
    else:
        return ""
    where = "" if host == socket.gethostname() else f" on {host}"
    since = datetime.fromtimestamp(os.fstat(descriptor).st_mtime, UTC)
    return f" (process {pid}{where}, since {since:%Y-%m-%d %H:%M} UTC)"


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
