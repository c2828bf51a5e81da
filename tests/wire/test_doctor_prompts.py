"""``drretail doctor --prompts`` over the wire: requests and answers as a provider's, good ones and bad."""

import json

import pytest
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call

from tests.cli.commands import Command
from tests.doctor.acting import Answers, answer_to
from tests.wire import server
from tests.wire.server import WireServer
from tests.wire.speaking import Asked, Json

MODELS = {"anthropic": "anthropic:claude-sonnet-5", "openai": "openai:gpt-4.1"}


def spoken(changed: Answers):
    """How a server thinks that acts as ``changed`` says."""

    def thought(asked: Asked, answers: Json) -> AIMessage:
        del answers
        schema = None if asked.schema is None else asked.schema["title"]
        answer = answer_to(asked.messages, schema, changed)
        if answer.structured is not None:
            return AIMessage(json.dumps(answer.structured))
        calls = [tool_call(name=call.name, args=call.args, id=f"c{at}") for at, call in enumerate(answer.calls)]
        return AIMessage(answer.text, tool_calls=calls)

    return thought


def asked_of(
    drretail: Command, monkeypatch: pytest.MonkeyPatch, protocol: str, changed: Answers, *flags: str
) -> tuple[int, str, int]:
    """Exit code, stdout, and how many requests came."""
    monkeypatch.setattr(server, "thought", spoken(changed))
    with WireServer() as wire:
        url = wire.url if protocol == "anthropic" else wire.openai_url
        command = ["doctor", "--prompts", "--model", MODELS[protocol], "--base-url", f"{protocol}={url}", *flags]
        result = drretail(*command, ANTHROPIC_API_KEY="k" * 20, OPENAI_API_KEY="k" * 20)
        assert result.returncode in (0, 3), result.stderr
        return result.returncode, result.stdout, wire.seen.requests


@pytest.mark.parametrize("protocol", MODELS)
def test_a_model_that_does_as_asked_passes(drretail: Command, monkeypatch: pytest.MonkeyPatch, protocol: str) -> None:
    code, text, requests = asked_of(drretail, monkeypatch, protocol, {}, "--json")
    document = json.loads(text)
    assert [each["found"] for each in document["models"][0]["probes"] if each["state"] != "passed"] == []
    assert (code, document["ok"], requests) == (0, True, 8)
    assert document["models"][0]["usage"]["calls"] == 8
    assert all(turn["messages"] for turns in document["models"][0]["conversations"].values() for turn in turns)


def test_the_prompts_need_a_model_and_a_cap_needs_the_prompts(drretail: Command) -> None:
    assert drretail("doctor", "--prompts").returncode == 2
    result = drretail("doctor", "--max-dollars", "1")
    assert (result.returncode, "--max-dollars is for --prompts" in result.stderr) == (2, True)
