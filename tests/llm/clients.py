"""The real client of every provider, with what a local server in the provider's place says to it and is sent."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from drretail.errors import CommandStopped, ModelError
from drretail.llm.calling import Attempts, answer_of
from drretail.llm.providers import Retrying
from drretail.llm.registry import Model, build_model

from . import gemini, ollama
from .provider import Provider, Request, Step, answers, completes

KEY = "sk-test-0123456789abcdef"
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_product_details",
        "description": "Gives one product.",
        "parameters": {
            "type": "object",
            "properties": {"product_id": {"type": "string", "description": "Its id."}},
            "required": ["product_id"],
        },
    },
}
CALLED = {"name": "get_product_details", "arguments": '{"product_id": "B1"}'}
# A client that is thrown away closes its connections in whatever event loop runs by then, which is another test's.
KEPT: list[Model] = []
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Client:
    """One provider's client."""

    spec: str
    path: str
    """Where its questions go."""
    says: Callable[[str], Step]
    calls: Step
    """An answer that calls ``TOOL`` for the product B1."""
    declared: Callable[[Body], str]
    """The name of the one tool of a request."""
    replied: Callable[[Body], Any]
    """What the tool gave, in the request that goes on."""
    root: str = ""
    """What its base URL ends with."""
    package: str = ""


CLIENTS = {
    "anthropic": Client(
        "anthropic:claude-sonnet-5",
        "/v1/messages",
        lambda text: answers({"type": "text", "text": text}),
        answers(
            {"type": "tool_use", "id": "toolu_1", "name": "get_product_details", "input": {"product_id": "B1"}},
            stop_reason="tool_use",
        ),
        lambda body: body["tools"][0]["name"],
        lambda body: json.loads(body["messages"][-1]["content"][0]["content"]),
    ),
    "openai": Client(
        "openai:local",
        "/v1/chat/completions",
        lambda text: completes({"content": text}),
        completes(
            {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": CALLED}]}, "tool_calls"
        ),
        lambda body: body["tools"][0]["function"]["name"],
        lambda body: json.loads(body["messages"][-1]["content"]),
        root="/v1",
    ),
    "ollama": Client(
        "ollama:qwen3:8b",
        "/api/chat",
        ollama.says,
        ollama.says("", {"name": "get_product_details", "args": {"product_id": "B1"}}),
        lambda body: body["tools"][0]["function"]["name"],
        lambda body: json.loads(body["messages"][-1]["content"]),
    ),
    "google": Client(
        "google:gemini-2.5-flash",
        "models/gemini-2.5-flash:generateContent",
        lambda text: gemini.says(gemini.text(text)),
        gemini.says(gemini.call("get_product_details", product_id="B1")),
        lambda body: body["tools"][0]["functionDeclarations"][0]["name"],
        lambda body: body["contents"][-1]["parts"][0]["functionResponse"]["response"],
        package="langchain_google_genai",
    ),
}


def opened(name: str, provider: Provider, **given: Any) -> Model:
    """The provider's client at a local server; the test is skipped where its package is missing."""
    client = CLIENTS[name]
    pytest.importorskip(client.package or f"langchain_{name}")
    settings: dict[str, Any] = {"timeout": 5, "environ": {"ANTHROPIC_API_KEY": KEY, "GOOGLE_API_KEY": KEY}}
    KEPT.append(build_model(client.spec, base_url=provider.url + client.root, **(settings | given)))
    return KEPT[-1]


MESSAGES: list[BaseMessage] = [HumanMessage("Which dog bed?")]


class Sleeps:
    """Keeps what was slept, and returns at once."""

    def __init__(self) -> None:
        self.all: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.all.append(seconds)


@dataclass(frozen=True)
class Called:
    """What came of a call, and what it took."""

    outcome: AIMessage | ModelError | CommandStopped
    attempts: Attempts
    requests: list[Request]
    slept: list[float]

    @property
    def answer(self) -> AIMessage:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    @property
    def problem(self) -> ModelError:
        assert isinstance(self.outcome, ModelError), self.outcome
        return self.outcome


async def called(
    name: str,
    *script: Step,
    messages: Sequence[BaseMessage] = MESSAGES,
    retries: int = 2,
    chat: Callable[[Model], Any] = lambda model: model.chat,
    schema: dict[str, Any] | None = None,
    changed: Mapping[str, Any] | None = None,
    **given: Any,
) -> Called:
    """A call of the provider's client, at a server with this script; ``changed`` are fields of the opened model.

    Pauses are the longest that they can be, and over at once.
    """
    attempts, sleeps = Attempts(), Sleeps()
    with Provider(*script) as provider:
        model = opened(name, provider, retrying=Retrying(retries, chance=lambda: 1.0, sleep=sleeps), **given)
        model = replace(model, **(changed or {}))
        try:
            outcome = await answer_of(model, messages, chat=chat(model), schema=schema, attempts=attempts)
        except (ModelError, CommandStopped) as problem:
            outcome = problem
    return Called(outcome, attempts, provider.seen, sleeps.all)
