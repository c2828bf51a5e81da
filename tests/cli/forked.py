"""The command in processes that have drretail loaded already: each is forked from one that never runs a command.

A process of its own spends more time on imports than on most commands. What is forked has its own folder,
environment, streams and signal handlers, and ends as any other process does; only its modules were loaded before.
"""

import atexit
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from multiprocessing import forkserver
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(["tests.cli.loaded"])


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
        with patch.dict(os.environ, PYTHONPATH=str(root)):
            forkserver.ensure_running()

    def run(
        self, args: tuple[str, ...], where: Path, env: dict[str, str], patience: float = 280
    ) -> subprocess.CompletedProcess[str]:
        """What the command printed and its exit code, negative for a signal; TimeoutError when it takes longer."""
        return self.start(args, where, env).wait(patience)

    def start(self, args: tuple[str, ...], where: Path, env: dict[str, str]) -> "ForkedCommand":
        """The command at work, beside which others can be run."""
        return ForkedCommand(args, where, env)

    def close(self) -> None:
        for process in multiprocessing.active_children():  # commands that took too long
            process.kill()


class ForkedCommand:
    """A command at work in a process of its own."""

    def __init__(self, args: tuple[str, ...], where: Path, env: Mapping[str, str]) -> None:
        self._args, self._ended = args, None
        self._stdout, self._stderr = os.memfd_create("stdout"), os.memfd_create("stderr")
        streams = [f"/proc/{os.getpid()}/fd/{number}" for number in (self._stdout, self._stderr)]
        self._process = FORKING.Process(target=_run, args=(args, str(where), dict(env), streams))
        self._process.start()

    @property
    def stdout(self) -> str:
        """What it printed so far."""
        return self._ended.stdout if self._ended else written(self._stdout)

    @property
    def stderr(self) -> str:
        return self._ended.stderr if self._ended else written(self._stderr)

    @property
    def has_ended(self) -> bool:
        return not self._process.is_alive()

    def send_signal(self, number: signal.Signals) -> None:
        if not self.has_ended and self._process.pid is not None:
            os.kill(self._process.pid, number)

    def wait(self, patience: float = 280) -> subprocess.CompletedProcess[str]:
        """What it printed and its exit code, negative for a signal; TimeoutError when it takes longer."""
        if self._ended is None:
            self._process.join(patience)
            if self._process.exitcode is None:
                raise TimeoutError(f"{self._args} takes longer than {patience:g} seconds")
            self._ended = subprocess.CompletedProcess(self._args, self._process.exitcode, self.stdout, self.stderr)
            os.close(self._stdout)
            os.close(self._stderr)
        return self._ended


def written(file: int) -> str:
    """What was written into a file in memory, with any end of line as a newline."""
    # Not by read: the place in the file is the process's as well.
    return StringIO(os.pread(file, os.fstat(file).st_size, 0).decode(), newline=None).getvalue()


def _run(args: Sequence[str], where: str, env: dict[str, str], streams: Sequence[str]) -> None:
    """The command, in the forked process."""
    # As a terminal leaves it, whatever the tests' own process inherited.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, path in enumerate((os.devnull, *streams)):
        stream = os.open(path, os.O_RDWR | os.O_APPEND)
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
    from drretail.cli.entry import main

    end_of(main)


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
