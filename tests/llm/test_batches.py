"""Questions through Message Batches: gathered, handed back whatever their order, and never paid twice."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from drretail.errors import CommandStopped, ModelError
from drretail.llm.batches import batching
from drretail.llm.calling import answer_of
from drretail.llm.registry import Model, build_model
from drretail.llm.usage import usage_of
from tests.llm.batch_server import EXPIRED, BatchServer, errored, succeeded

pytestmark = pytest.mark.anyio
KEY = "sk-test-0123456789abcdef"


def opened(
    url: str, folder: Path, message: list[str] | None = None, most: int = 10_000
) -> AbstractContextManager[Model]:
    environ = {"ANTHROPIC_API_KEY": KEY}
    model = build_model("anthropic:claude-sonnet-4-6", base_url=url, environ=environ, timeout=5, max_retries=0)
    say = (lambda _: None) if message is None else message.append
    return batching(model, folder, notify=say, quiet=0.01, poll=0.01, most=most)


async def asked(model: Model, questions: Sequence[str]) -> list[AIMessage | ModelError]:
    async def one(question: str) -> AIMessage | ModelError:
        try:
            return await answer_of(model, [HumanMessage(question)])
        except ModelError as problem:
            return problem

    return list(await asyncio.gather(*map(one, questions)))


def texts(answers: Sequence[AIMessage | ModelError]) -> list[str]:
    return [answer.text if isinstance(answer, AIMessage) else f"{answer.kind}: {answer.message}" for answer in answers]


def echo(custom_id: str, params: dict[str, Any], batch: int) -> dict[str, Any]:
    del custom_id, batch
    return succeeded(f"on {params['messages'][0]['content']}")


async def test_waiting_questions_go_out_in_one_batch_as_if_asked_directly_and_once_more_in_another(
    tmp_path: Path,
) -> None:
    events: list[str] = []
    with BatchServer(echo, polls=3) as server:
        with opened(server.url, tmp_path, events) as model:
            answers = await asked(model, ["a", "b", "c"])
        assert texts(answers) == ["on a", "on b", "on c"]
        assert len(server.batches) == 1
        with opened(server.url, tmp_path) as model:
            await asked(model, ["a"])
        assert len(server.batches) == 2
    assert events == ["3 requests sent as batch msgbatch_0.", "Batch msgbatch_0 has ended: 3 succeeded."]
    (first, *_) = answers
    assert isinstance(first, AIMessage)
    assert usage_of(first).output == 3
    assert server.batches["msgbatch_0"][0]["params"] == {
        "model": "claude-sonnet-4-6",
        "max_tokens": model.params["max_tokens"],
        "temperature": 0,
        "messages": [{"role": "user", "content": "a"}],
    }


async def test_more_questions_than_a_batch_holds_go_out_in_several(tmp_path: Path) -> None:
    with BatchServer(echo) as server, opened(server.url, tmp_path, most=2) as model:
        assert texts(await asked(model, list("abcde"))) == [f"on {letter}" for letter in "abcde"]
    assert [len(requests) for requests in server.batches.values()] == [2, 2, 1]


@pytest.mark.parametrize("bad", [EXPIRED, errored("overloaded_error"), {"type": "canceled"}])
async def test_what_expired_or_failed_at_the_provider_is_sent_again(tmp_path: Path, bad: dict[str, Any]) -> None:
    def second_time(custom_id: str, params: dict[str, Any], batch: int) -> dict[str, Any]:
        return bad if batch == 0 and params["messages"][0]["content"] == "a" else echo(custom_id, params, batch)

    with BatchServer(second_time) as server, opened(server.url, tmp_path) as model:
        assert texts(await asked(model, ["a", "b"])) == ["on a", "on b"]
    assert [len(requests) for requests in server.batches.values()] == [2, 1]


RATING: dict[str, Any] = {"title": "Rating", "type": "object", "properties": {}}
LONG = errored("invalid_request_error", "too long")


@pytest.mark.parametrize(
    ("answer", "batches", "message"),
    [
        (EXPIRED, 3, "timeout: no answer in 3 batches; the last time it was: expired"),
        (errored("api_error"), 3, "model: no answer in 3 batches; the last time it was: api_error: scripted"),
        (LONG, 1, "model: the provider refuses the question: invalid_request_error: too long"),
    ],
)
async def test_what_has_no_answer_says_why(tmp_path: Path, answer: dict[str, Any], batches: int, message: str) -> None:
    with BatchServer(lambda *_: answer) as server, opened(server.url, tmp_path) as model:
        assert texts(await asked(model, ["a"])) == [message]
    assert len(server.batches) == batches


@pytest.mark.parametrize(("forgets", "batches"), [(False, [2, 1]), (True, [2, 1, 2])])
async def test_a_killed_command_finds_the_answers_it_has_paid_for_unless_the_provider_forgets_them(
    tmp_path: Path, forgets: bool, batches: list[int]
) -> None:
    with BatchServer(echo, polls=50) as server:

        async def killed() -> None:
            with opened(server.url, tmp_path) as model:
                await asked(model, ["a", "b"])

        task = asyncio.ensure_future(killed())
        while not server.batches:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.03)  # the book has the batch
        task.cancel()
        await asyncio.wait([task])
        server.polls = 0
        server.gone.update({"msgbatch_0"} if forgets else set())
        with opened(server.url, tmp_path) as model:
            assert texts(await asked(model, ["a", "b", "c"])) == ["on a", "on b", "on c"]
    assert [len(requests) for requests in server.batches.values()] == batches


async def rated(url: str, folder: Path, events: list[str] | None = None) -> str:
    """The answer in a schema: what is refused in one form is sent in another."""
    with opened(url, folder, events) as model:
        return (await answer_of(model, [HumanMessage("a")], schema=RATING)).text


async def test_a_batch_that_may_not_be_read_stops_the_command_and_is_found_by_the_next(tmp_path: Path) -> None:
    with BatchServer(echo) as server:
        server.faults = [403]
        with pytest.raises(CommandStopped, match=r"sent or read \(PermissionDeniedError.*run the same command"):
            await rated(server.url, tmp_path)
        assert await rated(server.url, tmp_path) == "on a"
    assert len(server.batches) == 1


async def test_an_outage_while_a_batch_is_under_way_is_waited_out(tmp_path: Path) -> None:
    with BatchServer(echo, polls=0) as server:
        server.faults = [503, 0, 200]
        assert await rated(server.url, tmp_path, events := list[str]()) == "on a"
    assert (len(server.batches), server.faults) == (1, [])
    assert len([event for event in events if event.startswith("The batches cannot be read now (")]) == 2


async def test_a_server_that_is_not_there_and_a_ledger_that_cannot_be_written_stop_the_command(tmp_path: Path) -> None:
    with BatchServer(echo) as server:
        url = server.url
    with pytest.raises(CommandStopped, match="APIConnectionError") as stopped:
        await rated(url, tmp_path)
    assert KEY not in str(stopped.value)
    (tmp_path / "file").touch()
    with BatchServer(echo) as server, pytest.raises(CommandStopped, match="file exists already"):
        await rated(server.url, tmp_path / "file")
