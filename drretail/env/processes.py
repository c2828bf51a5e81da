"""Jobs in several processes, or in this one. A job is a module's function with arguments that can be pickled.

A worker does one job in a new interpreter: unlike multiprocessing's, it neither forks a process with threads nor runs
the caller's script again. It ends when the process that started it ends, even killed, because its pipe then closes.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection

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


def do_jobs(jobs: Sequence[Job], size: int, tell: Tell) -> None:
    """Does all jobs, in any order, in up to ``size`` processes if there is more than one. Raises the first error, and
    kills the workers.

    For a job that cannot be pickled, raises pickle's error before any process starts.
    """
    if size == 1 or len(jobs) <= 1:
        for job in jobs:
            job(tell)
        return
    pickled = list(map(pickle.dumps, jobs))
    workers, telling = list[Worker](), threading.Lock()

    def tell_alone(read: int, rows: int) -> None:
        with telling:
            tell(read, rows)

    def done(job: bytes) -> None:
        worker = Worker(job)
        workers.append(worker)
        worker.wait(tell_alone)

    with ThreadPoolExecutor(size) as threads:
        ends = [threads.submit(done, job) for job in pickled]
        try:
            for end in as_completed(ends):
                end.result()
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.kill()
            raise


class Worker:
    """A process that does a pickled job, as the process that started it sees it."""

    def __init__(self, job: bytes) -> None:
        self._pipe, theirs = Pipe()
        text = _START.format(path=sys.path, descriptor=theirs.fileno())
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 -- this interpreter, with a text of ours
                [sys.executable, "-c", text], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )
        with suppress(OSError):  # that it has ended already, ``wait`` says
            self._pipe.send_bytes(job)

    def wait(self, tell: Tell = ignore) -> None:
        """Waits until the job has ended. Raises the job's error, or UserError if the process itself ended."""
        with self._pipe:
            try:
                while (message := self._pipe.recv())[0] == "told":
                    tell(*message[1])
            except (EOFError, OSError) as problem:
                code = self._process.wait()
                reason = f"killed by signal {-code}, perhaps for want of memory" if code < 0 else f"exit code {code}"
                raise UserError(f"A worker of the ingest ended ({reason}); run the same command again.") from problem
        self._process.wait()
        if message[0] == "failed":
            raise message[1]

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def work(descriptor: int) -> None:
    """A worker's main function: does the job that comes through the pipe, and ends when the pipe closes."""
    import signal

    # Ctrl-C reaches the whole process group; the process that started this one closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe = Connection(descriptor)
    job = pipe.recv_bytes()

    def watch() -> None:
        with suppress(EOFError, OSError):
            pipe.recv_bytes()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
    try:
        pickle.loads(job)(lambda read, rows: pipe.send(("told", (read, rows))))  # noqa: S301 -- by who started this one
    except (UserError, OSError, ValueError) as problem:
        pipe.send(("failed", problem))
    else:
        pipe.send(("done", None))
