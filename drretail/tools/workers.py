"""Limits for threads that run tools. A call that hangs is abandoned, so that hung tools cannot use up the limit."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import Generic, TypeVar

from drretail.event_loop import THREADS

T = TypeVar("T")


class Job(Generic[T]):
    """One call: ``result`` is there once ``ended`` is done, what the call raised in its place."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._context = copy_context()  # whose open span and prompts are those of the caller
        self.ended: Future[None] = Future()
        self.ended.set_running_or_notify_cancel()  # a waiter that is cancelled does not cancel the call
        self._began: float | None = None
        self.abandoned = False
        self.result: T | Exception = TimeoutError()

    def run(self) -> None:
        self._began = time.monotonic()
        try:
            self.result = self._context.run(self._function)
        # The boundary of a tool: what it raises, even sys.exit(), is handed to the waiter, and the thread lives on.
        except BaseException as problem:  # noqa: BLE001
            self.result = problem if isinstance(problem, Exception) else RuntimeError(repr(problem))

    def left(self, seconds: float) -> float:
        """How many of the ``seconds`` it may still run; all of them if it has not begun."""
        return seconds if self._began is None else max(0.0, self._began + seconds - time.monotonic())


class Workers:
    """Runs at most ``size`` jobs at once, each in one of the process's threads.

    Those that share ``places`` run as many jobs at once, all together, as it has places. A job waits for its place
    before it begins, and gives it up if it is abandoned.
    """

    def __init__(self, size: int, places: threading.Semaphore | None = None) -> None:
        own = threading.Semaphore(size)
        self._limits = (own,) if places is None else (own, places)
        self._lock = threading.Lock()

    def submit(self, function: Callable[[], T]) -> Job[T]:
        """Starts the function and returns its job."""
        job = Job(function)
        THREADS.submit(self._work, job)
        return job

    def wait(self, job: Job[T], seconds: float) -> T | Exception:
        """The job's result or exception; a TimeoutError if it runs, not waits, longer than ``seconds``."""
        while not wait([job.ended], job.left(seconds)).done:
            if job.left(seconds) == 0:
                self._give_up(job)
                break
        return TimeoutError() if job.abandoned else job.result

    async def await_(self, job: Job[T], seconds: float) -> T | Exception:
        """``wait`` for a task."""
        ended = asyncio.wrap_future(job.ended)
        try:
            while not (await asyncio.wait([ended], timeout=job.left(seconds)))[0]:
                if job.left(seconds) == 0:
                    self._give_up(job)
                    break
        finally:
            ended.cancel()  # its loop may have ended before the call
        return TimeoutError() if job.abandoned else job.result

    def _work(self, job: Job[T]) -> None:
        for limit in self._limits:
            limit.acquire()
        job.run()
        with self._lock:
            job.ended.set_result(None)
            if not job.abandoned:
                self._release()

    def _give_up(self, job: Job[T]) -> None:
        with self._lock:
            if not job.ended.done():
                job.abandoned = True
                self._release()

    def _release(self) -> None:
        for limit in self._limits:
            limit.release()
