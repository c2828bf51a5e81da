"""Threads that are reused, and that no process waits for when it ends."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class DaemonThreads(ThreadPoolExecutor):
    """A pool that grows whenever no thread is free, so that a job that hangs holds up no other.

    Its threads are daemons: the process ends without waiting for a tool, or a node of a graph, that hangs.
    concurrent.futures would join the thread at exit.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = threading.Lock()
        self._made = self._free = 0

    @property
    def busy(self) -> int:
        """How many threads are at work."""
        with self._lock:
            return self._made - self._free

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Nothing: a loop that is closed leaves the process's threads to the process."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        ended: Future[T] = Future()

        def work() -> None:
            if not ended.set_running_or_notify_cancel():
                return
            try:
                ended.set_result(fn(*args, **kwargs))
            except BaseException as problem:  # noqa: BLE001 — it is raised again where the result is waited for
                ended.set_exception(problem)

        self._jobs.put(work)
        with self._lock:
            if self._free:
                self._free -= 1
            else:
                self._made += 1
                threading.Thread(target=self._serve, name="drretail-thread", daemon=True).start()
        return ended

    def _serve(self) -> None:
        while True:
            self._jobs.get()()
            with self._lock:
                self._free += 1


THREADS = DaemonThreads()
"""The process's own."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=THREADS.__init__)  # the child has none of its threads
