"""Models by name: which are opened, and what a wrong name is told. Also tests records/models.py."""

import asyncio
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import HumanMessage

from drretail.errors import UserError, install_line
from drretail.experiments.journal import Journal, read_effects
from drretail.llm.calling import answer_of
from drretail.llm.models import Models
from drretail.llm.prices import priced
from drretail.llm.providers import Asked, Provider, provider_names, read_model_profile, shipped_profiles
from drretail.llm.registry import DEFAULT_CONTEXT, Model, build_model, open_recorded
from drretail.llm.scripted import scripted_model
from drretail.records.models import ModelProfile, RoleChoice
from drretail.records.run import RoleModel, Usage
from drretail.records.trajectory import Trajectory
from drretail.tools.registry import openai_schemas
from tests.llm.clients import opened
from tests.llm.provider import Provider as AtProvider
from tests.llm.provider import completes
from tests.tools.test_registry import points

KEYS = {"ANTHROPIC_API_KEY": "k" * 20, "OPENAI_API_KEY": "k" * 20, "GOOGLE_API_KEY": "k" * 20}
LOCAL = {"base_url": "http://localhost:1/v1"}


def test_a_context_is_as_stated_else_as_the_models_profile_says() -> None:
    known = build_model("anthropic:claude-sonnet-5", environ=KEYS)
    assert known.context == (known.chat.profile or {}).get("max_input_tokens") != DEFAULT_CONTEXT
    assert replace(known, stated_context=5000).context == 5000
    assert build_model("ollama:qwen3:8b", context=16_384).context == 16_384
    assert build_model("openai:not-known-yet", environ=KEYS).context == DEFAULT_CONTEXT


@pytest.mark.parametrize(
    ("spec", "environ", "message"),
    [
        ("claude-sonnet-5", KEYS, "names no provider"),
        ("antropic:claude-sonnet-5", KEYS, "Did you mean anthropic"),
        ("offline:shoper", KEYS, "Did you mean shopper"),
        ("anthropic:claude-sonnet-5", {}, "ANTHROPIC_API_KEY"),
        ("google:gemini-2.5-pro", {}, "GOOGLE_API_KEY or GEMINI_API_KEY"),
    ],
)
def test_a_wrong_spec_or_a_missing_key_is_one_sentence(spec: str, environ: Mapping[str, str], message: str) -> None:
    with pytest.raises(UserError) as caught:
        build_model(spec, environ=environ)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_known_of_models_without_their_packages_is_what_these_say(monkeypatch: pytest.MonkeyPatch) -> None:
    specs = tomllib.loads((files("drretail.llm") / "known_models.toml").read_text(encoding="utf-8"))["models"]
    real = [build_model(spec, environ=KEYS) for spec in specs]
    monkeypatch.setattr("drretail.llm.registry.find_spec", lambda name: None)
    known = [build_model(spec, sends=False) for spec in specs]
    assert [(each.context, each.params) for each in known] == [(each.context, each.params) for each in real]
    with pytest.raises(UserError, match=re.escape(f": {install_line('openai')}.")):
        build_model("openai:gpt-4.1", environ=KEYS)


def test_tool_turns_replay_without_their_providers_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def asked(model: Model, **journal: Any) -> str:
        models = Models({"researcher": model}, Journal(**journal), Trajectory())
        return asyncio.run(models.call("researcher", [HumanMessage("Hi.")], tools=openai_schemas())).text

    with AtProvider(completes({"content": "Hello."})) as provider:
        model = opened("openai", provider)
        assert asked(model, path=tmp_path / "journal.jsonl") == "Hello."
    monkeypatch.setattr("drretail.llm.registry.find_spec", lambda name: None)
    again = open_recorded(RoleModel(spec=model.spec, kind="llm"), model.params)
    assert asked(again, replay=read_effects(tmp_path / "journal.jsonl")) == "Hello."


@pytest.mark.parametrize(
    ("spec", "given", "field"),
    [
        ("openai:gpt-4.1", {}, {"max_tokens": 2000, "temperature": 0}),
        ("openai:gpt-5", {}, {"max_tokens": 10_000, "temperature": None}),
        ("openai:local", LOCAL, {"extra_body": {"max_tokens": 2000}}),
        ("openai:local", LOCAL | {"thinking_tokens": 500}, {"extra_body": {"max_tokens": 2500}}),
        ("ollama:qwen3:8b", {}, {"num_predict": 2000}),
        ("anthropic:claude-sonnet-5", {}, {"max_tokens": 10_000, "temperature": None}),
        ("anthropic:claude-sonnet-5", {"thinking_tokens": 0}, {"max_tokens": 2000}),
    ],
)
def test_room_to_think_is_told_in_each_providers_word_and_no_refused_temperature(
    spec: str, given: dict[str, Any], field: dict[str, Any]
) -> None:
    chat = build_model(spec, environ=KEYS, **given).answering("summariser").chat
    assert {name: getattr(chat, name) for name in field} == field


PLACE = "tests.llm.test_registry:open_chat"


def open_chat(model: str, asked: Asked) -> BaseChatModel:
    """Echoes how it was asked for."""
    answer = f"{model}, {asked.limits.max_tokens} tokens, {asked.environ.get('ACME_KEY')}"
    return scripted_model(play=lambda _: answer).chat


ACME = Provider(
    "langchain_openai:ChatOpenAI", "langchain_openai", ("ACME_KEY",), lambda limits: {"timeout": limits.timeout}
)


def echoed(spec: str, **given: Any) -> str:
    model = build_model(spec, max_tokens=99, environ={"ACME_KEY": "key"}, **given)
    return asyncio.run(answer_of(model, [HumanMessage("Hi.")])).text


def test_a_plugin_opens_its_models_by_the_name_of_its_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.plugins.entry_points", points(acme=PLACE))
    assert "acme" in provider_names()
    assert echoed("acme:large") == "large, 99 tokens, key"
    model = build_model("acme:large:v2", seed=7, timeout=10, max_retries=1)
    assert model.info.model_dump() == {"spec": "acme:large:v2", "provider": "acme", "model": "large:v2", "kind": "llm"}
    assert model.params == {"max_tokens": 8000, "seed": 7}
    assert (model.retrying.retries, model.seconds) == (1, (10 + 60) * 2)
    with pytest.raises(UserError, match="'acme' names no"):
        build_model("acme")


def test_a_place_opens_models_too_with_or_without_the_name_of_one() -> None:
    assert echoed(f"{PLACE}:large") == "large, 99 tokens, key"
    assert echoed(PLACE) == ", 99 tokens, key"
    assert build_model(f"{PLACE}:large").info.provider == PLACE


def test_a_provider_that_langchain_knows_is_described_and_not_programmed() -> None:
    pytest.importorskip("langchain_openai")
    chat: Any = build_model("tests.llm.test_registry:ACME:m", environ={"ACME_KEY": "key"}, timeout=12).chat
    assert (chat.model_name, chat.request_timeout) == ("m", 12)
    with pytest.raises(UserError, match="set the environment variable ACME_KEY"):
        build_model("tests.llm.test_registry:ACME:m")


@pytest.mark.parametrize("name", sorted(shipped_profiles()))
def test_every_profile_that_ships_opens_says_why_and_has_prices(name: str) -> None:
    profile = read_model_profile(name)
    assert profile.why.endswith(".")
    for choice in (profile.choice(""), *profile.judges):
        given = choice.model_dump(exclude={"model", "timeout", "retries"}, exclude_none=True)
        assert build_model(choice.model, environ=KEYS, **given).spec == choice.model
        assert name == "local" or priced(Usage(input_uncached=9), choice.model, choice.base_url).dollars, choice.model


def test_a_role_takes_what_it_says_and_ones_own_profile_comes_before_one_that_ships() -> None:
    report = RoleChoice(model="openai:b", max_tokens=9000)
    profile = ModelProfile(why="w", model="openai:a", temperature=0.7, seed=3, roles={"report": report})
    asked = profile.choice("report")
    assert (asked.model, asked.max_tokens, asked.temperature, asked.seed) == ("openai:b", 9000, 0.7, 3)
    assert profile.choice("synthesis").model == "openai:a"
    assert read_model_profile("cheap", {"cheap": profile}) is profile
    with pytest.raises(UserError, match="Did you mean cheap"):
        read_model_profile("chep")
