"""A real server of a test's own, which it may kill and start again on the same data and port."""

import os
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.servers.running import OWNER, CannotStart, Kind, start, stop

PORTS: dict[Kind, str] = {"mongo": "MONGO_PORT", "elasticsearch": "ES_PORT"}


class OwnServer:
    """Up when made. ``kill`` ends it as a loss of power would, ``start`` brings it back."""

    def __init__(self, kind: Kind, folder: Path, **environment: str) -> None:
        self._kind: Kind = kind
        self._folder = folder
        self._environment = environment
        self.url = start(kind, folder, end_with=os.environ[OWNER], **environment)
        address = urlsplit(self.url)
        assert address.port, "the scripts give a port"
        self.port = address.port

    @property
    def pid(self) -> int:
        return int((self._folder / f"{self._kind}.process").read_text(encoding="utf-8").split()[0])

    def kill(self) -> None:
        """SIGKILL; returns when the port is free."""
        os.kill(self.pid, signal.SIGKILL)
        eventually(lambda: not answers(self.port), "the server to be gone")

    def start(self) -> None:
        start(self._kind, self._folder, **{**self._environment, PORTS[self._kind]: str(self.port)})


@contextmanager
def own_server(kind: Kind, **environment: str) -> Generator[OwnServer]:
    """Skips the test where such a server cannot run; stopped and removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="drretail-own-"))
    # Elasticsearch may have to run as somebody else, who has to get in.
    folder.chmod(0o755)
    try:
        server = OwnServer(kind, folder, **environment)
    except CannotStart as problem:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"no real server: {problem}")
    try:
        yield server
    finally:
        stop(folder)


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def eventually(is_so: Callable[[], bool], what: str, seconds: float = 20) -> None:
    """Returns when it is so; fails the test where it does not become so."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            pytest.fail(f"waited {seconds:g} s in vain for {what}")
        time.sleep(0.05)
