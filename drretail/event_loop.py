"""The process's one event loop, in a thread of its own, and how Ctrl-C cancels what runs in it.

Model clients keep connections open. A connection opened in another loop is dead: the request goes out, the answer is
lost, and both are paid. So everything that a process runs, one command or many notebook cells, runs in this loop.
"""

import asyncio
import contextvars
import ctypes
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from math import inf
from typing import Any, Generic, TypeVar
from weakref import WeakSet

T = TypeVar("T")


class DaemonThreads(ThreadPoolExecutor):
    """Gives each job a thread of its own, so that a job that hangs holds up no other.

    The threads are daemons: the process ends without waiting for a tool, or a node of a graph, that hangs.
    concurrent.futures would join them at exit.
    """

    def __init__(self) -> None:
        self._jobs = set[Future[Any]]()

    @property
    def busy(self) -> int:
        """How many threads are at work."""
        return len(self._jobs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Nothing: a loop that is closed leaves the process's threads to the process."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        ended: Future[T] = Future()

        def work() -> None:
            try:
                if ended.set_running_or_notify_cancel():
                    ended.set_result(fn(*args, **kwargs))
            except BaseException as problem:  # noqa: BLE001 — it is raised again where the result is waited for
                ended.set_exception(problem)
            finally:
                self._jobs.discard(ended)

        self._jobs.add(ended)
        threading.Thread(target=work, name="drretail-thread", daemon=True).start()
        return ended


THREADS = DaemonThreads()
"""The process's own."""


PRESSES = 2
"""How often Ctrl-C cancels. The next one kills the loop, for agents that ignore cancellation or never await."""

PATIENCE = 5
"""Seconds until a first press kills a loop that has not taken note of it: ``kill`` presses once."""

BETWEEN = 0.05
"""Seconds between the first cancellation and the second: within one turn of the loop, two would count as one."""

HEARS_SIGNALS = 0.2
"""The most seconds until the main thread handles a signal that the system gave to another thread."""


async def all_ended(steps: Iterable[Awaitable[T]]) -> list[T]:
    """The results of steps that run concurrently. Raises the first error, but only once all have ended."""
    ended = await asyncio.gather(*steps, return_exceptions=True)
    for end in ended:
        if isinstance(end, BaseException):
            raise end
    return [end for end in ended if not isinstance(end, BaseException)]


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """Runs ``main`` in the process's event loop and returns its result; Ctrl-C cancels it.

    Python's own handler raises KeyboardInterrupt wherever the loop happens to be. If that is between two callbacks, a
    callback is lost, and the task that it should wake never ends, not even when it is cancelled.

    Raises KeyboardInterrupt if Ctrl-C cancelled ``main``. Works in any thread, also where another loop is running, as
    in a notebook; that loop is blocked meanwhile.
    """
    loop = _Loop.of_process()
    if threading.current_thread() is loop:  # an agent that calls drretail: the loop can't wait for itself
        return THREADS.submit(contextvars.copy_context().run, asyncio.run, main).result()
    command = _Command(main)
    number = _signal_that_cancels() if threading.current_thread() is threading.main_thread() else None
    before = None if number is None else signal.getsignal(number)
    presses = 0

    def press(*_: object) -> None:
        nonlocal presses
        presses += 1
        command.deadline = time.monotonic() + PATIENCE
        if presses > PRESSES:
            loop.abandon()
            raise KeyboardInterrupt
        loop.cancel(command, BETWEEN * (presses - 1))

    if number is not None:
        signal.signal(number, press)
    try:
        loop.begin(command)
        while not command.ended.done():  # a signal that another thread receives does not end the waiting
            wait([command.ended], timeout=HEARS_SIGNALS)
            if time.monotonic() > command.deadline:
                presses = PRESSES
                press()
        return command.ended.result()
    except asyncio.CancelledError:
        if presses:
            raise KeyboardInterrupt from None
        raise
    except KeyboardInterrupt:  # raised by another handler, such as the waiting loop's
        if presses <= PRESSES:
            loop.cancel(command)
            wait([command.ended])
        raise
    finally:
        if number is not None:
            signal.signal(number, before)
        if not command.ended.done():  # another handler raised here, such as a timeout's
            loop.cancel(command)


def current_command() -> object:
    """An identity of the current ``run_loop`` call; outside of any, the running loop."""
    return _CURRENT.get() or asyncio.get_running_loop()


def is_abandoned() -> bool:
    """True in a loop that Ctrl-C ends, so that a KeyboardInterrupt is a person's and no agent's."""
    return getattr(threading.current_thread(), "is_abandoned", False)


@contextmanager
def meant_to_end() -> Generator[None]:
    """Within it, Ctrl-C is the normal way to end a command, and does not raise out of the block."""
    # The command line reads from this pipe that it was interrupted, and would exit with an error code.
    pipe = signal.set_wakeup_fd(-1)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.set_wakeup_fd(pipe, warn_on_full_buffer=False)


class _Command(Generic[T]):
    """One call of ``run_loop``: its coroutine, the tasks that it started, and its result."""

    def __init__(self, main: Coroutine[Any, Any, T]) -> None:
        self.main = main
        self.ended: Future[T] = Future()
        self.task: asyncio.Task[T] | None = None
        self.begun: WeakSet[asyncio.Task[Any]] = WeakSet()
        self.deadline = inf
        """When its loop, if it has not cancelled it by then, is blocked."""

    async def perform(self) -> T:
        """The coroutine's result. Tasks that it left behind are cancelled, as by ``asyncio.run``."""
        _CURRENT.set(self)
        _BEGUN.set(self.begun)
        try:
            return await self.main
        finally:
            left = [task for task in self.begun if not task.done()]
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    def end(self, task: "asyncio.Task[T]") -> None:
        """Passes the task's result or error on to the caller that waits."""
        problem = asyncio.CancelledError() if task.cancelled() else task.exception()
        if problem is None:
            self.ended.set_result(task.result())
        elif not self.ended.done():
            self.ended.set_exception(problem)


_CURRENT: contextvars.ContextVar["_Command[Any] | None"] = contextvars.ContextVar("command", default=None)
_BEGUN: contextvars.ContextVar[WeakSet[asyncio.Task[Any]] | None] = contextvars.ContextVar("begun", default=None)
"""The tasks of a command, or of an agent's action, with those that they start."""


class _Loop(threading.Thread):
    """A thread in which a loop runs until the process ends: one for commands, one for the user's own agents.

    These share one as well, since their clients keep connections, too.
    """

    _running: "dict[str, _Loop]" = {}  # noqa: RUF012 -- shared by all
    _lock = threading.Lock()

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.loop = asyncio.new_event_loop()
        self.loop.set_task_factory(_noted_task)
        self.loop.set_default_executor(THREADS)
        self._commands: set[_Command[Any]] = set()
        self.is_abandoned = False

    @classmethod
    def of_process(cls, name: str = "drretail") -> "_Loop":
        with cls._lock:
            running = cls._running.get(name)
            if running is None or not running.is_alive():
                running = cls._running[name] = cls(name)
                running.start()
            return running

    @classmethod
    def forget(cls) -> None:
        """For the child of a fork: its loop threads do not exist, and a thread that is gone may hold the lock."""
        cls._running, cls._lock = {}, threading.Lock()

    def leave(self) -> None:
        """Lets the next command, or agent, get a new loop: this one is blocked."""
        with self._lock:
            if self._running.get(self.name) is self:
                del self._running[self.name]

    def run(self) -> None:
        asyncio.set_event_loop(self.loop)
        while not self.is_abandoned:
            try:
                self.loop.run_forever()
            # SystemExit and KeyboardInterrupt of a task leave the loop too: they are raised where it is awaited.
            except BaseException as problem:  # noqa: BLE001
                for command in list(self._commands) if self.is_abandoned else ():
                    if not command.ended.done():
                        command.ended.set_exception(problem)

    def begin(self, command: _Command[Any]) -> None:
        def started() -> None:
            command.task = self.loop.create_task(command.perform())
            command.task.add_done_callback(command.end)
            command.task.add_done_callback(lambda _: self._commands.discard(command))

        self._commands.add(command)
        self.loop.call_soon_threadsafe(started)

    def cancel(self, command: _Command[Any], after: float = 0) -> None:
        def cancelled() -> None:
            command.deadline = inf
            if command.task is not None:
                command.task.cancel()

        self.loop.call_soon_threadsafe(self.loop.call_later, after, cancelled)

    def abandon(self) -> None:
        """Interrupts code that blocks the loop; the next command gets a new loop."""
        self.leave()
        self.is_abandoned = True
        if self.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), ctypes.py_object(KeyboardInterrupt))


async def _outcome(action: Callable[[], Awaitable[T]]) -> tuple[Any, BaseException | None]:
    """What an action returns or raises: a loop ends in which a task raises SystemExit, and a task that cancels itself
    takes the place with it where it did.
    """
    try:
        return await action(), None
    # All are raised again where the result is waited for.
    except (Exception, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as problem:  # noqa: BLE001
        return None, problem


async def in_own_task(action: Callable[[], Awaitable[T]]) -> T:
    """The result of an agent's own action. A cancel scope that it leaves open cancels no other task."""
    result, problem = await asyncio.create_task(_outcome(action))
    if problem is not None:
        raise problem
    return result


BLOCKED = 0.5
"""Seconds within which a loop that nothing blocks begins a callback."""


async def aside(action: Callable[[], Awaitable[T]]) -> T:
    """The result of an agent's own action, in a loop of its own: one that blocks its loop stops no other run.

    If it is cancelled while it blocks, a note on the exception says so. Once one blocks, later agents get a new loop.
    """
    agents, tasks = _Loop.of_process("drretail-agents"), WeakSet[asyncio.Task[Any]]()
    before = _BEGUN.set(tasks)
    ended = asyncio.run_coroutine_threadsafe(_outcome(action), agents.loop)
    _BEGUN.reset(before)
    try:
        result, problem = await asyncio.wrap_future(ended)
    except asyncio.CancelledError as cancelled:
        answered = asyncio.run_coroutine_threadsafe(asyncio.sleep(0), agents.loop)
        await asyncio.wait([asyncio.wrap_future(answered)], timeout=BLOCKED)
        if not answered.done():
            agents.leave()
            if asyncio.current_task(agents.loop) in tasks:  # else another agent blocks the loop that they share
                cancelled.add_note("it blocks its event loop: make it a plain function (def), which gets a thread")
        raise
    if problem is not None:
        raise problem
    return result


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Loop.forget)


def _noted_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> "asyncio.Task[Any]":
    task = asyncio.Task(coroutine, loop=loop, **options)
    begun = _BEGUN.get()
    if begun is not None:
        begun.add(task)
    return task


def _signal_that_cancels() -> signal.Signals | None:
    """SIGINT, or SIGTERM if SIGINT is ignored, as in a background job of a script.

    None if the program has another handler for SIGINT, or ignores both.
    """
    before, ending = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    if before is signal.SIG_IGN and ending not in (signal.SIG_IGN, signal.SIG_DFL, None):
        return signal.SIGTERM
    return signal.SIGINT if before is signal.default_int_handler else None
