"""Threads that run tools. A tool that hangs loses its thread to a new one, so it cannot use them up."""

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class Job(Generic[T]):
    """One call under way: ``result`` or ``problem`` once ``ended`` is set."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self.started = threading.Event()
        self.ended = threading.Event()
        self.began = 0.0
        self.abandoned = False
        self.result: T | None = None
        self.problem: Exception | None = None

    def run(self) -> None:
        self.began = time.monotonic()
        self.started.set()
        try:
            self.result = self._function()
        # The boundary of a tool: what it raises belongs to the one who waits, the thread lives on.
        except Exception as problem:  # noqa: BLE001
            self.problem = problem


class Workers:
    """A pool of ``size`` threads. Daemons: a hung tool must not keep the process from ending.

    concurrent.futures would join such a thread at exit and has no way to give it up.
    """

    def __init__(self, size: int) -> None:
        self._queue: SimpleQueue[Job[object] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        for _ in range(size):
            self._start_thread()

    def submit(self, function: Callable[[], T]) -> Job[T]:
        job = Job(function)
        self._queue.put(job)  # pyright: ignore[reportArgumentType]  # a Job of T is a Job of some object
        return job

    def wait(self, job: Job[T], seconds: float) -> T:
        """What the job returns or raises; TimeoutError when it runs longer than that, waiting in line not counted."""
        job.started.wait()
        if not job.ended.wait(max(0.0, job.began + seconds - time.monotonic())):
            self._give_up(job)
        if job.abandoned:
            raise TimeoutError
        if job.problem is not None:
            raise job.problem
        return job.result  # pyright: ignore[reportReturnType]  # set, since there was no problem

    def close(self) -> None:
        """Ends all threads but those that hang."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _start_thread(self) -> None:
        thread = threading.Thread(target=self._work, name="drretail-tool", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            job.run()
            with self._lock:
                job.ended.set()
                if job.abandoned:
                    # A new thread has its place already; what it brings is too late for anyone.
                    return

    def _give_up(self, job: "Job[T]") -> None:
        with self._lock:
            if not job.ended.is_set():
                job.abandoned = True
                self._start_thread()
