"""Jobs in several processes, or in this one. A job is a module's function with arguments that can be pickled.

A worker is a new interpreter: it neither forks a process with threads nor runs the caller's script again. It ends when
the process that started it ends, even killed, because its pipe then closes.
"""

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from drretail.errors import UserError

Tell = Callable[[int, int], None]
"""Called with the bytes of a file (as on disk) and the rows that were read since the last call."""
Job = Callable[[Tell], None]
"""Works, reports progress, and leaves its result in files."""

_START = "import sys; sys.path[:] = {path!r}; from drretail.env.processes import work; work({descriptor})"


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ignore(read: int, rows: int) -> None:
    """A Tell that does nothing."""
    del read, rows


class WorkerPool:
    """Does jobs in up to ``size`` processes; they are started once there is more than one job."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._workers: list[Worker] = []

    def do(self, jobs: Sequence[Job], tell: Tell) -> None:
        """Does all jobs, in any order. Raises the first error, and kills the workers.

        For a job that cannot be pickled, raises pickle's error before any process starts.
        """
        if self._size == 1 or len(jobs) <= 1:
            for job in jobs:
                job(tell)
            return
        pickled = list(map(pickle.dumps, jobs))
        while len(self._workers) < min(self._size, len(jobs)):
            self._workers.append(Worker())
        idle, telling = queue.SimpleQueue[Worker](), threading.Lock()
        for worker in self._workers:
            idle.put(worker)

        def tell_alone(read: int, rows: int) -> None:
            with telling:
                tell(read, rows)

        def done(job: bytes) -> None:
            worker = idle.get()
            try:
                worker.start(job)
                worker.wait(tell_alone)
            finally:
                idle.put(worker)

        with ThreadPoolExecutor(len(self._workers)) as threads:
            ends = [threads.submit(done, job) for job in pickled]
            try:
                for end in as_completed(ends):
                    end.result()
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                for worker in self._workers:
                    worker.kill()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.end()


class Worker:
    """A worker process, as the process that started it sees it."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        text = _START.format(path=sys.path, descriptor=theirs.fileno())
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 -- this interpreter, with a text of ours
                [sys.executable, "-c", text], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )

    def start(self, job: bytes) -> None:
        """Sends a pickled job to the worker."""
        try:
            self._pipe.send_bytes(job)
        except OSError as problem:
            raise self._ended() from problem

    def wait(self, tell: Tell = ignore) -> None:
        """Waits until the job has ended. Raises the job's error, or UserError if the process itself ended."""
        while True:
            try:
                kind, value = self._pipe.recv()
            except (EOFError, OSError) as problem:
                raise self._ended() from problem
            if kind == "failed":
                raise value
            if kind == "done":
                return
            tell(*value)

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        """Closes the pipe, which ends the worker."""
        self._pipe.close()
        self._process.wait()

    def _ended(self) -> UserError:
        code = self._process.wait()
        reason = f"killed by signal {-code}, perhaps for want of memory" if code < 0 else f"exit code {code}"
        return UserError(f"A worker of the ingest ended ({reason}); run the same command again.")


def work(descriptor: int) -> None:
    """A worker's main function: does the jobs that come through the pipe, until it closes."""
    import signal

    # Ctrl-C reaches the whole process group; the process that started this one closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe, jobs = Connection(descriptor), queue.SimpleQueue[bytes]()

    def receive() -> None:
        try:
            while True:
                jobs.put(pipe.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)

    def tell(read: int, rows: int) -> None:
        pipe.send(("told", (read, rows)))

    threading.Thread(target=receive, daemon=True).start()
    while True:
        job = jobs.get()
        try:
            pickle.loads(job)(tell)  # noqa: S301 -- by the process that started this one
        except (UserError, OSError, ValueError) as problem:
            pipe.send(("failed", problem))
        else:
            pipe.send(("done", None))
