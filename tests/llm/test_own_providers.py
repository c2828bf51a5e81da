"""Providers that a plugin or a module of one's own brings."""

import asyncio
from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import HumanMessage

from drretail.errors import UnknownName, UserError
from drretail.llm.calling import answer_of
from drretail.llm.providers import Asked, Provider, provider_names
from drretail.llm.registry import open_model
from drretail.llm.scripted import scripted_model
from tests.tools.test_own import points

PLACE = "tests.llm.test_own_providers:open_chat"


def open_chat(model: str, asked: Asked) -> BaseChatModel:
    """Echoes how it was asked for."""
    text = f"{model}, {asked.limits.max_tokens} tokens, {asked.environ.get('ACME_KEY')}"
    return scripted_model(play=lambda _: text).chat


ACME = Provider("openai", "langchain_openai", None, ("ACME_KEY",), lambda limits: {"timeout": limits.timeout})
NOTHING = 7


def said(spec: str, **given: Any) -> str:
    model = open_model(spec, max_tokens=99, environ={"ACME_KEY": "key"}, **given)
    return asyncio.run(answer_of(model, [HumanMessage("Hi.")])).text


def test_a_plugin_opens_its_models_by_the_name_of_its_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.plugins.entry_points", points(acme=PLACE))
    assert "acme" in provider_names()
    assert said("acme:large") == "large, 99 tokens, key"
    model = open_model("acme:large:v2", seed=7, timeout=10, max_retries=1)
    assert model.info.model_dump() == {"spec": "acme:large:v2", "provider": "acme", "model": "large:v2", "kind": "llm"}
    assert model.params == {"max_tokens": 8000, "seed": 7}
    assert (model.retrying.retries, model.seconds) == (1, (10 + 60) * 2)
    with pytest.raises(UserError, match="'acme' names no"):
        open_model("acme")


def test_a_place_opens_models_too_with_or_without_the_name_of_one() -> None:
    assert said(f"{PLACE}:large") == "large, 99 tokens, key"
    assert said(PLACE) == ", 99 tokens, key"
    assert open_model(f"{PLACE}:large").info.provider == PLACE


def test_a_provider_that_langchain_knows_is_described_and_not_programmed() -> None:
    pytest.importorskip("langchain_openai")
    chat: Any = open_model("tests.llm.test_own_providers:ACME:m", environ={"ACME_KEY": "key"}, timeout=12).chat
    assert (chat.model_name, chat.request_timeout) == ("m", 12)
    with pytest.raises(UserError, match="set the environment variable ACME_KEY"):
        open_model("tests.llm.test_own_providers:ACME:m")


@pytest.mark.parametrize("spec", ["opena:gpt-5", "antropic:claude", "offlin:shopper", "scriptd:answers.toml"])
def test_a_wrong_name_is_told_the_nearest(spec: str) -> None:
    with pytest.raises(UnknownName, match=r"There is no model provider .* Did you mean"):
        open_model(spec)


def test_a_place_that_holds_no_provider_is_refused() -> None:
    with pytest.raises(UserError, match=r"is not a model .its type is int.: make it a"):
        open_model("tests.llm.test_own_providers:NOTHING")
    with pytest.raises(UserError, match="cannot be loaded"):
        open_model("tests.llm.test_own_providers:MISSING")
