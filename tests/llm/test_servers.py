"""Servers of open models: what they refuse. Also tests structured.py."""

from collections.abc import Sequence
from typing import Any, Literal

import pytest
from langchain_core.messages import HumanMessage

from drretail.errors import ModelError
from drretail.llm.calling import answer_of
from drretail.llm.providers import Retrying
from drretail.llm.registry import Model, build_model
from drretail.llm.structured import Question, answered_json, mended_json
from drretail.records.base import Record
from tests.llm.provider import Provider, Request, Step, completes, fails, streams

pytestmark = pytest.mark.anyio

WORD = '{"word": "drretail"}'
FORMS = ("json_schema", "tool_call", "prompt")


class Greeting(Record):
    """A greeting in one word."""

    word: Literal["drretail"]


AT_ONCE = Retrying(2, first=0)
TYPES = "body.response_format.type: Input should be 'text' or 'json_object' [input: 'json_schema']"


class Server(Provider):
    """A server of OpenAI's protocol that refuses arguments or forms of an answer, with ``status``."""

    def __init__(self, *refuses: str, status: int = 400) -> None:
        super().__init__()
        self.refuses, self.status = refuses, status
        self.first: list[int] = []
        """Statuses of the first answers."""
        self.pauses: tuple[float, ...] = ()
        """Seconds before each piece of a streamed answer."""

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request.body for request in self.seen]

    @property
    def forms(self) -> list[str]:
        """The form in which each answer was asked for."""
        return [*map(_form, self.bodies)]

    def opened(self, **given: Any) -> Model:
        pytest.importorskip("langchain_openai")
        given = {"retrying": AT_ONCE, "timeout": 5} | given
        return build_model("openai:small", base_url=f"{self.url}/v1", **given)

    def answer(self, request: Request) -> Step:
        body, form = request.body, _form(request.body)
        if self.first and (status := self.first.pop(0)) != 200:
            return fails(status, "not now")
        named = next((name for name in self.refuses if name in body or name == form), None)
        if named is not None:
            return fails(self.status, f"unknown argument: {named} ({TYPES})")
        if form == "tool_call" and body["tools"][0]["function"]["name"] == "Greeting":
            call = {"id": "c1", "type": "function", "function": {"name": "Greeting", "arguments": WORD}}
            return completes({"content": None, "tool_calls": [call]}, "tool_calls")
        if body.get("stream"):
            return streams({"content": "Hel"}, {"content": "lo!"}, usage=False, pauses=self.pauses)
        return completes({"content": WORD if form in FORMS else "Hello!"})


def _form(body: dict[str, Any]) -> str:
    usual = "tool_call" if body.get("tools") else "prompt" if "<schema>" in str(body["messages"]) else ""
    return body.get("response_format", {}).get("type", usual)


async def greeting(model: Model) -> Greeting | ModelError | None:
    async def call(messages: Sequence[Any], schema: dict[str, Any]) -> str:
        return answered_json(await answer_of(model, messages, schema=schema))

    reply = await Question(Greeting, call).put([HumanMessage("Greet me.")])
    return reply.answer or reply.failure


@pytest.mark.parametrize(
    ("refuses", "status", "forms"),
    [
        ((), 400, FORMS[:1]),
        (("json_schema",), 400, FORMS[:2]),
        (("json_schema",), 404, FORMS[:2]),  # OpenRouter, of a model without it
        (("json_schema", "tool_choice"), 422, FORMS),
        (("json_schema", "tool_call"), 400, FORMS),
    ],
)
async def test_an_answer_is_asked_for_in_the_first_form_that_the_server_takes_which_is_remembered(
    refuses: tuple[str, ...], status: int, forms: tuple[str, ...]
) -> None:
    with Server(*refuses, status=status) as server:
        model = server.opened()
        for _ in range(2):
            assert await greeting(model) == Greeting(word="drretail")
        assert await greeting(again := server.opened()) == Greeting(word="drretail")
        assert server.forms == [*forms, *forms[-1:] * 2], "also of a model that is opened anew"
        assert again.params.keys() == {"max_tokens", "temperature", "base_url"}, "it is in no label"


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_server_that_is_busy_once_is_asked_again_in_the_same_form(status: int) -> None:
    with Server() as server:
        server.first = [status, 200, status, status, status]
        model = server.opened()
        assert await greeting(model) == Greeting(word="drretail")
        second = await greeting(model)
        asked_otherwise = status == 500  # which may be meant for the form, and no other of these
        assert isinstance(second, Greeting) == asked_otherwise
        assert server.forms == ["json_schema"] * 5 + ["tool_call"] * asked_otherwise


async def test_a_question_that_no_form_mends_fails_with_what_the_server_says() -> None:
    with Server("messages") as server:
        failure = await greeting(server.opened())
        assert isinstance(failure, ModelError)
        assert f"unknown argument: messages ({TYPES})" in failure.message
        assert (server.forms, failure.retries) == ([*FORMS], 2)
        assert not server.opened().refused


@pytest.mark.parametrize("argument", ["temperature", "seed", "max_tokens", "stream_options"])
async def test_a_refused_argument_is_left_out_from_then_on(argument: str) -> None:
    with Server(argument) as server:
        model = server.opened(seed=7, stream=argument == "stream_options")
        for _ in range(2):
            assert (await answer_of(model, [HumanMessage("Hello?")])).text == "Hello!"
        assert [argument in body for body in server.bodies] == [True, False, False]
        assert model.refused == {argument}
        if argument == "max_tokens":
            assert server.bodies[-1]["max_completion_tokens"] == 8000


async def test_a_turn_that_may_not_call_shows_no_tools_to_a_server_that_refuses_tool_choice() -> None:
    tool = {"type": "function", "function": {"name": "look", "description": "", "parameters": {"type": "object"}}}
    with Server("tool_choice") as server:
        model = server.opened()
        await answer_of(model, [HumanMessage("Hello?")], chat=model.chat.bind_tools([tool], tool_choice="none"))
        assert [{"tools", "tool_choice"} & body.keys() for body in server.bodies] == [{"tools", "tool_choice"}, set()]


@pytest.mark.parametrize(
    ("pauses", "fault"),
    [((0.5, 0.1), None), ((0.1, 0.7), "timeout"), ((1.6, 0.0), "timeout")],
    ids=["reads long", "stops in the middle", "reads too long"],
)
async def test_the_time_of_a_streamed_answer_is_that_of_its_first(pauses: tuple[float, ...], fault: str | None) -> None:
    with Server() as server:
        server.pauses = pauses
        question = answer_of(server.opened(stream=True, timeout=0.3), [HumanMessage("Hello?")])
        if fault is None:
            assert (await question).text == "Hello!"
        else:
            with pytest.raises(ModelError) as caught:
                await question
            assert caught.value.kind == fault


async def test_a_question_that_does_not_fit_what_the_model_is_stated_to_hold_is_not_sent() -> None:
    with Server() as server:
        model = server.opened(context=4096)
        await answer_of(model, [HumanMessage("x" * 4 * 3500)])
        with pytest.raises(ModelError, match="holds 4,096") as caught:
            await answer_of(model, [HumanMessage("x" * 4 * 4000)])
        assert (caught.value.kind, len(server.seen)) == ("context_overflow", 1)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ('Here it is:\n{"a": {"b": "}"}} I hope this helps!', '{"a": {"b": "}"}}'),
        ("{'a': 'it', 'b': True}", '{"a": "it", "b": true}'),
        ('{"a": 1} or {"a": 2}', '{"a": 1} or {"a": 2}'),
        ('{"a": 1', '{"a": 1'),
        ("no JSON", "no JSON"),
    ],
)
def test_json_is_mended_where_there_is_one_way_to_read_it(text: str, mended: str) -> None:
    assert mended_json(text) == mended
