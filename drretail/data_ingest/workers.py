"""Jobs done by several processes, or in this one: functions of modules with arguments that can be pickled.

A worker is a fresh interpreter (no fork of a process that has threads, no second run of the caller's script). It ends
when the process that started it does, killed or not, because then its end of the pipe closes.
"""

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

from drretail.data_ingest.raw.chunks import Tell
from drretail.errors import UserError

Job = Callable[[Tell], None]
"""Does its work, tells of it, and leaves its result in files."""

_START = "import sys; sys.path[:] = {path!r}; from drretail.data_ingest.workers import work; work({descriptor})"


class WorkerPool:
    """Does jobs with a number of processes, which are started when there is more than one job for them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._workers: list[_Worker] = []

    def do(self, jobs: Sequence[Job], tell: Tell) -> None:
        """Does all jobs, in no particular order; the first error ends it and is raised."""
        if self._size == 1 or len(jobs) <= 1:
            for job in jobs:
                job(tell)
            return
        waiting, messages = queue.SimpleQueue[Job](), queue.SimpleQueue[_Message]()
        for job in jobs:
            waiting.put(job)
        self._hire(min(self._size, len(jobs)))
        threads = [
            threading.Thread(target=worker.take, args=(waiting, messages), daemon=True) for worker in self._workers
        ]
        for thread in threads:
            thread.start()
        try:
            self._listen(messages, len(jobs), tell)
        except BaseException:
            for worker in self._workers:
                worker.kill()
            raise
        finally:
            for thread in threads:
                thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.end()

    def _hire(self, wanted: int) -> None:
        while len(self._workers) < wanted:
            self._workers.append(_Worker())

    def _listen(self, messages: "queue.SimpleQueue[_Message]", jobs: int, tell: Tell) -> None:
        while jobs:
            what, value = messages.get()
            if what == "told":
                tell(*value)
            elif what == "done":
                jobs -= 1
            else:
                raise value


_Message = tuple[str, Any]
""" ("told", (bytes, rows)), ("done", None) or ("failed", the exception)."""


class _Worker:
    """A process, seen from the one that started it."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        text = _START.format(path=sys.path, descriptor=theirs.fileno())
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 -- this interpreter, with a text of ours
                [sys.executable, "-c", text], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )

    def take(self, waiting: "queue.SimpleQueue[Job]", messages: "queue.SimpleQueue[_Message]") -> None:
        """Hands the worker one job after the other, until there is none; a failure is the last thing that is heard."""
        try:
            while True:
                self._pipe.send(waiting.get_nowait())
                while (message := self._pipe.recv())[0] == "told":
                    messages.put(message)
                messages.put(message)
                if message[0] == "failed":
                    return
        except queue.Empty:
            return
        except (EOFError, OSError):
            code = self._process.wait()
            messages.put(
                ("failed", UserError(f"A worker of the ingest ended ({_reason(code)}); run the same command again."))
            )

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        """Closes the pipe, upon which the worker ends."""
        self._pipe.close()
        self._process.wait()


def work(descriptor: int) -> None:
    """The life of a worker: does what comes through the pipe until that closes."""
    import signal

    # Ctrl-C reaches the whole process group; the process that started this one closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe, jobs = Connection(descriptor), queue.SimpleQueue[Job]()
    threading.Thread(target=_receive, args=(pipe, jobs), daemon=True).start()
    tell: Tell = partial(_tell, pipe)
    while True:
        job = jobs.get()
        try:
            job(tell)
        except (UserError, OSError, ValueError) as problem:
            pipe.send(("failed", problem))
        else:
            pipe.send(("done", None))


def _receive(pipe: Connection, jobs: "queue.SimpleQueue[Job]") -> None:
    try:
        while True:
            jobs.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(0)


def _tell(pipe: Connection, read: int, rows: int) -> None:
    pipe.send(("told", (read, rows)))


def _reason(code: int) -> str:
    return f"killed by signal {-code}, perhaps for want of memory" if code < 0 else f"exit code {code}"
