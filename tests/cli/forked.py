"""The command in processes that have drretail loaded already: each is forked from one that never runs a command.

A process of its own spends more time on imports than on most commands. What is forked has its own folder,
environment, streams and signal handlers, and ends as any other process does; only its modules were loaded before.
"""

import atexit
import gc
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

SERVER = """
import sys
from tests.cli.forked import end_of, serve
serve(int(sys.argv[1]))
from drretail.cli.entry import main
end_of(main)
"""
"""``serve`` returns in the forked processes alone."""

LOADED_LATE = ("isal.igzip", "numpy", "scipy.stats", "scipy.special", "langchain_openai")
"""What our modules import only when they need it. DuckDB is left out: it complains where it was loaded in vain."""

OTHERS = ("drretail.addons.gym", "drretail.addons.inspect")
"""What needs packages of other environments; no command loads it unasked."""


DIES_AT = "TEST_DIES_AT_WRITE"


def dies_at(write: int) -> dict[str, str]:
    """The environment in which a command is killed at that write, counted from 1, of a file or folder below its own.

    With 0 it is not, and says at its end how many there were. To open, rename, remove and sync a file counts as one,
    and so does each line of a journal. A file that it opens to write is there, and empty; of a line half is.
    """
    return {DIES_AT: str(write)}


def _count_writes(last: int, where: str) -> None:
    writes = 0

    def count(dying: Callable[[], object] = lambda: None) -> None:
        nonlocal writes
        writes += 1
        if writes == last:
            dying()
            os.kill(os.getpid(), signal.SIGKILL)

    def hear(event: str, given: tuple[Any, ...]) -> None:
        if event not in ("open", "os.rename", "os.mkdir", "os.remove") or not isinstance(given[0], str | os.PathLike):
            return
        path = str(Path(given[0]).absolute())
        if not path.startswith(where) or (event == "open" and not given[2] & (os.O_WRONLY | os.O_RDWR)):
            return
        count(lambda: event == "open" and os.close(os.open(path, given[2] | os.O_CREAT, 0o666)))

    def sync(descriptor: int) -> None:
        count()

    from drretail.files import LineAppender

    whole = LineAppender.append

    def append(self: LineAppender, line: str) -> None:
        file = self._file.fileno()  # pyright: ignore[reportPrivateUsage]
        count(lambda: os.write(file, line.encode()[: len(line) // 2]))
        whole(self, line)

    LineAppender.append, os.fsync = append, sync
    sys.addaudithook(hear)
    atexit.register(lambda: None if last else print(f"{writes}", file=sys.stderr))


class ForkServer:
    """Runs ``drretail …`` in processes forked from one that has loaded it."""

    def __init__(self, root: Path) -> None:
        self._socket, theirs = socket.socketpair()
        command = [sys.executable, "-c", SERVER, str(theirs.fileno())]
        names = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        self._process = subprocess.Popen(
            command,
            cwd=root,
            env=names | {"PYTHONPATH": str(root)},
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            process_group=0,
        )
        theirs.close()

    def run(
        self, args: tuple[str, ...], where: Path, env: dict[str, str], patience: float = 280
    ) -> subprocess.CompletedProcess[str]:
        """What the command printed and its exit code, negative for a signal; TimeoutError when it takes longer."""
        return self.start(args, where, env).wait(patience)

    def start(self, args: tuple[str, ...], where: Path, env: dict[str, str]) -> "ForkedCommand":
        """The command at work, beside which others can be run."""
        stdout, stderr = os.memfd_create("stdout"), os.memfd_create("stderr")
        return ForkedCommand(self, args, self.ask([args, str(where), env], stdout, stderr), stdout, stderr)

    def ask(self, request: Any, *streams: int, patience: float = 280) -> int:
        """The id of the process that runs a command, or the exit code of a process by its id."""
        data = json.dumps(request).encode()
        socket.send_fds(self._socket, [len(data).to_bytes(8)], streams)
        self._socket.sendall(data)
        self._socket.settimeout(patience)
        return int.from_bytes(_whole(self._socket, 8), signed=True)

    def close(self) -> None:
        self._socket.close()
        os.killpg(self._process.pid, signal.SIGKILL)  # with a command that took too long
        self._process.wait()


class ForkedCommand:
    """A command at work in a process of its own."""

    def __init__(self, server: ForkServer, args: tuple[str, ...], pid: int, stdout: int, stderr: int) -> None:
        self._server, self._args, self._pid, self._stdout, self._stderr = server, args, pid, stdout, stderr
        self._process = os.pidfd_open(pid)
        self._ended: subprocess.CompletedProcess[str] | None = None

    @property
    def stdout(self) -> str:
        """What it printed so far."""
        return self._ended.stdout if self._ended else written(self._stdout)

    @property
    def stderr(self) -> str:
        return self._ended.stderr if self._ended else written(self._stderr)

    @property
    def has_ended(self) -> bool:
        return self._ended is not None or bool(select.select([self._process], [], [], 0)[0])

    def send_signal(self, number: signal.Signals) -> None:
        if not self.has_ended:
            signal.pidfd_send_signal(self._process, number)

    def wait(self, patience: float = 280) -> subprocess.CompletedProcess[str]:
        """What it printed and its exit code, negative for a signal; TimeoutError when it takes longer."""
        if self._ended is None:
            code = self._server.ask(self._pid, patience=patience)
            self._ended = subprocess.CompletedProcess(self._args, code, self.stdout, self.stderr)
            for descriptor in (self._process, self._stdout, self._stderr):
                os.close(descriptor)
        return self._ended


def written(file: int) -> str:
    """What was written into a file in memory, with any end of line as a newline."""
    # Not by read: the place in the file is the process's as well.
    return StringIO(os.pread(file, os.fstat(file).st_size, 0).decode(), newline=None).getvalue()


def serve(number: int) -> None:
    """Forks a process for each command that is asked for over the socket ``number``; returns in each of them."""
    _load_all()
    asking = socket.socket(fileno=number)
    while True:
        length, streams, _, _ = socket.recv_fds(asking, 8, 2)
        if not length:
            os.killpg(0, signal.SIGKILL)
        request = json.loads(_whole(asking, int.from_bytes(length)))
        if isinstance(request, int):
            answer = _ended(request, asking)
        else:
            answer = os.fork()
            if not answer:
                asking.close()
                args, where, env = request
                _become(args, where, env, streams)
                return
        for stream in streams:
            os.close(stream)
        asking.sendall(answer.to_bytes(8, signed=True))


def _ended(child: int, asking: socket.socket) -> int:
    """The child's exit code; where the tests end before it, all of this group ends with them."""
    ending = os.pidfd_open(child)
    ready, _, _ = select.select([ending, asking], [], [])
    if ending not in ready:
        os.killpg(0, signal.SIGKILL)
    os.close(ending)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _become(args: list[str], where: str, env: dict[str, str], streams: list[int]) -> None:
    for stream, number in zip(streams, (1, 2), strict=True):
        os.dup2(stream, number)
        os.close(stream)
    # Anew, since a stream remembers whether its file was a terminal.
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    os.chdir(where)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["drretail", *args]
    if DIES_AT in env:
        _count_writes(int(env[DIES_AT]), where)


def _load_all() -> None:
    # As a terminal leaves them, whatever the tests' own process inherited.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the command sets it; and a process with threads forks badly
    import drretail

    os.fsync = os.fstat  # waits for no disk, as in the tests' own process
    every = (package.name for package in pkgutil.walk_packages(drretail.__path__, "drretail."))
    ours = [name for name in every if not name.endswith("__main__") and not name.startswith(OTHERS)]
    for name in [*ours, *LOADED_LATE]:
        import_module(name)
    gc.collect()
    gc.freeze()  # a collection in a forked process would copy all that was loaded


def end_of(main: Callable[[], object]) -> NoReturn:
    """Runs ``main`` and ends with its exit code as Python does, but takes nothing apart that was loaded.

    To free each object of each module writes to all the memory that is shared with the server, and what is written to
    is copied first: ten times the work of most commands.
    """
    code = 0
    try:
        main()
    except SystemExit as ending:
        if isinstance(ending.code, str):
            raise
        code = ending.code or 0
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue]  # waits for threads that are still at work
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _whole(source: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:
        more = source.recv(length - len(found))
        if not more:
            raise ConnectionError("the process that forks commands is gone")
        found += more
    return found
