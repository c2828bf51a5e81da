"""The one event loop of a process, in a thread of its own, and Ctrl-C for whoever waits for it.

Clients of models keep connections open, and one that was opened in another loop is dead: the request goes out, its
answer is lost, and both are paid. So all that a process runs, one command or many cells of a notebook, runs here.
"""

import asyncio
import contextvars
import ctypes
import os
import signal
import threading
from collections.abc import Awaitable, Coroutine, Generator, Iterable
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import Any, Generic, TypeVar
from weakref import WeakSet

T = TypeVar("T")
PRESSES = 2
"""So often Ctrl-C cancels. Whatever does not heed that, such as an agent that never awaits, is cut short after it."""

BETWEEN = 0.05
"""Seconds that the first cancellation has before the second: two in one turn of the loop would be one."""


async def all_ended(steps: Iterable[Awaitable[T]]) -> list[T]:
    """What the steps bring, side by side; raises the first error once all have ended, and what they brought is kept."""
    ended = await asyncio.gather(*steps, return_exceptions=True)
    for end in ended:
        if isinstance(end, BaseException):
            raise end
    return [end for end in ended if not isinstance(end, BaseException)]


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """What ``main`` returns, run in the process's event loop; each Ctrl-C cancels it and none raises into the loop.

    Python's own handler raises KeyboardInterrupt wherever the loop happens to be. Between two of its callbacks one of
    these is then lost, and the task that it was to wake never ends, not even when it is cancelled.

    Raises KeyboardInterrupt when ``main`` ended by being cancelled so. Works in any thread, and where another loop
    runs already, as in a notebook, which then waits.
    """
    loop = _Loop.of_process()
    if threading.current_thread() is loop:  # an agent that calls drretail itself: its own loop can't wait for itself
        return _in_thread_of_its_own(main)
    command = _Command(main)
    number = _signal_that_cancels() if threading.current_thread() is threading.main_thread() else None
    before = None if number is None else signal.getsignal(number)
    presses = 0

    def press(*_: object) -> None:
        nonlocal presses
        presses += 1
        if presses > PRESSES:
            loop.abandon()
            raise KeyboardInterrupt
        loop.cancel(command, BETWEEN * (presses - 1))

    if number is not None:
        signal.signal(number, press)
    try:
        loop.begin(command)
        return command.ended.result()
    except asyncio.CancelledError:
        if presses:
            raise KeyboardInterrupt from None
        raise
    except KeyboardInterrupt:  # raised by a handler of somebody else's, such as that of the loop that waits
        if presses <= PRESSES:
            loop.cancel(command)
            wait([command.ended])
        raise
    finally:
        if number is not None:
            signal.signal(number, before)
        if not command.ended.done():  # a handler of somebody else's raised here, such as a timeout's
            loop.cancel(command)


def current_command() -> object:
    """What tells one call of ``run_loop`` from the next; elsewhere one loop from another."""
    return _CURRENT.get() or asyncio.get_running_loop()


@contextmanager
def meant_to_end() -> Generator[None]:
    """Within it Ctrl-C is how a command is meant to end, and raises nothing out of it."""
    # The command line tells by this pipe that somebody interrupted it, and would call this end no clean one.
    pipe = signal.set_wakeup_fd(-1)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.set_wakeup_fd(pipe, warn_on_full_buffer=False)


class _Command(Generic[T]):
    """One call of ``run_loop``: its coroutine, the tasks that it began, and how it ended."""

    def __init__(self, main: Coroutine[Any, Any, T]) -> None:
        self.main = main
        self.ended: Future[T] = Future()
        self.task: asyncio.Task[T] | None = None
        self.begun: WeakSet[asyncio.Task[Any]] = WeakSet()

    async def perform(self) -> T:
        """What the coroutine returns; tasks that it left behind are cancelled, as ``asyncio.run`` does."""
        _CURRENT.set(self)
        try:
            return await self.main
        finally:
            left = [task for task in self.begun if not task.done()]
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    def end(self, task: "asyncio.Task[T]") -> None:
        """Hands out what the task came to."""
        problem = asyncio.CancelledError() if task.cancelled() else task.exception()
        if problem is None:
            self.ended.set_result(task.result())
        elif not self.ended.done():
            self.ended.set_exception(problem)


_CURRENT: contextvars.ContextVar["_Command[Any] | None"] = contextvars.ContextVar("command", default=None)


class _Loop(threading.Thread):
    """The thread in which the loop runs until the process ends."""

    _one: "_Loop | None" = None
    _lock = threading.Lock()

    def __init__(self) -> None:
        super().__init__(name="drretail", daemon=True)
        self._loop = asyncio.new_event_loop()
        self._loop.set_task_factory(_noted_task)
        self._commands: set[_Command[Any]] = set()

    @classmethod
    def of_process(cls) -> "_Loop":
        with cls._lock:
            if cls._one is None or not cls._one.is_alive():
                cls._one = cls()
                cls._one.start()
            return cls._one

    @classmethod
    def forget(cls) -> None:
        """In the child of a fork no thread goes on, and a lock may be held by one that is gone."""
        cls._one, cls._lock = None, threading.Lock()

    def run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        # SystemExit and KeyboardInterrupt of a task end the loop: whoever waits for a command gets them instead.
        except BaseException as problem:  # noqa: BLE001
            for command in list(self._commands):
                if command.task is not None and command.task.done():
                    command.end(command.task)
                elif not command.ended.done():
                    command.ended.set_exception(problem)

    def begin(self, command: _Command[Any]) -> None:
        def started() -> None:
            command.task = self._loop.create_task(command.perform())
            command.task.add_done_callback(command.end)
            command.task.add_done_callback(lambda _: self._commands.discard(command))

        self._commands.add(command)
        self._loop.call_soon_threadsafe(started)

    def cancel(self, command: _Command[Any], after: float = 0) -> None:
        def cancelled() -> None:
            if command.task is not None:
                command.task.cancel()

        self._loop.call_soon_threadsafe(self._loop.call_later, after, cancelled)

    def abandon(self) -> None:
        """Cuts short what never lets the loop go on; the next command gets another loop."""
        _Loop.forget()
        if self.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), ctypes.py_object(KeyboardInterrupt))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Loop.forget)


def _noted_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **given: Any) -> "asyncio.Task[Any]":
    task = asyncio.Task(coroutine, loop=loop, **given)
    command = _CURRENT.get()
    if command is not None:
        command.begun.add(task)
    return task


def _in_thread_of_its_own(main: Coroutine[Any, Any, T]) -> T:
    ended: Future[T] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            ended.set_result(context.run(asyncio.run, main))
        except BaseException as problem:  # noqa: BLE001 -- it is raised again where the result is waited for
            ended.set_exception(problem)

    threading.Thread(target=work, name="drretail-within").start()
    return ended.result()


def _signal_that_cancels() -> signal.Signals | None:
    """That of Ctrl-C; in the background of a script, where that is ignored, SIGTERM.

    None where somebody wants it otherwise, or not at all.
    """
    before, ending = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    if before is signal.SIG_IGN and ending not in (signal.SIG_IGN, signal.SIG_DFL, None):
        return signal.SIGTERM
    return signal.SIGINT if before is signal.default_int_handler else None
