"""The real OpenAI client against an OpenAI-compatible server: tools there and back."""

import json

import pytest
from langchain_core.messages import HumanMessage, ToolMessage

from drretail.errors import ModelError, ModelErrorKind
from drretail.llm.calling import answer_of
from drretail.llm.faults import usage_of
from drretail.llm.registry import Model, open_model
from drretail.llm.retries_and_rates import Retrying
from drretail.records.run import Usage

from .provider import Provider, Step, completes
from .test_anthropic_wire import TOOL

pytest.importorskip("langchain_openai")
pytestmark = pytest.mark.anyio
QUESTION = HumanMessage("Which dog bed?")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def model_at(url: str, timeout: float = 5) -> Model:
    retrying = Retrying(1, first=0.01)
    return open_model("openai:local-model", base_url=f"{url}/v1", timeout=timeout, retrying=retrying)


def calls(name: str, **args: str) -> Step:
    function = {"name": name, "arguments": json.dumps(args)}
    return completes(
        {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}, "tool_calls"
    )


async def test_a_round_with_a_tool_goes_there_and_back_without_a_key() -> None:
    with Provider(calls("get_product_details", product_id="B1"), completes({"content": "Take it."})) as provider:
        model = model_at(provider.url)
        chat = model.chat.bind_tools([TOOL])
        first = await answer_of(model, [QUESTION], chat=chat)
        reply = ToolMessage('{"title":"Bed"}', tool_call_id=first.tool_calls[0]["id"])
        last = await answer_of(model, [QUESTION, first, reply], chat=chat)
    assert first.tool_calls[0]["args"] == {"product_id": "B1"}
    assert last.text == "Take it."
    assert usage_of(last) == Usage(calls=1, input_uncached=30, output=5)
    sent = provider.seen[0]
    assert sent.path == "/v1/chat/completions"
    assert (sent.body["temperature"], sent.body["max_tokens"]) == (0, 8000)
    assert sent.body["tools"][0]["function"]["name"] == "get_product_details"
    assert [message["role"] for message in provider.seen[1].body["messages"]] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (completes({"content": "half"}, "length"), "unusable"),
        (completes({"content": ""}, "content_filter"), "refusal"),
        (completes({"content": None, "refusal": "I can't."}), "refusal"),
        (completes({"content": ""}), "unusable"),
        (Step(200, b"{"), "model"),
        (Step(200, b'{"error": {"message": "no such model"}}'), "model"),
    ],
)
async def test_failures_have_the_same_kinds_as_elsewhere(step: Step, kind: ModelErrorKind) -> None:
    with Provider(*[step] * 6) as provider, pytest.raises(ModelError) as caught:
        await answer_of(model_at(provider.url), [QUESTION])
    assert caught.value.kind == kind


async def test_a_stalled_server_is_a_timeout() -> None:
    slow = Step(200, b"{}", pause=0.6)
    with Provider(slow, slow) as provider, pytest.raises(ModelError) as caught:
        await answer_of(model_at(provider.url, timeout=0.2), [QUESTION])
    assert caught.value.kind == "timeout"
