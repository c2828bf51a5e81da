"""Over the wire, with connections that are kept: a second command in one process costs nothing twice."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from drretail.errors import CommandStopped
from drretail.event_loop import run_loop
from drretail.llm.calling import Attempts, answer_of
from drretail.llm.registry import Model, open_model
from drretail.llm.retries_and_rates import ONCE

from .provider import Provider, Step, answers, fails
from .test_second_chances import WHOLE, model_at

MESSAGES = [HumanMessage("Which dog bed?")]


def in_a_notebook(main: Coroutine[Any, Any, Any]) -> Any:
    async def cell() -> Any:
        return run_loop(main)

    return asyncio.run(cell())


def in_a_thread(main: Coroutine[Any, Any, Any]) -> Any:
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run_loop, main).result()


@pytest.mark.parametrize("second", [run_loop, in_a_notebook, in_a_thread])
@pytest.mark.parametrize("name", WHOLE)
def test_a_second_command_keeps_the_connection(name: str, second: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
    attempts = Attempts()
    with Provider(*[WHOLE[name]] * 4) as provider:
        model = model_at(provider, name)
        run_loop(answer_of(model, MESSAGES, attempts=attempts))
        second(answer_of(model, MESSAGES, attempts=attempts))
        run_loop(answer_of(model_at(provider, name), MESSAGES, attempts=attempts))  # opened anew, as by each run()
        assert len(provider.seen) == 3
        if name not in ("ollama", "google"):  # whose clients are opened with the model
            assert provider.connections == 1
    assert (attempts.failed, attempts.lost) == ([], None)


def model_nowhere() -> Model:
    return open_model("openai:x", base_url="http://127.0.0.1:9/v1", retrying=ONCE)


def test_a_server_that_is_down_stops_one_command_and_is_tried_by_the_next() -> None:
    pytest.importorskip("langchain_openai")
    model = model_nowhere()

    async def ten() -> list[Any]:
        return await asyncio.gather(*(answer_of(model, MESSAGES) for _ in range(10)), return_exceptions=True)

    for _ in range(2):
        problems = run_loop(ten())
        assert {type(problem) for problem in problems} == {CommandStopped}
        assert str(problems[0]).startswith("http://127.0.0.1:9/v1 can't be reached for openai:x")
        assert str(problems[0]).endswith("and run the same command again: it continues from here.")


@pytest.mark.parametrize("step", [fails(500), fails(529), Step(drop=True)], ids=["500", "529", "drop"])
def test_three_calls_in_a_row_without_an_answer_stop_a_command(step: Step) -> None:
    async def all_of(model: Model) -> list[str]:
        return [await ended(model) for _ in range(5)]

    with Provider(*[step] * 20) as provider:
        model = model_at(provider, "anthropic")
        assert run_loop(all_of(model)) == ["ModelError", "ModelError", *["CommandStopped"] * 3]
        assert len(provider.seen) == 6


def test_an_answer_between_them_says_that_the_server_is_there() -> None:
    async def all_of(model: Model) -> list[str]:
        return [await ended(model) for _ in range(5)]

    with Provider(*[fails(500)] * 4, answers(), *[fails(500)] * 4) as provider:
        ends = run_loop(all_of(model_at(provider, "anthropic")))
    assert ends == ["ModelError", "ModelError", "answer", "ModelError", "ModelError"]


async def ended(model: Model) -> str:
    try:
        await answer_of(model, MESSAGES)
    except Exception as problem:  # noqa: BLE001
        return type(problem).__name__
    return "answer"
