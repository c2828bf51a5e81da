"""Opens chat models by "provider:model", the offline ones too.

A model of the user's own is a LangChain chat model at ``module:attribute``, or a function without arguments that
returns one. A provider of the user's own (an entry point of drretail.models, or ``module:attribute:model``) is a
Provider or an Opening.
"""

import importlib
import inspect
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from drretail.errors import DrretailError, UnknownName, UserError, describe_error, install_line, plain_address, quoted
from drretail.llm.faults import Halt
from drretail.llm.prices import priced, unpriced
from drretail.llm.providers import (
    MODELS,
    OFFLINE,
    ONCE,
    PROVIDERS,
    STREAM_TIMEOUTS,
    Asked,
    CallLimits,
    Opening,
    Pacer,
    Provider,
    Retrying,
    provider_names,
)
from drretail.plugins import Plugins
from drretail.records.base import ModelKind, Record
from drretail.records.models import (
    ANSWER_TOKENS,
    DEFAULT_CONTEXT,
    DEFAULT_MAX_TOKENS,
    THINKING_TOKENS,
)
from drretail.records.run import RoleModel, Usage

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

LONGEST_PAUSE = 60
"""Seconds that each attempt may take beyond its time-out, for the pause before it."""
# Loaded by name only: the rule-based models are in a layer above this one.
OFFLINE_CHAT = "drretail.llm.offline.chat:OfflineChat"
# Name of an offline model → "module:attribute" of its policy.
OFFLINE_POLICIES = {
    "shopper": "drretail.llm.offline.shopper:shop",
    "judge": "drretail.llm.offline.judge:judge_offline",
}
OWN = Plugins("model", {}, MODELS.group)
"""Models of the user's own, by their place."""
_NO_ENVIRONMENT: Mapping[str, str] = MappingProxyType({})
_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")
"""The date of a model's version in its name."""


class ModelInfo(Record):
    """What runs and verdicts record about a model."""

    spec: str
    provider: str
    model: str
    kind: ModelKind


@dataclass(frozen=True, slots=True)
class Model:
    """A chat model ready to be called. ``params`` holds every setting that changes its answers, for the journal."""

    spec: str
    opening: Callable[[], "BaseChatModel"]
    """Returns its chat model. One by rules is made when it is first asked: a judge seldom is, and to import LangChain
    takes longer than most commands.
    """
    info: ModelInfo
    params: dict[str, Any]
    seconds: float | None = None
    """Seconds that one call may take with all its retries and pauses; None = as long as its client allows."""
    attempt_seconds: float | None = None
    """Seconds that one attempt may take; None = as long as its client allows."""
    refused: set[str] = field(default_factory=set[str])
    """Arguments of a request, and forms of an answer, that its server refused in this process: never sent again."""
    retrying: Retrying = ONCE
    pacer: Pacer = field(default_factory=Pacer)
    """Shared by all models of its provider."""
    streamed: bool = False
    """True if its answers come in pieces."""
    lengths: Callable[[int], dict[str, Any]] | None = None
    """Gives the chat model's fields for a longest answer in tokens; None if the model is the user's own."""
    longest: int | None = None
    """Tokens that an answer may have; None = as its purpose takes."""
    thinking: int = 0
    """Tokens that it may think before each answer."""
    stated_context: int | None = None
    """Tokens of a conversation, if the user says how many the model holds."""
    halt: Halt = field(default_factory=Halt)
    """Shared by all models of a command."""
    key_variables: tuple[str, ...] = ()
    """The environment variable that its key is from; all that may hold it if none is set."""

    @property
    def chat(self) -> "BaseChatModel":
        return self.opening()

    def priced(self, usage: Usage) -> Usage:
        """The usage of its calls, with their price."""
        return priced(usage, self.spec, self.params.get("base_url"))

    def with_chat(self, chat: "BaseChatModel") -> "Model":
        return replace(self, opening=lambda: chat)

    def answering(self, purpose: str) -> "Model":
        """The model with the longest answer that the purpose takes (a role, "extraction").

        To a journal it is the same model, since an answer that was cut is never kept.
        """
        if self.longest is not None:
            return self
        wanted = ANSWER_TOKENS.get(purpose, DEFAULT_MAX_TOKENS) + self.thinking
        profile: Mapping[str, Any] = self.chat.profile or {}
        return self.at_most(min(wanted, profile.get("max_output_tokens") or wanted))

    def at_most(self, tokens: int) -> "Model":
        """The model with answers of at most so many tokens; unchanged if that can't be set."""
        fields = {} if self.lengths is None else self.lengths(tokens)
        if not fields or not fields.keys() <= type(self.chat).model_fields.keys():
            return self
        return replace(self.with_chat(self.chat.model_copy(update=fields)), longest=tokens)

    @property
    def context(self) -> int | None:
        """Tokens that it reads at once: as stated, by its profile, or ``DEFAULT_CONTEXT``; None for rules."""
        if self.info.kind == "rule_based":
            return None
        profile: Mapping[str, Any] = self.chat.profile or {}
        tokens = self.params.get("context") or self.stated_context or profile.get("max_input_tokens")
        return int(tokens or DEFAULT_CONTEXT)

    @property
    def asked(self) -> dict[str, Any]:
        """The parameters that are not defaults, ``own_server`` for an address. They tell two systems apart."""
        usual = {"max_tokens": DEFAULT_MAX_TOKENS, "context": DEFAULT_CONTEXT, "temperature": 0}
        params = self.params.items()
        stated = {name: value for name, value in params if name != "base_url" and value != usual.get(name)}
        return stated | ({"own_server": True} if "base_url" in self.params else {})


def open_recorded(model: RoleModel, params: Mapping[str, Any]) -> Model:
    """The model that a journal answers for, with the recorded parameters. It needs no key and no package, and nothing
    is imported on behalf of a folder that somebody hands over.
    """
    from drretail.llm.local_chat import Unasked

    provider, _, name = model.spec.partition(":")
    info = ModelInfo(spec=model.spec, provider=provider, model=name, kind=model.kind)
    return Model(model.spec, Unasked, info, {**params})


def build_model(
    spec: str,
    *,
    base_url: str | None = None,
    timeout: float = 120,
    max_retries: int = 5,
    max_tokens: int | None = None,
    thinking_tokens: int | None = None,
    temperature: float | None = None,
    seed: int | None = None,
    context: int | None = None,
    key_variable: str | None = None,
    stream: bool = False,
    retrying: Retrying | None = None,
    pacer: Pacer | None = None,
    halt: Halt | None = None,
    environ: Mapping[str, str] = _NO_ENVIRONMENT,
    sends: bool = True,
) -> Model:
    """The model that "provider:model" names; nothing is sent yet.

    ``timeout`` is in seconds and for one attempt. For a streamed answer it holds for each piece, and
    ``STREAM_TIMEOUTS`` times as much for the whole. ``environ`` is where keys are looked up, under ``key_variable`` if
    that is given. With ``base_url`` no key is needed.

    ``temperature`` None is 0 if the model takes one, and is left out otherwise. Without ``max_tokens`` an answer may be
    as long as its purpose takes (``Model.answering``), and ``thinking_tokens`` longer. ``seed`` and ``context`` (None
    is ``DEFAULT_CONTEXT``) go to the providers that take them.

    A model of the user's own is asked as it was made: only ``max_retries`` and ``context`` apply to it. With ``sends``
    False, as for an estimate or a replay, the provider's package may be missing: the model can then not be
    asked.

    Raises UserError if the spec, the provider, its package or its key is missing or wrong, and for a temperature above
    0 if the model takes none.
    """
    provider_name, model_name, provider = _parts(spec)
    limits = CallLimits(timeout, max_tokens or DEFAULT_MAX_TOKENS, base_url, seed, context or DEFAULT_CONTEXT, stream)
    retrying = retrying or Retrying(max_retries)
    calling: dict[str, Any] = {
        "seconds": (timeout + LONGEST_PAUSE) * (retrying.retries + 1),
        "refused": _refused(spec, base_url),
        "retrying": retrying,
        "pacer": pacer or Pacer(),
        "halt": halt or Halt(),
        "stated_context": context,
    }
    info = ModelInfo(spec=spec, provider=provider_name, model=model_name, kind="llm")
    if not isinstance(provider, Provider):
        opened = _opened(spec, provider, model_name, Asked(limits, temperature, environ, retrying))
        if isinstance(opened, Model):
            return opened if context is None else replace(opened, stated_context=context)
        params: dict[str, Any] = {"max_tokens": limits.max_tokens}
        optional = {"temperature": temperature, "seed": seed, "base_url": base_url and plain_address(base_url)}
        params |= {name: value for name, value in optional.items() if value is not None}
        return Model(spec, lambda: opened, info, params, **calling)
    is_installed = find_spec(provider.package) is not None
    if sends and not is_installed:
        raise UserError(f"The model {spec} needs one more package: {install_line(provider_name)}.")
    if is_installed:
        arguments = provider.settings(limits) | _key(spec, provider, base_url, key_variable, environ)
        chat, sampling = _build(spec, model_name, provider, arguments, temperature)
    else:
        # In place of the client whose package is not installed, with the model's profile from ``known_models.toml``.
        from drretail.llm.local_chat import Unasked

        table = tomllib.loads(Path(__file__).with_name("known_models.toml").read_text(encoding="utf-8"))["models"]
        profile: Any = table.get(spec) or table.get(_DATED.sub("", spec)) or {}
        chat, sampling = Unasked(profile=profile), _sampling(spec, profile, provider, temperature)
    params = {"max_tokens": limits.max_tokens, **sampling, **_sent(provider, limits)}
    calling["lengths"], calling["longest"] = partial(_length_fields, provider, limits), max_tokens
    if max_tokens is None:
        thinks = (chat.profile or {}).get("reasoning_output", False)
        calling["thinking"] = THINKING_TOKENS * thinks if thinking_tokens is None else thinking_tokens
    calling["key_variables"] = _key_variables(provider, key_variable, environ)
    calling["streamed"] = provider.streamed(limits)
    calling["attempt_seconds"] = timeout * (STREAM_TIMEOUTS if calling["streamed"] else 1)
    return Model(spec, lambda: chat, info, params, **calling)


@cache
def _refused(spec: str, base_url: str | None) -> set[str]:
    """What the model's server has refused in this process, which all models opened for it share."""
    del spec, base_url
    return set()


def _length_fields(provider: Provider, limits: CallLimits, longest: int) -> dict[str, Any]:
    """The provider's settings that change if an answer may have ``longest`` tokens."""
    usual, other = provider.settings(limits), provider.settings(replace(limits, max_tokens=longest))
    return {name: value for name, value in other.items() if value != usual[name]}


def check_priced(models: Iterable[Model]) -> None:
    """Raises UserError if the price of a model is unknown, so that dollars can't be limited."""
    unknown = [model.spec for model in models if model.priced(Usage(calls=1)).unpriced]
    if unknown:
        raise UserError(f"Dollars cannot be limited. {unpriced(unknown)}")


def check_spec(spec: str) -> None:
    """Raises UserError for a model without a provider."""
    name, _, model = spec.partition(":")
    if name not in provider_names() and not model:
        raise UserError(
            f"{spec!r} names no provider: write provider:model, such as anthropic:claude-sonnet-5 or offline:shopper."
        )


def _parts(spec: str) -> tuple[str, str, Provider | Opening]:
    """Provider, model, and what opens it, from "provider:model" or the user's own "module:attribute:model"."""
    check_spec(spec)
    name, _, model = spec.partition(":")
    providers = provider_names()
    if name in PROVIDERS:
        provider: object = PROVIDERS[name]
    elif name in providers:
        _, provider = MODELS.load(name)
    else:
        attribute, _, model = model.partition(":")
        try:
            _, provider = MODELS.load(f"{name}:{attribute}")
        except UserError as problem:
            missing = problem.__cause__  # a module that does not exist is reported as a misspelt provider
            if isinstance(missing, ModuleNotFoundError) and missing.name == name.partition(".")[0]:
                raise UnknownName(MODELS.what, name, providers) from problem
            raise
        return f"{name}:{attribute}", model, _opening(spec, provider)
    if not model:
        offered = "offline:shopper, or offline:judge for a judge" if name == OFFLINE else f"{name}:MODEL"
        raise UserError(f"{spec!r} names no model: write {offered}.")
    return name, model, _opening(spec, provider)


def _opening(spec: str, provider: object) -> Provider | Opening:
    if isinstance(provider, Provider):
        return provider
    if inspect.isfunction(provider):
        return cast(Opening, provider) if inspect.signature(provider).parameters else lambda name, asked: provider()
    from langchain_core.language_models.chat_models import BaseChatModel

    if isinstance(provider, BaseChatModel):
        return lambda name, asked: provider
    if callable(provider) and not isinstance(provider, type):
        return cast(Opening, provider)
    raise OWN.refused(spec, provider, "a LangChain chat model, a function that gives one, or a Provider")


def _opened(spec: str, opening: Opening, name: str, asked: Asked) -> "Model | BaseChatModel":
    """The model that the user's function returns for a name. Raises UserError if that is no chat model."""
    try:
        opened = cast(object, opening(name, asked))
    except DrretailError:
        raise
    # The boundary of a provider of the user's own.
    except (Exception, SystemExit) as problem:
        raise UserError(f"The model {quoted(spec)} cannot be opened: {describe_error(problem)}.") from problem
    if isinstance(opened, Model):
        return opened
    from langchain_core.language_models.chat_models import BaseChatModel

    if not isinstance(opened, BaseChatModel):
        raise UserError(f"The model {quoted(spec)} is not a chat model: its function returns {type(opened).__name__}.")
    return opened


def open_offline(name: str, asked: Asked) -> Model:
    """The rule-based model of that name. None of the settings changes it."""
    del asked
    if name not in OFFLINE_POLICIES:
        raise UnknownName("offline model", name, OFFLINE_POLICIES)
    opening = cache(lambda: _loaded(OFFLINE_CHAT)(policy=_loaded(OFFLINE_POLICIES[name]), model=name))
    spec = f"{OFFLINE}:{name}"
    return Model(spec, opening, ModelInfo(spec=spec, provider=OFFLINE, model=name, kind="rule_based"), {})


def _loaded(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _sent(provider: Provider, limits: CallLimits) -> dict[str, Any]:
    """The other settings that are sent and change answers."""
    sent: dict[str, Any] = {}
    if provider.takes_seed and limits.seed is not None:
        sent["seed"] = limits.seed
    if provider.takes_context:
        sent["context"] = limits.context
    if limits.base_url is not None:
        sent["base_url"] = plain_address(limits.base_url)
    return sent


def _key_variables(provider: Provider, key_variable: str | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The variable that holds the key; all that may hold it if none does."""
    if not provider.key_variables:
        return ()
    variables = provider.key_variables if key_variable is None else (key_variable,)
    variable = next((name for name in variables if environ.get(name)), None)
    return variables if variable is None else (variable,)


def _key(
    spec: str, provider: Provider, base_url: str | None, key_variable: str | None, environ: Mapping[str, str]
) -> dict[str, str]:
    variables = _key_variables(provider, key_variable, environ)
    if not variables:
        return {}
    key = environ.get(variables[0])
    if not key and base_url is None:
        raise UserError(
            f"The model {spec} needs an API key: set the environment variable {' or '.join(variables)}, name a "
            "server that needs none (--base-url ADDRESS), or use offline:shopper."
        )
    return {"api_key": key or "none"}


def _build(
    spec: str, model: str, provider: Provider, arguments: dict[str, Any], temperature: float | None
) -> tuple["BaseChatModel", dict[str, float]]:
    """The chat model and the temperature it was given. Only a built model knows its profile: it may be built twice."""
    opening = _loaded(provider.chat)
    chat: BaseChatModel = opening(model=model, **arguments)
    sampling = _sampling(spec, chat.profile or {}, provider, temperature)
    chat = opening(model=model, **arguments, **sampling) if sampling else chat
    for client in provider.redirected:
        attrgetter(client)(chat).follow_redirects = False
    return chat, sampling


def _sampling(spec: str, profile: Mapping[str, Any], provider: Provider, temperature: float | None) -> dict[str, float]:
    """The temperature to send, if the model takes one. Raises UserError for one above 0 if it takes none."""
    if profile.get("temperature", provider.sends_temperature):
        return {"temperature": temperature or 0}
    if temperature:
        raise UserError(f"The model {spec} takes no temperature: leave {temperature:g} away, or take another model.")
    return {}
