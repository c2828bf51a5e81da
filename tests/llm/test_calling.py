"""A call to a model: tried again, waited for, asked once more, and always counted. Also tests faults.py."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from drretail.errors import CommandStopped, ModelError
from drretail.event_loop import run_loop
from drretail.experiments.journal import Journal
from drretail.llm.calling import Attempts, answer_of
from drretail.llm.models import Models
from drretail.llm.providers import ONCE, Pacer, Retrying
from drretail.llm.registry import Model, build_model
from drretail.records.run import Setbacks
from drretail.records.trajectory import Trajectory

from . import gemini, ollama
from .clients import CLIENTS, MESSAGES, Sleeps, called, opened
from .provider import Provider, Step, answers, completes, fails

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize(
    "step",
    [fails(429, retry_after="0"), fails(500), fails(503), Step(200, b"{"), Step(drop=True)],
    ids=["429", "500", "503", "broken", "drop"],
)
async def test_what_passes_is_tried_again_alike_for_every_provider(name: str, step: Step) -> None:
    call = await called(name, step, step, CLIENTS[name].says("hello"))
    assert (call.answer.text, len(call.requests)) == ("hello", 3)
    assert (call.slept, len(call.attempts.failed)) == ([0.5, 1.0], 2)


PAGE = "<!DOCTYPE html><html><head><title>502 Bad\x1b[31m gateway</title></head>" + "<p>Sorry.</p>" * 900


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
@pytest.mark.parametrize("status", [200, 502])
async def test_a_web_page_in_the_place_of_an_answer_is_told_in_short(name: str, kind: str, status: int) -> None:
    call = await called(name, *[Step(status, PAGE.encode(), headers=(("content-type", kind),))] * 3)
    assert (call.problem.kind, len(call.requests)) == ("model", 3)
    if status == 200 and kind == "application/json":
        assert "an HTML page" in call.problem.message
    assert "Sorry" not in call.problem.message
    assert "\x1b" not in call.problem.message


@pytest.mark.parametrize("name", CLIENTS)
async def test_an_answer_that_drips_ends_with_the_limit_of_its_attempt(name: str) -> None:
    whole = CLIENTS[name].says("hello")
    steps = replace(whole, drips=True), whole, whole  # on a busy machine a whole one may be late, too
    call = await called(name, *steps, timeout=30, changed={"attempt_seconds": 1.0})
    assert call.answer.text == "hello"
    assert {*call.attempts.failed} == {"no whole answer within 1 seconds: set model_timeout higher in drretail.toml"}


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413])
async def test_what_lasts_is_not_tried_again_and_a_refused_key_or_model_ends_all(name: str, status: int) -> None:
    call = await called(name, *[fails(status)] * 3)
    assert (len(call.requests), call.slept) == (1, [])
    if status in (400, 413):
        assert call.problem.retries == 0
    else:
        assert isinstance(call.outcome, CommandStopped)
        assert f"http://{call.requests[0].headers['host']}" in str(call.outcome)


@pytest.mark.parametrize("name", CLIENTS)
async def test_the_wait_that_a_provider_asks_for_is_kept_and_a_little_added(name: str) -> None:
    script = fails(429, retry_after="0.02"), fails(503, retry_after_ms="30"), CLIENTS[name].says("hello")
    assert (await called(name, *script)).slept == pytest.approx([0.022, 0.033])


async def test_a_429_with_a_wait_holds_the_other_calls_to_the_provider_too() -> None:
    held = Sleeps()
    pacer = Pacer(clock=lambda: sum(held.all), sleep=held, chance=lambda: 0.0)
    with Provider(fails(429, retry_after="20"), answers(), answers()) as provider:
        retrying = Retrying(2, sleep=Sleeps())
        first, other = (opened("anthropic", provider, retrying=retrying, pacer=pacer) for _ in range(2))
        await answer_of(first, MESSAGES)
        assert held.all == [20.0]
        pacer.hold(7)
        await answer_of(other, MESSAGES)
        assert held.all == [20.0, 7.0]


async def test_retries_are_counted_in_the_journal_of_what_succeeds_and_of_what_fails() -> None:
    journal = Journal()
    with Provider(fails(500), answers(), fails(500), fails(500), fails(500)) as provider:
        model = opened("anthropic", provider, retrying=Retrying(2, sleep=Sleeps()))
        models = Models({"researcher": model}, journal, trajectory := Trajectory())
        await models.call("researcher", MESSAGES)
        with pytest.raises(ModelError) as caught:
            await models.call("researcher", MESSAGES)
    assert caught.value.retries == 2
    assert [effect.retries for effect in journal.effects] == [1, 2]
    assert trajectory.setbacks() == Setbacks(second_attempts=3, lost={"researcher": 1})


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


async def test_an_answer_that_its_provider_pauses_goes_on_where_it_was() -> None:
    parts = [{"type": "text", "text": text} for text in ("The", " large", " one.")]
    paused = [answers(part, stop_reason="pause_turn", input_tokens=9, output_tokens=2) for part in parts[:2]]
    call = await called("anthropic", *paused, answers(parts[2], input_tokens=9, output_tokens=2))
    assert call.answer.text == "The large one."
    sent = [request.body["messages"][1:] for request in call.requests]
    assert [content for message in sent for content in message] == [
        {"role": "assistant", "content": "The"},
        {"role": "assistant", "content": parts[:2]},
    ]
    used = call.attempts.usage_with(call.answer)
    assert (used.calls, used.total, call.attempts.failed) == (3, 33, [])
    call = await called("anthropic", *paused[:1] * 30)
    assert (call.problem.kind, len(call.requests)) == ("unusable", 11)
    assert "paused the answer" in call.problem.message


LIMITS = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
OPENAI = "Your input exceeds the context window of this model. Please adjust your input and try again."
VLLM = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages."
GOOGLE = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
OVERFLOWS = [
    ("anthropic", "prompt is too long: 210000 tokens > 200000 maximum", {"type": "invalid_request_error"}),
    ("anthropic", LIMITS, {"type": "invalid_request_error"}),
    ("openai", OPENAI, {"type": "invalid_request_error", "param": "input", "code": "context_length_exceeded"}),
    ("openai", VLLM, {"type": "BadRequestError", "param": None, "code": 400}),
    ("google", GOOGLE, {"code": 400, "status": "INVALID_ARGUMENT"}),
    ("ollama", "the input length exceeds the context length", {}),
]


@pytest.mark.parametrize(("name", "message", "more"), OVERFLOWS)
async def test_what_does_not_fit_is_known_in_providers_words(name: str, message: str, more: dict[str, Any]) -> None:
    error = message if name == "ollama" else {"message": message} | more
    body = {"type": "error", "error": error} if name == "anthropic" else {"error": error}
    call = await called(name, *[Step(400, json.dumps(body).encode())] * 2)
    assert (call.problem.kind, len(call.requests)) == ("context_overflow", 1)


@pytest.mark.parametrize("name", WHOLE)
def test_a_second_command_keeps_the_connection(name: str) -> None:
    attempts = Attempts()
    with Provider(*[WHOLE[name]] * 4) as provider:
        model = model_at(provider, name)
        for _ in range(2):
            run_loop(answer_of(model, MESSAGES, attempts=attempts))
        run_loop(answer_of(model_at(provider, name), MESSAGES, attempts=attempts))  # opened anew, as by each run()
        assert len(provider.seen) == 3
        if name not in ("ollama", "google"):  # whose clients are opened with the model
            assert provider.connections == 1
    assert (attempts.failed, attempts.lost) == ([], None)


def test_a_server_that_is_down_stops_one_command_and_is_tried_by_the_next() -> None:
    pytest.importorskip("langchain_openai")
    model = build_model("openai:x", base_url="http://127.0.0.1:9/v1", retrying=ONCE)

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
def test_three_calls_in_a_row_unanswered_stop_a_command(script: list[Step], ends: list[str], requests: int) -> None:
    async def all_of(model: Model) -> list[Any]:
        calls = [await asyncio.gather(answer_of(model, MESSAGES), return_exceptions=True) for _ in range(5)]
        return [outcome for (outcome,) in calls]

    with Provider(*script) as provider:
        outcomes = run_loop(all_of(model_at(provider, "anthropic")))
        assert [type(outcome).__name__ for outcome in outcomes] == ends
        assert ("--retry failed" in str(outcomes[-1])) == (ends[-1] == STOPPED), "two failed before, and are recorded"
        assert len(provider.seen) == requests
