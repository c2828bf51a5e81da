"""Over the wire: what is empty or cut is asked for once more, what is lost is paid for, and connections are kept."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from drretail.errors import CommandStopped
from drretail.llm.calling import Attempts, answer_of
from drretail.llm.event_loop import run_loop
from drretail.llm.providers import ONCE, Retrying
from drretail.llm.registry import Model, open_model
from drretail.records.run import Usage

from . import gemini, ollama
from .clients import CLIENTS, MESSAGES, called, opened
from .provider import Provider, Step, answers, completes, fails

pytestmark = pytest.mark.anyio
TEXT = "Take the large bed. " * 40
EMPTY = {
    "anthropic": answers({"type": "text", "text": " "}),
    "openai": completes({"content": ""}),
    "ollama": ollama.says(""),
    "google": gemini.says(),
}
CUT = {
    "anthropic": answers({"type": "text", "text": TEXT}, stop_reason="max_tokens"),
    "openai": completes({"content": TEXT}, "length"),
    "ollama": ollama.says(TEXT, done_reason="length"),
    "google": gemini.says(gemini.text(TEXT), finish="MAX_TOKENS"),
}
WHOLE = {name: client.says("The large one.") for name, client in CLIENTS.items()}
TOKENS = {"anthropic": 11, "openai": 35, "ollama": 25, "google": 46}
"""Of each of these answers with its question."""


def model_at(provider: Provider, name: str, **given: Any) -> Model:
    return opened(name, provider, retrying=Retrying(1, first=0.01), **given)


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize(
    ("steps", "problem", "asked"),
    [
        (EMPTY, "the answer is empty", ["was empty"]),
        (CUT, "the answer was cut", ["Take the large bed.", "in at most 200 words"]),
    ],
    ids=["empty", "cut"],
)
async def test_an_empty_or_cut_answer_is_asked_for_once_more_and_both_are_paid(
    name: str, steps: dict[str, Step], problem: str, asked: list[str]
) -> None:
    call = await called(name, steps[name], WHOLE[name])
    _, again = call.requests
    last = str((again.body["contents"] if "contents" in again.body else again.body["messages"])[-1])
    assert all(words in last for words in asked)
    assert call.answer.text == "The large one."
    used = call.attempts.usage_with(call.answer)
    assert (used.calls, used.total) == (2, 2 * TOKENS[name])
    assert call.attempts.failed[0].startswith(problem)


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize(("steps", "message"), [(EMPTY, "is empty"), (CUT, "set max_tokens higher in drretail.toml")])
async def test_a_second_answer_that_is_none_either_is_the_last(name: str, steps: dict[str, Step], message: str) -> None:
    call = await called(name, *[steps[name]] * 3)
    assert message in call.problem.message
    assert (call.problem.kind, len(call.requests)) == ("unusable", 2)
    assert Usage(**(call.problem.usage or {})).total == 2 * TOKENS[name]
    assert "--max-tokens" not in call.problem.message


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("step", [Step(200, b"{"), Step(drop=True)], ids=["broken", "drop"])
async def test_an_answer_that_never_arrived_counts_with_its_questions_length(name: str, step: Step) -> None:
    call = await called(name, step, WHOLE[name], messages=[HumanMessage("bed " * 1000)])
    assert call.attempts.lost == Usage(input_uncached=1000, estimated=1)
    assert call.attempts.usage_with(call.answer).total == 1000 + TOKENS[name]


LIMITS = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
OPENAI = "Your input exceeds the context window of this model. Please adjust your input and try again."
VLLM = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages."
LLAMA = "the request exceeds the available context size, try increasing it"
OPENROUTER = "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens."
GOOGLE = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
OVERFLOWS = [
    ("anthropic", "prompt is too long: 210000 tokens > 200000 maximum", {"type": "invalid_request_error"}),
    ("anthropic", LIMITS, {"type": "invalid_request_error"}),
    ("openai", OPENAI, {"type": "invalid_request_error", "param": "input", "code": "context_length_exceeded"}),
    ("openai", VLLM, {"type": "BadRequestError", "param": None, "code": 400}),
    ("openai", LLAMA, {"type": "exceed_context_size_error", "code": 400, "n_prompt_tokens": 5000, "n_ctx": 4096}),
    ("openai", OPENROUTER, {"code": 400}),
    ("google", GOOGLE, {"code": 400, "status": "INVALID_ARGUMENT"}),
    ("ollama", "the input length exceeds the context length", {}),
]


@pytest.mark.parametrize(("name", "message", "more"), OVERFLOWS)
async def test_what_does_not_fit_is_known_in_providers_words(name: str, message: str, more: dict[str, Any]) -> None:
    error = message if name == "ollama" else {"message": message} | more
    body = {"type": "error", "error": error} if name == "anthropic" else {"error": error}
    call = await called(name, *[Step(400, json.dumps(body).encode())] * 2)
    assert (call.problem.kind, len(call.requests)) == ("context_overflow", 1)


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


def test_a_server_that_is_down_stops_one_command_and_is_tried_by_the_next() -> None:
    pytest.importorskip("langchain_openai")
    model = open_model("openai:x", base_url="http://127.0.0.1:9/v1", retrying=ONCE)

    async def ten() -> list[Any]:
        return await asyncio.gather(*(answer_of(model, MESSAGES) for _ in range(10)), return_exceptions=True)

    for _ in range(2):
        problems = run_loop(ten())
        assert {type(problem) for problem in problems} == {CommandStopped}
        assert str(problems[0]).startswith("http://127.0.0.1:9/v1 can't be reached for openai:x")
        assert str(problems[0]).endswith("and run the same command again: it continues from here.")


FAILED, STOPPED = "ModelError", "CommandStopped"


@pytest.mark.parametrize(
    ("script", "ends", "requests"),
    [
        ([fails(500)] * 20, [FAILED, FAILED, STOPPED, STOPPED, STOPPED], 6),
        ([fails(529)] * 20, [FAILED, FAILED, STOPPED, STOPPED, STOPPED], 6),
        ([Step(drop=True)] * 20, [FAILED, FAILED, STOPPED, STOPPED, STOPPED], 6),
        ([*[fails(500)] * 4, answers(), *[fails(500)] * 4], [FAILED, FAILED, "AIMessage", FAILED, FAILED], 9),
    ],
    ids=["500", "529", "drop", "an answer between them"],
)
def test_three_calls_in_a_row_without_an_answer_stop_a_command(
    script: list[Step], ends: list[str], requests: int
) -> None:
    async def all_of(model: Model) -> list[str]:
        calls = [await asyncio.gather(answer_of(model, MESSAGES), return_exceptions=True) for _ in range(5)]
        return [type(outcome).__name__ for (outcome,) in calls]

    with Provider(*script) as provider:
        assert run_loop(all_of(model_at(provider, "anthropic"))) == ends
        assert len(provider.seen) == requests
