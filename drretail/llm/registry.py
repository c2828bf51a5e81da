"""Chat models by "provider:model", the offline ones through the same door."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from drretail.errors import UnknownName, UserError
from drretail.llm.providers import PROVIDERS, CallLimits, Provider
from drretail.records.base import Record
from drretail.records.run import ModelKind

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

OFFLINE = "offline"
LONGEST_PAUSE = 60
"""Seconds that clients wait at most between two attempts, when a server asks for it."""
# Name of an offline model → "module:attribute" of its policy.
OFFLINE_POLICIES = {
    "shopper": "drretail.llm.offline.shopper.policy:shop",
    "judge": "drretail.llm.offline.judge.policy:judge",
}
_NO_ENVIRONMENT: Mapping[str, str] = MappingProxyType({})


class ModelInfo(Record):
    """What stands in runs and verdicts about a model."""

    spec: str
    provider: str
    model: str
    kind: ModelKind


@dataclass(frozen=True, slots=True)
class Model:
    """A chat model ready to be called; ``params`` holds all that changes its answers (for the journal's key)."""

    spec: str
    chat: "BaseChatModel"
    info: ModelInfo
    params: dict[str, Any]
    seconds: float | None = None
    """The longest that one call may take with all its retries; None = as long as its client lets it."""


def open_model(
    spec: str,
    *,
    base_url: str | None = None,
    timeout: float = 120,
    max_retries: int = 5,
    max_tokens: int = 8000,
    environ: Mapping[str, str] = _NO_ENVIRONMENT,
) -> Model:
    """The model that "provider:model" names; nothing is sent yet.

    ``timeout`` is in seconds and for one attempt; ``environ`` is where keys are looked up. With ``base_url``
    no key is needed. Temperature is 0 where the model takes one, and absent elsewhere.
    Raises UserError when the spec, the provider, its package or its key is missing or wrong.
    """
    provider_name, model_name = split_spec(spec)
    if provider_name == OFFLINE:
        return _open_offline(spec, model_name)
    provider = PROVIDERS[provider_name]
    _require_package(spec, provider)
    limits = CallLimits(timeout, max_retries, max_tokens, base_url)
    arguments = provider.settings(limits) | _key(spec, provider, limits, environ)
    chat, temperature = _build(provider, model_name, arguments)
    params: dict[str, Any] = {"max_tokens": max_tokens, **temperature}
    if base_url is not None:
        params["base_url"] = base_url
    info = ModelInfo(spec=spec, provider=provider_name, model=model_name, kind="llm")
    return Model(spec, chat, info, params, seconds=(timeout + LONGEST_PAUSE) * (max_retries + 1))


def split_spec(spec: str) -> tuple[str, str]:
    """("provider", "model") of a spec; UserError without a model or with a provider that nothing goes by."""
    provider, _, model = spec.partition(":")
    known = (*PROVIDERS, OFFLINE)
    if provider not in known and not model:
        raise UserError(
            f"{spec!r} names no provider: write provider:model, such as anthropic:claude-sonnet-5 or offline:shopper."
        )
    if provider not in known:
        raise UnknownName("model provider", provider, known)
    if not model:
        raise UserError(f"{spec!r} names no model: write {provider}:MODEL.")
    return provider, model


def _open_offline(spec: str, name: str) -> Model:
    if name not in OFFLINE_POLICIES:
        raise UnknownName("offline model", name, OFFLINE_POLICIES)
    from drretail.llm.offline.chat import OfflineChat

    module, _, attribute = OFFLINE_POLICIES[name].partition(":")
    chat = OfflineChat(policy=getattr(importlib.import_module(module), attribute), model=name)
    return Model(spec, chat, ModelInfo(spec=spec, provider=OFFLINE, model=name, kind="rule_based"), {})


def _require_package(spec: str, provider: Provider) -> None:
    if find_spec(provider.package) is None:
        wanted = "drretail" if provider.extra is None else f"'drretail[{provider.extra}]'"
        raise UserError(f"The model {spec} needs the package {provider.package}: run pip install {wanted}.")


def _key(spec: str, provider: Provider, limits: CallLimits, environ: Mapping[str, str]) -> dict[str, str]:
    if not provider.key_variables:
        return {}
    found = next((environ[name] for name in provider.key_variables if environ.get(name)), None)
    if found is None and limits.base_url is None:
        names = " or ".join(provider.key_variables)
        raise UserError(
            f"The model {spec} needs an API key: set the environment variable {names}, or use offline:shopper."
        )
    return {"api_key": found or "none"}


def _build(provider: Provider, model: str, arguments: dict[str, Any]) -> tuple["BaseChatModel", dict[str, float]]:
    """The chat model and the temperature it was given: only a built model knows its own profile."""
    from langchain.chat_models import init_chat_model

    chat: BaseChatModel = init_chat_model(model, model_provider=provider.langchain_name, **arguments)
    profile: Mapping[str, Any] = chat.profile or {}
    if not profile.get("temperature", provider.sends_temperature):
        return chat, {}
    arguments = arguments | {"temperature": 0}
    return init_chat_model(model, model_provider=provider.langchain_name, **arguments), {"temperature": 0}
