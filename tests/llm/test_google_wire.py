"""The real Google client against a local server: what goes out, tools there and back, usage, and how it fails."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from drretail.errors import ModelError, ModelErrorKind
from drretail.llm.calling import answer_of
from drretail.llm.faults import usage_of
from drretail.llm.registry import Model, open_model
from drretail.llm.structured import structured
from drretail.records.run import Usage

from .gemini import blocked, call, refuses, says, text
from .provider import Provider, Step
from .test_anthropic_wire import TOOL

pytest.importorskip("langchain_google_genai")
pytestmark = pytest.mark.anyio
KEY = "AIza-test-0123456789"
MESSAGES = [SystemMessage("You shop."), HumanMessage("Which dog bed?")]
TOO_LONG = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."


# A client that is thrown away closes its connections in whatever event loop runs by then, which is another test's.
KEPT: list[Model] = []


def model_at(provider: Provider, **given: Any) -> Model:
    settings: dict[str, Any] = {
        "base_url": provider.url,
        "timeout": 5,
        "max_tokens": 700,
        "environ": {"GOOGLE_API_KEY": KEY},
    }
    model = open_model("google:gemini-2.5-flash", **(settings | given))
    KEPT.append(model)
    return model


async def asked(*script: Step, **given: Any) -> tuple[AIMessage, Provider]:
    with Provider(*script) as provider:
        return await answer_of(model_at(provider, **given), MESSAGES), provider


async def test_the_request_holds_length_seed_temperature_0_and_the_key_in_a_header() -> None:
    answer, provider = await asked(says(text("Take it.")), seed=7)
    assert answer.text == "Take it."
    (request,) = provider.seen
    assert request.path == "/v1beta/models/gemini-2.5-flash:generateContent"
    sent = request.body["generationConfig"]
    assert (sent["maxOutputTokens"], sent["temperature"], sent["seed"]) == (700, 0, 7)
    assert request.body["systemInstruction"]["parts"] == [{"text": "You shop."}]
    assert request.headers["x-goog-api-key"] == KEY


async def test_a_round_with_a_tool_goes_there_and_back() -> None:
    with Provider(says(call("get_product_details", product_id="B1")), says(text("Take it."))) as provider:
        model = model_at(provider)
        chat = model.chat.bind_tools([TOOL])
        first = await answer_of(model, MESSAGES, chat=chat)
        reply = ToolMessage('{"title":"Bed"}', tool_call_id=first.tool_calls[0]["id"])
        last = await answer_of(model, [*MESSAGES, first, reply], chat=chat)
    assert first.tool_calls[0]["args"] == {"product_id": "B1"}
    assert last.text == "Take it."
    (declared,) = provider.seen[0].body["tools"][0]["functionDeclarations"]
    assert declared["name"] == "get_product_details"
    response = provider.seen[1].body["contents"][2]["parts"][0]["functionResponse"]
    assert (response["name"], response["response"]) == ("get_product_details", {"title": "Bed"})


async def test_tools_that_may_not_be_called_are_sent_with_that_word() -> None:
    with Provider(says(text("Enough."))) as provider:
        model = model_at(provider)
        await answer_of(model, MESSAGES, chat=model.chat.bind_tools([TOOL], tool_choice="none"))
    assert provider.seen[0].body["toolConfig"]["functionCallingConfig"]["mode"] == "NONE"


async def test_cached_and_thought_tokens_are_counted_once() -> None:
    answer, _ = await asked(says(text("Take it."), prompt=40, candidates=6, thoughts=5, cached=10))
    assert usage_of(answer) == Usage(calls=1, input_uncached=30, cache_read=10, output=11)


async def test_a_schema_goes_out_as_one() -> None:
    schema: dict[str, Any] = {"title": "A", "type": "object", "properties": {"n": {"type": "integer"}}}
    with Provider(says(text('{"n": 3}'))) as provider:
        model = model_at(provider)
        bound = structured(model, schema)
        assert bound is not None
        answer = await answer_of(model, MESSAGES, chat=bound)
    assert answer.text == '{"n": 3}'
    sent = provider.seen[0].body["generationConfig"]
    assert (sent["responseMimeType"], sent["responseJsonSchema"]) == ("application/json", schema)


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (says(text("half"), finish="MAX_TOKENS"), "unusable"),
        (says(finish="SAFETY"), "refusal"),
        (says(finish="PROHIBITED_CONTENT"), "refusal"),
        (blocked(), "refusal"),
        (says(), "unusable"),
        (refuses(400), "model"),
        (refuses(400, TOO_LONG), "context_overflow"),
        (refuses(429), "model"),
        (refuses(503), "model"),
        (Step(200, b'{"candidates"'), "model"),
        (Step(drop=True), "model"),
    ],
)
async def test_failures_have_the_same_kinds_as_elsewhere(step: Step, kind: ModelErrorKind) -> None:
    with pytest.raises(ModelError) as caught:
        await asked(*[step] * 6, max_retries=0)
    assert caught.value.kind == kind


async def test_what_passes_by_itself_is_tried_again() -> None:
    answer, provider = await asked(refuses(503), says(text("Take it.")), max_retries=1)
    assert answer.text == "Take it."
    assert len(provider.seen) == 2


async def test_a_stalled_server_is_a_timeout() -> None:
    with pytest.raises(ModelError) as caught:
        await asked(*[says(text("late"), pause=0.5)] * 3, timeout=0.2, max_retries=0)
    assert caught.value.kind == "timeout"


async def test_no_error_message_holds_the_key() -> None:
    with pytest.raises(ModelError) as caught:
        await asked(refuses(400, f"API key not valid: {KEY}"))
    assert KEY not in caught.value.message
