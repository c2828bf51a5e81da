"""Threads that run tools. A thread that a tool hangs is replaced, so that hung tools cannot use up the pool."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from queue import SimpleQueue
from typing import Generic, TypeVar

from drretail.threads import THREADS

T = TypeVar("T")


BUSY = 0.01
"""Seconds after which a job of a task gets a new thread, if no thread has taken it. Tools of a shop in a folder take a
millisecond or two, and threads that wait for the interpreter's lock take a third longer than one thread alone.
"""


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
    """A pool of at most ``size`` of the process's threads. It takes one if none of its own is free; a task's job waits
    ``BUSY`` seconds for a free one first, which most find.

    Pools that share ``places`` run as many jobs at once, all together, as it has places. A job waits for its place
    before it begins, and gives it up if it is abandoned.
    """

    def __init__(self, size: int, places: threading.Semaphore | None = None) -> None:
        self._size = size
        self._places = places or threading.Semaphore(size)
        self._queue: SimpleQueue[Job[object] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._free = 0
        self._alive = 0
        """The threads that serve the queue, without those whose job was abandoned."""
        self._waiting = 0
        """The jobs that no thread has taken yet."""

    def submit(self, function: Callable[[], T], loop: asyncio.AbstractEventLoop | None = None) -> Job[T]:
        """Starts the function and returns its job, for which a task of ``loop``, if given, will wait."""
        job = Job(function)
        with self._lock:
            self._waiting += 1
            if loop is None or self._alive == 0:
                self._start_thread_if_needed()
            else:
                loop.call_later(BUSY, self._grow)
        self._queue.put(job)  # pyright: ignore[reportArgumentType]  # a Job of T is a Job of some object
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

    def close(self) -> None:
        """Gives all threads back; one that still runs a tool after it, which is not waited for."""
        with self._lock:
            for _ in range(self._alive):
                self._queue.put(None)

    def _grow(self) -> None:
        with self._lock:
            self._start_thread_if_needed()

    def _start_thread_if_needed(self) -> None:
        if self._waiting > self._free and self._alive < self._size:
            self._alive += 1
            self._free += 1
            THREADS.submit(self._work)

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            with self._lock:
                self._free -= 1
                self._waiting -= 1
            self._places.acquire()
            job.run()
            with self._lock:
                job.ended.set_result(None)
                if job.abandoned:  # another thread has its place, and nobody waits for its result
                    return
                self._free += 1
                self._places.release()

    def _give_up(self, job: "Job[T]") -> None:
        with self._lock:
            if not job.ended.done():
                job.abandoned = True
                self._places.release()
                self._alive -= 1
                self._start_thread_if_needed()
