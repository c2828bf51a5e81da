"""The event loop of a command, and Ctrl-C in it."""

import asyncio
import signal
import threading
from collections.abc import Awaitable, Coroutine, Generator, Iterable
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

T = TypeVar("T")
PRESSES = 2
"""So often Ctrl-C cancels. Whatever does not heed that, such as an agent that never awaits, is cut short after it."""

BETWEEN = 0.05
"""Seconds that the first cancellation has before the second."""


async def all_ended(steps: Iterable[Awaitable[T]]) -> list[T]:
    """What the steps bring, side by side; raises the first error once all have ended, and what they brought is kept."""
    ended = await asyncio.gather(*steps, return_exceptions=True)
    for end in ended:
        if isinstance(end, BaseException):
            raise end
    return [end for end in ended if not isinstance(end, BaseException)]


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """What ``main`` returns, as ``asyncio.run`` does, but that each Ctrl-C cancels it and none raises into the loop.

    ``asyncio.run`` lets the second Ctrl-C raise KeyboardInterrupt wherever the loop happens to be. Between two of its
    callbacks one of these is then lost, and the task that it was to wake never ends, not even when it is cancelled.

    Raises KeyboardInterrupt when ``main`` ended by being cancelled so. In another thread than the main one, which
    signals do not reach, it is ``asyncio.run``. Where a loop runs already, as in a notebook, ``main`` runs in one of
    its own, in a thread that is waited for.
    """
    if _is_in_a_loop():
        return _beside(main)
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(main)
    number = _pressed()
    before = None if number is None else signal.getsignal(number)
    presses = 0
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(main)

        def press(*_: object) -> None:
            nonlocal presses
            presses += 1
            if presses > PRESSES:
                raise KeyboardInterrupt
            # Also wakes a loop that waits. Two cancellations in one turn of the loop would be one.
            loop.call_soon_threadsafe(loop.call_later, BETWEEN * (presses - 1), task.cancel)

        if number is not None:
            signal.signal(number, press)
        try:
            return loop.run_until_complete(task)
        except asyncio.CancelledError:
            if presses:
                raise KeyboardInterrupt from None
            raise
        finally:
            if number is not None:
                signal.signal(number, before)


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


def _pressed() -> signal.Signals | None:
    """The signal that cancels: that of Ctrl-C, in the background of a script, where that is ignored, SIGTERM.

    None where somebody wants it otherwise, or not at all.
    """
    before, ending = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    if before is signal.SIG_IGN and ending not in (signal.SIG_IGN, signal.SIG_DFL, None):
        return signal.SIGTERM
    return signal.SIGINT if before is signal.default_int_handler else None


def _is_in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _beside(main: Coroutine[Any, Any, T]) -> T:
    """What ``main`` returns, run in a loop in another thread; Ctrl-C cancels it and waits for its end."""
    task: asyncio.Task[T] | None = None
    started = threading.Event()

    async def started_main() -> T:
        nonlocal task
        task = asyncio.ensure_future(main)
        started.set()
        return await task

    ending: Future[T] = Future()

    def work() -> None:
        try:
            ending.set_result(asyncio.run(started_main()))
        except BaseException as problem:  # noqa: BLE001 -- it is raised again where the result is waited for
            ending.set_exception(problem)

    try:
        threading.Thread(target=work, name="drretail").start()
        return ending.result()
    except KeyboardInterrupt:
        if started.wait(1) and task is not None:
            task.get_loop().call_soon_threadsafe(task.cancel)
            wait([ending])
        raise
