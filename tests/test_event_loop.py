"""aside: tests/agents/test_own.py."""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from drretail.event_loop import DaemonThreads, run_loop


@pytest.fixture(autouse=True)
def pythons_own_handler() -> Iterator[None]:
    """Spark, where it ran in this process before, leaves a handler of its own."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


async def answered(value: int) -> int:
    await asyncio.sleep(0)
    return value


def _seven() -> int:
    return run_loop(answered(7))


def test_it_gives_what_the_coroutine_returns_in_another_thread_and_from_within_as_well() -> None:
    async def agent() -> int:
        return _seven()

    assert run_loop(answered(7)) == run_loop(agent()) == 7
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(_seven).result() == 7
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("seed", range(8))
def test_the_first_press_cancels_and_the_second_ends_wherever_the_loop_is(seed: int) -> None:
    """Also between two callbacks: thirty tasks run all the time, while presses come from another thread."""
    events, begun = list[str](), threading.Event()

    async def busy() -> None:
        while True:
            await asyncio.sleep(0)

    async def main() -> None:
        """Goes on after the first press, as a command does that lets its runs end."""
        _ = [asyncio.create_task(busy()) for _ in range(30)]
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            events.append("stopping")
            await asyncio.sleep(60)

    def press_twice() -> None:
        begun.wait(10)  # before it, a press would reach Python's own handler
        time.sleep(0.02 + seed / 5000)
        press()
        while not events:
            time.sleep(0.001)
        time.sleep(seed / 5000)
        press()

    threading.Thread(target=press_twice).start()
    with pytest.raises(KeyboardInterrupt):
        run_loop(main())
    assert events == ["stopping"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("patience", [0.1, 60])
def test_what_never_awaits_is_cut_short_by_presses_or_time(patience: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.event_loop.PATIENCE", patience)

    async def stubborn() -> None:
        try:
            press()
            while True:  # until it is cut short: presses that a busy machine sees in one moment are one
                if patience > 1:
                    press()
                for _ in range(20):
                    time.sleep(0.01)
        finally:
            cut_short.set()

    cut_short = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        run_loop(stubborn())
    assert cut_short.wait(10)
    assert run_loop(answered(7)) == 7  # in another loop


def test_what_is_raised_arrives_beside_a_running_loop_too_and_a_cancellation_of_ones_own_stays_one() -> None:
    async def failing(problem: BaseException) -> None:
        raise problem

    async def cell() -> None:
        run_loop(failing(ValueError("down")))

    with pytest.raises(asyncio.CancelledError):
        run_loop(failing(asyncio.CancelledError()))
    with pytest.raises(ValueError, match="down"):
        asyncio.run(cell())


@pytest.mark.parametrize("problem", [SystemExit(3), KeyboardInterrupt()])
def test_what_ends_a_loop_arrives_and_the_next_command_gets_another(problem: BaseException) -> None:
    async def main() -> None:
        raise problem

    with pytest.raises(type(problem)):
        run_loop(main())
    assert run_loop(answered(7)) == 7


def test_a_forked_child_has_a_loop_of_its_own() -> None:
    run_loop(answered(1))
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, context) as child:
        assert child.submit(_seven).result(30) == 7


def test_an_interrupt_in_a_notebook_cancels_and_waits_for_the_end() -> None:
    ended: list[str] = []

    async def long() -> None:
        try:
            press()
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def cell() -> None:
        run_loop(long())

    loop = asyncio.new_event_loop()  # as a notebook's kernel runs one: Ctrl-C raises KeyboardInterrupt in the cell
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(cell())
    finally:
        loop.close()
    assert ended == ["cancelled"]


def test_every_job_has_a_thread_which_ends_with_it() -> None:
    threads, together, before = DaemonThreads(), threading.Barrier(50), threading.active_count()
    assert {job.result() for job in [threads.submit(together.wait) for _ in range(50)]} == {*range(50)}
    time.sleep(0.3)
    assert (threads.busy, threading.active_count() <= before) == (0, True)
