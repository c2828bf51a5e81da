"""Servers of open models: what a survey finds of one, and calls that they leave in the text."""

import asyncio
import json
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from drretail.errors import ModelError, UserError
from drretail.journal import Journal
from drretail.llm.calling import answer_of
from drretail.llm.models import Models
from drretail.llm.providers import Retrying
from drretail.llm.registry import Model, open_model, open_recorded
from drretail.llm.servers import HITS, ITEMS, TEXT, calls_in_text, lean_arguments, lean_result, lean_schemas
from drretail.llm.structured import mended_json
from drretail.llm.survey import KnownServers, measured, survey
from drretail.records.models import Abilities
from drretail.records.trajectory import Trajectory
from drretail.tools.registry import openai_schemas
from tests.llm.clients import opened
from tests.llm.local_server import Handler, LocalServer
from tests.llm.provider import Provider, completes, openai_completion

pytestmark = pytest.mark.anyio

WORD = '{"word": "drretail"}'
TYPES = "body.response_format.type: Input should be 'text' or 'json_object' [input: 'json_schema']"


class Server(LocalServer):
    """A server of OpenAI's protocol that refuses, ignores or keeps to what it is told to."""

    def __init__(self, *refuses: str, keeps: str = "", says: dict[str, Any] | None = None, status: int = 400) -> None:
        super().__init__(_Handler)
        self.refuses, self.keeps, self.says, self.status = refuses, keeps, says or {}, status
        self.seen: list[dict[str, Any]] = []
        self.pauses: tuple[float, ...] = ()
        """Seconds before each piece of a streamed answer."""
        self.late: list[float] = []
        """Seconds before the next answers."""
        self.at_once = self.most_at_once = 0
        self.lost: tuple[int, ...] = ()
        """The requests, counted from one, whose connection ends without an answer."""

    def opened(self, **given: Any) -> Model:
        pytest.importorskip("langchain_openai")
        given = {"retrying": Retrying(0), "timeout": 5} | given
        return open_model("openai:small", base_url=f"{self.url}/v1", **given)


class _Handler(Handler):
    def get(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        self._send(200 if self.path in server.says else 404, server.says.get(self.path, {}))

    def post(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        body = self.read()
        if not self.path.endswith("/chat/completions"):
            return self._send(404, {})
        server.seen.append(body)
        if len(server.seen) in server.lost:
            self.close_connection = True
            return None
        server.at_once += 1
        server.most_at_once = max(server.most_at_once, server.at_once)
        time.sleep(server.late.pop() if server.late else 0)
        server.at_once -= 1
        form = body.get("response_format", {}).get("type", "tool_call" if body.get("tools") else "")
        named = next((name for name in server.refuses if name in body or name == form), None)
        if named is not None:
            said = {"error": {"message": f"unknown argument: {named} ({TYPES})"}}
            return self._send(server.status, server.says if "error" in server.says else said)
        if form == "tool_call" and server.keeps == form:
            call = {"name": body["tools"][0]["function"]["name"], "arguments": WORD}
            message = {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": call}]}
            return self._send(200, openai_completion(message, "tool_calls"))
        kept = {"json_schema": WORD, "json_object": '{"hello": "you'}.get(form) if server.keeps == form else None
        if body.get("stream"):
            return self._stream("Hel", "lo!")
        return self._send(200, openai_completion({"content": kept or "Hello!"}, "length" if kept else "stop"))

    def _stream(self, *pieces: str) -> None:
        server = self.server
        assert isinstance(server, Server)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for at, piece in enumerate((*pieces, "")):
            time.sleep(server.pauses[at] if at < len(server.pauses) else 0)
            choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None if piece else "stop"}
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "small", "choices": [choice]}
            try:
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            except OSError:
                return
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _send(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        self.begin(status, len(body), "application/json")
        self.wfile.write(body)


@pytest.mark.parametrize(
    ("refuses", "keeps", "status", "form"),
    [
        ((), "json_schema", 400, "json_schema"),
        (("json_schema",), "json_object", 500, "json_object"),  # llama-cpp-python
        (("json_schema", "json_object"), "tool_call", 400, "tool_call"),
        ((), "tool_call", 400, "tool_call"),  # takes every form, and ignores the first two
        (("json_schema", "json_object", "tool_choice"), "", 422, "prompt"),
        ((), "", 400, "prompt"),
    ],
)
async def test_the_form_of_a_schema_is_the_first_that_the_server_keeps_to(
    refuses: tuple[str, ...], keeps: str, status: int, form: str
) -> None:
    with Server(*refuses, keeps=keeps, status=status) as server:
        model = server.opened()
        found = await survey(model)
        assert found.structured == form
        assert all(0 < body["max_tokens"] <= 60 for body in server.seen)
        assert len(server.seen) <= 5, "each form costs a question, and a refused argument one more"
    assert model.knowing(found).params.get("structured") == (None if form == "json_schema" else form)


@pytest.mark.parametrize(
    ("says", "context", "slots"),
    [
        ({"/props": {"default_generation_settings": {"n_ctx": 4096}, "total_slots": 2}}, 4096, 2),
        (
            {"/v1/models": {"data": [{"id": "other", "max_model_len": 1}, {"id": "small", "max_model_len": 8192}]}},
            8192,
            None,
        ),
        ({"/v1/models": {"data": [{"id": "small", "meta": {"n_ctx": 2048, "n_ctx_train": 8192}}]}}, 2048, None),
        ({"/api/v0/models": {"data": [{"id": "small", "loaded_context_length": 6000}]}}, 6000, None),
        ({"/api/ps": {"models": [{"name": "small:latest", "context_length": 4096}]}}, 4096, None),
        ({"/v1/models": {"data": [{"id": "/models/small.gguf", "max_model_len": 4096}]}}, 4096, None),
        ({"/v1/models": {"data": [{"id": each, "max_model_len": 4096} for each in ("a", "b")]}}, None, None),
        ({"/v1/models": {"data": [{"id": "small"}]}, "/props": ["odd"]}, None, None),
        ({}, None, None),
    ],
)
async def test_a_servers_context_length_is_asked(says: dict[str, Any], context: int | None, slots: int | None) -> None:
    with Server(says=says, keeps="json_schema") as server:
        found = await survey(server.opened())
        stated = server.opened(context=1000).knowing(found)
    assert (found.context, found.slots) == (context, slots)
    assert stated.params["context"] == 1000, "what the user says holds if it is less"


@pytest.mark.parametrize("argument", ["temperature", "seed", "max_tokens", "stream_options"])
async def test_a_refused_argument_is_left_out_from_then_on(argument: str) -> None:
    with Server(argument) as server:
        model = server.opened(seed=7, stream=argument == "stream_options")
        for _ in range(2):
            assert (await answer_of(model, [HumanMessage("Hello?")])).text == "Hello!"
        assert [argument in body for body in server.seen] == [True, False, False]
        assert model.refused == {argument}
        if argument == "max_tokens":
            assert server.seen[-1]["max_completion_tokens"] == 8000


async def test_a_turn_that_may_not_call_shows_no_tools_to_a_server_that_refuses_tool_choice() -> None:
    tool = {"type": "function", "function": {"name": "look", "description": "", "parameters": {"type": "object"}}}
    with Server("tool_choice") as server:
        model = server.opened()
        await answer_of(model, [HumanMessage("Hello?")], chat=model.chat.bind_tools([tool], tool_choice="none"))
        assert [{"tools", "tool_choice"} & body.keys() for body in server.seen] == [{"tools", "tool_choice"}, set()]


async def test_a_refusal_that_names_nothing_that_was_sent_is_shown_whole() -> None:
    with Server("messages") as server:
        with pytest.raises(ModelError, match="Input should be 'text' or 'json_object'") as caught:
            await answer_of(server.opened(), [HumanMessage("Hello?")])
        assert len(server.seen) == 1
    assert "unknown argument: messages" in str(caught.value)


async def test_a_length_that_is_refused_by_both_names_ends_the_attempts() -> None:
    with Server("max_tokens", "max_completion_tokens") as server:
        with pytest.raises(ModelError, match="unknown argument"):
            await answer_of(server.opened(), [HumanMessage("Hello?")])
        assert len(server.seen) == 3


async def test_an_argument_is_refused_by_its_whole_name_and_by_the_body_first() -> None:
    for said in ({"message": "bad birdseed or my_seed"}, {"message": "bad input: seed", "param": "messages"}):
        with Server("messages", says={"error": said}) as server, pytest.raises(ModelError, match="bad"):
            await answer_of(server.opened(seed=7), [HumanMessage("Hello?")])
        assert len(server.seen) == 1


@pytest.mark.parametrize("status", [429, 503])
async def test_a_server_that_still_loads_its_model_is_not_said_to_keep_to_no_form(status: int) -> None:
    with Server("messages", status=status) as server, pytest.raises(UserError, match="has not answered"):
        await survey(server.opened())


async def test_a_model_whose_slots_are_unknown_leaves_those_of_its_server() -> None:
    model = open_model("openai:small", base_url="http://127.0.0.1:1/v1").knowing(Abilities(slots=2))
    judge = open_model("openai:judge", base_url="http://127.0.0.1:1/v1", pacer=model.pacer)
    assert judge.knowing(Abilities()).pacer.slots == 2


def test_a_recorded_call_without_a_temperature_replays_without_one() -> None:
    assert "temperature" not in open_recorded("openai:small", {"max_tokens": 8000}, is_whole=True).params
    assert open_recorded("openai:small", {}).params["temperature"] == 0


async def test_a_server_that_is_not_there_is_named_before_anything_else() -> None:
    with Server() as server:
        model = server.opened()
    with pytest.raises(UserError, match="can't be reached"):
        await survey(model)


async def test_what_was_found_out_is_kept_with_the_speed_and_in_the_record(tmp_path: Path) -> None:
    known = KnownServers(tmp_path / "new" / "servers.json")
    with Server(
        "json_schema", keeps="json_object", says={"/v1/models": {"data": [{"id": "small", "max_model_len": 4096}]}}
    ) as server:
        model = server.opened()
        assert known.of(model) is None
        found = await survey(model)
        known.keep(model, await measured(model.knowing(found)))
        again = known.of(model)
        assert again is not None
        assert re.search(r"holds 4,096 tokens.* reads [1-9].* tokens a second", again.sentence)
        params = model.knowing(again).params
        assert open_recorded("openai:small", params).params == params
        assert open_recorded("openai:small", params).structured == "json_object"
        asked = model.knowing(again).asked  # all that the record of a role says that was never asked
        assert open_recorded("openai:small", asked).asked == asked
    known.path.write_text("{broken")
    assert known.of(model) is None


async def test_a_connection_that_ends_does_not_end_the_measuring() -> None:
    with Server() as server:
        server.lost = (2,)
        assert (await measured(server.opened())).write_speed
    with Server() as server:
        server.lost = (1, 2)
        with pytest.raises(ModelError, match="Connection error"):
            await measured(server.opened())


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


async def test_nothing_is_sent_while_a_server_may_still_write_an_answer_that_nobody_waits_for() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    with Server() as server:
        server.late = [0.6]
        model = server.opened(timeout=0.3, retrying=Retrying(1, sleep=sleep, chance=lambda: 0.0))
        assert (await answer_of(model, [HumanMessage("Hello?")])).text == "Hello!"
        assert 0.3 <= slept[0] < 0.6, "as long again, where its speed is unknown"
        server.late = [0.6]
        fast = replace(model, server=Abilities(write_speed=4_000), longest=4_000)
        await answer_of(fast, [HumanMessage("Hello?")])
        assert 0.5 <= slept[1] <= 0.7, "what is left of the second that its longest answer takes"


async def test_no_more_questions_are_under_way_than_the_server_answers_at_a_time() -> None:
    with Server() as server:
        server.late = [0.1] * 3
        model = server.opened().knowing(Abilities(slots=1))
        await asyncio.gather(*[answer_of(model, [HumanMessage("Hello?")]) for _ in range(3)])
        assert server.most_at_once == 1


async def test_an_answer_gets_no_more_tokens_than_a_small_context_leaves_and_an_overlong_question_is_not_sent() -> None:
    with Server() as server:
        model = server.opened().knowing(Abilities(context=4096)).answering("researcher")
        await answer_of(model, [HumanMessage("Hello?")])
        await answer_of(model, [HumanMessage("x" * 4 * 2500)])
        await answer_of(model, [HumanMessage("x" * 4 * 3500)])  # fits, as estimated
        with pytest.raises(ModelError, match="holds 4,096") as caught:
            await answer_of(model, [HumanMessage("x" * 4 * 4000)])
        assert caught.value.kind == "context_overflow"
        assert [body["max_tokens"] for body in server.seen] == [1024, 4096 - 3500, 256]


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ('Here it is:\n{"a": {"b": "}"}} I hope this helps!', '{"a": {"b": "}"}}'),
        ("{'a': 'it', 'b': True}", '{"a": "it", "b": true}'),
        ('<think>maybe {"a": 2}</think>\n{"a": 1}', '{"a": 1}'),
        ('{"a": 1} or {"a": 2}', '{"a": 1} or {"a": 2}'),
        ('[{"a": 1}]', '[{"a": 1}]'),
        ('{"a": 1', '{"a": 1'),
        ("{'a': __import__('os')}", "{'a': __import__('os')}"),
        ("no JSON", "no JSON"),
    ],
)
def test_json_is_mended_where_there_is_one_way_to_read_it(text: str, mended: str) -> None:
    assert mended_json(text) == mended


def test_a_small_context_is_part_of_the_label_and_a_large_one_is_not() -> None:
    model = open_model("openai:small", base_url="http://127.0.0.1:1/v1")
    assert model.knowing(Abilities(context=4096)).asked["context"] == 4096
    assert "context" not in model.knowing(Abilities(context=131_072)).asked


def test_the_lean_schemas_keep_every_name_type_and_choice_in_half_the_length() -> None:
    full, lean = openai_schemas(), lean_schemas(openai_schemas())
    assert len(json.dumps(lean)) < len(json.dumps(full)) / 2

    def shape(tool: dict[str, Any]) -> Any:
        given = tool["function"]["parameters"]
        choices = {name: (each["type"], each.get("enum")) for name, each in given["properties"].items()}
        return tool["function"]["name"], choices, given["required"]

    assert [shape(tool) for tool in lean] == [shape(tool) for tool in full]
    assert all(tool["function"]["description"] for tool in lean)


def test_fewer_and_shorter_results_are_asked_for() -> None:
    assert lean_arguments({"query": "bed"}, {"query", "limit"}) == {"query": "bed", "limit": HITS}
    assert lean_arguments({"limit": 2}, {"limit"}) == {"limit": 2}
    assert lean_arguments({"limit": "many"}, {"limit"}) == {"limit": "many"}, "for the tool to refuse"
    assert lean_arguments({"query": "bed"}, {"query"}) == {"query": "bed"}
    assert lean_arguments("no object", {"limit"}) == "no object"
    cut = lean_result({"title": "Bed", "description": "x" * 1000, "features": [*"abcdefghij"], "price": 3})
    assert (cut["title"], cut["price"], len(cut["description"])) == ("Bed", 3, TEXT + 1)
    assert cut["features"] == [*"abcdefgh", "…"]
    assert len(cut["features"]) == ITEMS + 1


@pytest.mark.anyio
@pytest.mark.parametrize(("context", "is_lean"), [(8_192, True), (40_000, False)])
async def test_a_model_of_a_small_context_is_shown_lean_tools(tmp_path: Path, context: int, is_lean: bool) -> None:
    with Provider(completes({"content": "Hello."})) as provider:
        model = opened("openai", provider).knowing(Abilities(context=context))
        models = Models({"researcher": model}, Journal(tmp_path / "journal.jsonl"), Trajectory())
        await models.call("researcher", [HumanMessage("Hello?")], tools=openai_schemas())
        sent = provider.seen[0].body["tools"]
    assert sent == (lean_schemas(openai_schemas()) if is_lean else openai_schemas())
    assert models.is_lean("researcher") == is_lean


NAMES = {"get_current_temperature", "spotify_trending_songs", "get_user_info", "read", "get_product_details"}
TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": name, "description": "", "parameters": {"type": "object"}}}
    for name in sorted(NAMES)
]
PARIS = ("get_current_temperature", {"location": "Paris, France", "unit": "celsius"})
IN_PARIS = '{"name": "get_current_temperature", "arguments": {"location": "Paris, France", "unit": "celsius"}}'

CARDS = {
    "Hermes 2 Pro, Qwen 2.5, Qwen 3": (
        f"<tool_call>\n{IN_PARIS}\n</tool_call><|im_end|>",
        [PARIS],
    ),
    "Hermes 3, arguments first": (
        'I will look.\n<tool_call>\n{"arguments": {"location": "Paris, France", "unit": "celsius"}, '
        '"name": "get_current_temperature"}\n</tool_call>',
        [PARIS],
    ),
    "Qwen 2.5, two calls": (
        '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "read", "arguments": {"path": "b"}}\n</tool_call>',
        [("read", {"path": "a"}), ("read", {"path": "b"})],
    ),
    "Qwen 3, after its thoughts": (
        "<think>\nShould I <tool_call>?\n</think>\n\n"
        '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>',
        [("read", {"path": "a"})],
    ),
    "SmolLM2, a list": (
        f"<tool_call>[{IN_PARIS}]</tool_call>",
        [PARIS],
    ),
    "Qwen 3 Coder": (
        "<tool_call>\n<function=read>\n<parameter=path>\nsrc/main.py\n</parameter>\n<parameter=lines>\n20\n</parameter>\n"
        "</function>\n</tool_call>",
        [("read", {"path": "src/main.py", "lines": 20})],
    ),
    "Llama 3.1, custom": (
        '<function=spotify_trending_songs>{"n": 5}</function><|eom_id|>',
        [("spotify_trending_songs", {"n": 5})],
    ),
    "Llama 3.1, JSON": (
        '<|python_tag|>{"name": "spotify_trending_songs", "parameters": {"n": 5}}',
        [("spotify_trending_songs", {"n": 5})],
    ),
    "Llama 3.2, pythonic": (
        "[get_user_info(user_id=7890, special='black')]<|eot_id|>",
        [("get_user_info", {"user_id": 7890, "special": "black"})],
    ),
    "Mistral 7B v0.3": (
        f"[TOOL_CALLS] [{IN_PARIS}]",
        [PARIS],
    ),
    "Mistral Small 3.2": (
        '[TOOL_CALLS]get_current_temperature[ARGS]{"location": "Paris, France", "unit": "celsius"}',
        [PARIS],
    ),
    "a fenced block, after an announcement": (
        'Let me look this up.\n\n```json\n{"name": "read", "arguments": {"path": "a"}}\n```',
        [("read", {"path": "a"})],
    ),
}


CALL = '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>'
NEAR_MISSES = {
    "followed by the report": f"{CALL}\nThe feeder costs $39.50 [P:B0C8Q1O0QK].",
    "in a framed report": f"<report>The page says {CALL}</report>\n{CALL}",
    "below a report's picks": f"Take the feeder.\n```picks\nP:B0C8Q1O0QK\n```\n{CALL}",
    "a tool that is not offered": CALL.replace("read", "reads").replace("reads", "read_all"),
    "quoted by a web page": 'A page orders: "<tool_call>{"name": "read", "arguments": {}}</tool_call>", which I leave.',
    "arguments that are no object": CALL.replace('{"path": "a"}', '["a"]'),
    "an end inside the arguments": CALL.replace('"a"', '"</tool_call>"'),
    "a block of another language": '```python\nread(path="a")\n```',
    "Python that does something": "[read(path=__import__('os').getcwd())]",
    "positional arguments": "[read('a')]",
    "a list of names": '["read"]',
    "numbers in a tag": '<tool_call>[1, "read"]</tool_call>',
    "a product's record": '{"name": "read", "price": 3}',
    "two blocks, one of text": '```text\nread\n```\n```json\n{"name": "read", "arguments": {"path": "a"}}\n```',
}


@pytest.mark.parametrize("text", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_what_only_looks_like_a_call_is_text(text: str) -> None:
    assert calls_in_text(text, NAMES) == (text, [])


@pytest.mark.parametrize(
    "opening", ["<tool_call>", "<function=read>", "[TOOL_CALLS]", "```json\n", "[read(", "{", "<think>"]
)
def test_hostile_lengths_are_read_in_no_time(opening: str) -> None:
    for text in (f"read {opening * 5000}", f"{opening}read{'[' * 9000}", f"read{opening}" * 3000):
        assert calls_in_text(text, NAMES)[1] == []


@pytest.mark.anyio
@pytest.mark.parametrize(("text", "calls"), CARDS.values(), ids=CARDS)
async def test_a_servers_literal_output_becomes_calls_that_are_counted_but_not_in_the_last_turn(
    tmp_path: Any, text: str, calls: list[Any]
) -> None:
    assert "read" not in calls_in_text(text, NAMES)[0]
    with Provider(completes({"content": text}), completes({"content": text})) as provider:
        journal = Journal(tmp_path / "journal.jsonl")
        trajectory = Trajectory()
        models = Models({"researcher": opened("openai", provider)}, journal, trajectory)
        asked = [HumanMessage("How warm is it?")]
        answer = await models.call("researcher", asked, tools=TOOLS)
        assert [(call["name"], call["args"]) for call in answer.tool_calls] == calls
        assert len({call["id"] for call in answer.tool_calls}) == len(calls)
        last = await models.call("researcher", [*asked, answer, HumanMessage("Write.")], tools=TOOLS, may_call=False)
        assert (last.tool_calls, last.text) == ([], text)
        assert trajectory.setbacks().calls_from_text == len(calls)
