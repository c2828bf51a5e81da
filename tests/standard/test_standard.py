"""LangChain's own suite for chat models, run on the offline one and on the scripted one.

A run of its own, since the suite brings many pytest plugins:
    pip install --group standard-tests; python -m pytest -c tests/standard/pytest.ini tests/standard
It asks for an answer of the right form and never for a certain one: the scripted rules are as for any agent.
"""

from typing import Any, ClassVar

import pytest

pytest.importorskip("langchain_tests")

from langchain_core.messages import ToolMessage
from langchain_tests.integration_tests import ChatModelIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests

from drretail.llm.offline.chat import OfflineChat
from drretail.llm.registry import build_model
from drretail.llm.scripted import Request, ScriptedAnswer, ScriptedCall, ScriptedChat

SHOPPER = build_model("offline:shopper").chat
assert isinstance(SHOPPER, OfflineChat)
JOKE = {"setup": "Why did the cardinal leave?", "punchline": "The tray was empty."}
CALLS = {
    "magic_function": {"input": 3},
    "magic_function_no_args": {},
    "get_weather": {"location": "Boston"},
    "my_adder_tool": {"a": 1, "b": 2},
    "greeting_generator": {"answer_style": "pirate"},
    "unicode_customer": {"customer_name": "你好啊集团 こんにちは株式会社", "description": "A technology company"},
}


def play(request: Request) -> ScriptedAnswer:
    """A joke in the schema, a call of the first tool until it has answered, else a sentence."""
    if request.schema:
        return ScriptedAnswer(structured=JOKE)
    answered = bool(request.messages) and isinstance(request.messages[-1], ToolMessage)
    if request.tools and request.may_call and not answered:
        name = request.tools[0]
        return ScriptedAnswer(calls=(ScriptedCall(name=name, args=CALLS.get(name, {})),))
    return ScriptedAnswer(text="Take the tube feeder.")


class Shopper:
    chat_model_class = OfflineChat
    chat_model_params: ClassVar[dict[str, Any]] = {"policy": SHOPPER.policy}
    model_override_value = "another"


class Scripted:
    chat_model_class = ScriptedChat
    chat_model_params: ClassVar[dict[str, Any]] = {"play": play}
    model_override_value = "another"


class TestShopperUnit(Shopper, ChatModelUnitTests): ...


class TestShopperIntegration(Shopper, ChatModelIntegrationTests): ...


class TestScriptedUnit(Scripted, ChatModelUnitTests): ...


class TestScriptedIntegration(Scripted, ChatModelIntegrationTests): ...
