"""One writer per folder: a lock that names its holder, and ends with its process, however that ends."""

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


@contextmanager
def locked_folder(folder: Path, what: str) -> Generator[None]:
    """Keeps other writers out of an existing folder during a ``with`` block.

    Raises UserError that names the process which is writing ``what``.
    """
    descriptor = take_lock(folder, what)
    try:
        yield
    finally:
        release_lock(folder, descriptor)


@contextmanager
def locked_file(path: Path) -> Generator[None]:
    """Keeps other writers of a file waiting during a ``with`` block; makes the file and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def take_lock(folder: Path, what: str) -> int:
    """``locked_folder`` without a block: the descriptor returned must be passed to ``release_lock``."""
    path = folder / LOCK
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(descriptor)
            os.close(descriptor)
            raise UserError(f"Another process is writing {what}{holder}: wait until it has ended.") from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                break
        os.close(descriptor)  # its last holder removed it between the two steps
    with suppress(OSError):  # the lock holds on a full disk, too
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode())
    return descriptor


def release_lock(folder: Path, descriptor: int) -> None:
    """Releases the lock and removes its file."""
    with suppress(OSError):
        (folder / LOCK).unlink()
    os.close(descriptor)


def _holder(descriptor: int) -> str:
    """The process that holds a lock, for a message; empty if it has not yet written its name."""
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
