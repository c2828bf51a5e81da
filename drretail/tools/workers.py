"""Threads that run tools. A tool that hangs loses its thread to a new one, so it cannot use them up."""

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


BUSY = 0.01
"""Seconds after which a task's job that no thread has taken gets one. Tools of a shop in a folder take a millisecond or
two, and threads that wait for each other's turn in the interpreter a third longer than one thread alone."""


class End:
    """Set once, by a worker; waited for by a thread, or by a task of the event loop for which it was made."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self._loop = loop
        self._thread_event = None if loop is not None else threading.Event()
        self._task_event = None if loop is None else asyncio.Event()
        self.is_set = False

    def set(self) -> None:
        self.is_set = True
        if self._thread_event is not None:
            self._thread_event.set()
        if self._loop is not None and self._task_event is not None:
            with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
                self._loop.call_soon_threadsafe(self._task_event.set)

    def wait(self, seconds: float) -> bool:
        if self._thread_event is None:
            raise RuntimeError("a job of an event loop is awaited")
        return self._thread_event.wait(seconds)

    async def await_(self, seconds: float) -> bool:
        if self._task_event is None:
            raise RuntimeError("a job without an event loop cannot be awaited")
        if not self.is_set:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._task_event.wait()
        return self.is_set


class Job(Generic[T]):
    """One call under way: ``result`` or ``problem`` once ``ended`` is set."""

    def __init__(self, function: Callable[[], T], loop: asyncio.AbstractEventLoop | None) -> None:
        self._function = function
        self.ended = End(loop)
        self._began: float | None = None
        self.abandoned = False
        self.result: T | None = None
        self.problem: Exception | None = None

    def run(self) -> None:
        self._began = time.monotonic()
        try:
            self.result = self._function()
        # The boundary of a tool: what it raises, sys.exit() too, belongs to the one who waits, and the thread lives on.
        except BaseException as problem:  # noqa: BLE001
            self.problem = problem if isinstance(problem, Exception) else RuntimeError(repr(problem))

    @property
    def has_begun(self) -> bool:
        return self._began is not None

    def left(self, seconds: float) -> float:
        """How many of the ``seconds`` it may still run; all of them before it has begun."""
        return seconds if self._began is None else max(0.0, self._began + seconds - time.monotonic())


class Workers:
    """A pool of at most ``size`` threads, each started when no other is free, or for a task not soon: most need one.

    Daemons: a hung tool must not keep the process from ending. concurrent.futures would join such a thread at exit
    and has no way to give it up.

    Pools that share ``places`` run as many jobs at once as it has, all together; a job waits for its place before it
    begins, and one that is given up leaves it.
    """

    def __init__(self, size: int, places: threading.Semaphore | None = None) -> None:
        self._size = size
        self._places = places or threading.Semaphore(size)
        self._queue: SimpleQueue[Job[object] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._free: set[threading.Thread] = set()
        self._alive = 0
        """Threads that serve the queue, those with an abandoned job not among them."""
        self._waiting = 0
        """Jobs that no thread has taken."""

    def submit(self, function: Callable[[], T], loop: asyncio.AbstractEventLoop | None = None) -> Job[T]:
        """The job, which only a task of ``loop`` may await."""
        job = Job(function, loop)
        with self._lock:
            self._waiting += 1
            if loop is None or self._alive == 0:
                self._start_thread_if_needed()
            else:
                loop.call_later(BUSY, self._grow)
        self._queue.put(job)  # pyright: ignore[reportArgumentType]  # a Job of T is a Job of some object
        return job

    def wait(self, job: Job[T], seconds: float) -> T:
        """What the job returns or raises; TimeoutError when it runs longer than that, waiting in line not counted."""
        while not job.ended.wait(job.left(seconds)):
            if job.left(seconds) == 0:
                self._give_up(job)
                break
        return _outcome(job)

    async def await_(self, job: Job[T], seconds: float) -> T:
        """``wait`` for a task."""
        while not await job.ended.await_(job.left(seconds)):
            if job.left(seconds) == 0:
                self._give_up(job)
                break
        return _outcome(job)

    def close(self) -> None:
        """Ends all threads; those that still run a tool end after it, and are not waited for."""
        with self._lock:
            free = list(self._free)
            for _ in range(self._alive):
                self._queue.put(None)
        for thread in free:
            thread.join()

    def _grow(self) -> None:
        with self._lock:
            self._start_thread_if_needed()

    def _start_thread_if_needed(self) -> None:
        if self._waiting > len(self._free) and self._alive < self._size:
            thread = threading.Thread(target=self._work, name="drretail-tool", daemon=True)
            self._alive += 1
            self._free.add(thread)
            thread.start()

    def _work(self) -> None:
        me = threading.current_thread()
        while (job := self._queue.get()) is not None:
            with self._lock:
                self._free.discard(me)
                self._waiting -= 1
            self._places.acquire()
            job.run()
            with self._lock:
                self._free.add(me)
                job.ended.set()
                if not job.abandoned:
                    self._places.release()
                else:
                    # Its place went to another thread; what it brings is too late for anyone.
                    self._free.discard(me)
                    return

    def _give_up(self, job: "Job[T]") -> None:
        with self._lock:
            if not job.ended.is_set:
                job.abandoned = True
                self._places.release()
                self._alive -= 1
                self._start_thread_if_needed()


def _outcome(job: Job[T]) -> T:
    if job.abandoned:
        raise TimeoutError
    if job.problem is not None:
        raise job.problem
    return job.result  # pyright: ignore[reportReturnType]  # set, since there was no problem
