"""The providers: which package serves each, which variables hold its key, and how it spells our settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from drretail.llm.retries_and_rates import Retrying
from drretail.plugins import Plugins
from drretail.records.models import DEFAULT_CONTEXT

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

    from drretail.llm.registry import Model


STREAM_TIMEOUTS = 4
"""Time-outs that a streamed answer may take: a local model that writes 20 tokens a second needs 400 s for 8,000."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """``timeout`` in seconds for one attempt, ``max_tokens`` of one answer, ``context`` of one conversation.

    The clients are told to make no retries: retries are made by drretail, in the same way for all providers.
    """

    timeout: float
    max_tokens: int
    base_url: str | None = None
    seed: int | None = None
    context: int = DEFAULT_CONTEXT
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider that langchain opens. Without ``key_variables`` it needs no key.

    ``sends_temperature`` decides for models that have no profile.
    """

    langchain_name: str
    package: str
    key_variables: tuple[str, ...]
    settings: Callable[[CallLimits], dict[str, Any]]
    sends_temperature: bool = True
    takes_seed: bool = True
    takes_context: bool = False
    streams: Literal["asked", "always", "never"] = "never"
    """Whether its answers come in pieces: if asked to, always or never."""

    def streamed(self, limits: CallLimits) -> bool:
        """True if answers come in pieces, so that one that was cut may look whole."""
        return self.streams == "always" or (self.streams == "asked" and limits.stream)


@dataclass(frozen=True, slots=True)
class Asked:
    """The settings of a model, as an ``Opening`` gets them."""

    limits: CallLimits
    temperature: float | None
    """None = 0 if the model takes a temperature, otherwise none is sent."""
    environ: Mapping[str, str]
    """Where keys are looked up."""
    retrying: Retrying
    """How calls are retried. The client itself is to make one attempt."""


Opening = Callable[[str, Asked], "BaseChatModel | Model"]
"""Opens the model of that name; nothing is sent yet. Raises UserError for what the caller must mend.

A bare chat model is called as all others are: paced, retried, timed out. A ``Model`` sets all of this itself.
"""


def _anthropic(limits: CallLimits) -> dict[str, Any]:
    return {
        "timeout": limits.timeout,
        "max_retries": 0,
        "max_tokens": limits.max_tokens,
        **({"streaming": True} if limits.stream else {}),
        **_address(limits),
    }


def _openai(limits: CallLimits) -> dict[str, Any]:
    # langchain sends max_completion_tokens, which several compatible servers ignore; all of them know max_tokens.
    length = {"max_tokens": limits.max_tokens}
    return {
        "timeout": limits.timeout * (STREAM_TIMEOUTS if limits.stream else 1),
        "max_retries": 0,
        # Without stream_usage langchain asks servers at another address for no count of tokens.
        **({"streaming": True, "stream_usage": True} if limits.stream else {}),
        # Its own limit for a piece is 120 s, less than a slow server takes to read a long question.
        **({"stream_chunk_timeout": limits.timeout * STREAM_TIMEOUTS} if limits.stream else {}),
        **(length if limits.base_url is None else {"extra_body": length}),
        **_seed(limits),
        **_address(limits),
    }


def _ollama(limits: CallLimits) -> dict[str, Any]:
    return {
        "num_predict": limits.max_tokens,
        "num_ctx": limits.context,
        "client_kwargs": {"timeout": limits.timeout * STREAM_TIMEOUTS},
        **_seed(limits),
        **_address(limits),
    }


def _google(limits: CallLimits) -> dict[str, Any]:
    return {
        "timeout": limits.timeout,
        "max_retries": 1,  # this client counts attempts where the others count retries
        "max_output_tokens": limits.max_tokens,
        **_seed(limits),
        **_address(limits),
    }


def _address(limits: CallLimits) -> dict[str, Any]:
    return {} if limits.base_url is None else {"base_url": limits.base_url}


def _seed(limits: CallLimits) -> dict[str, Any]:
    return {} if limits.seed is None else {"seed": limits.seed}


PROVIDERS: dict[str, Provider] = {
    # Recent Claude models refuse a temperature, and the newest have no profile: without a profile none is sent.
    "anthropic": Provider(
        "anthropic",
        "langchain_anthropic",
        ("ANTHROPIC_API_KEY",),
        _anthropic,
        sends_temperature=False,
        takes_seed=False,
        streams="asked",
    ),
    "openai": Provider("openai", "langchain_openai", ("OPENAI_API_KEY",), _openai, streams="asked"),
    "ollama": Provider("ollama", "langchain_ollama", (), _ollama, takes_context=True, streams="always"),
    "google": Provider("google_genai", "langchain_google_genai", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), _google),
}
"""The providers that langchain opens."""
OFFLINE = "offline"
MODELS = Plugins(
    "model provider",
    {OFFLINE: "drretail.llm.registry:open_offline", "scripted": "drretail.llm.scripted:open_scripted"},
    "drretail.models",
)
"""Providers that open their models themselves, as an ``Opening``. A plugin may also be a ``Provider``."""


ADDRESSLESS = frozenset(MODELS.built_in)
"""Providers without a server behind them."""


def provider_names() -> list[str]:
    """The names of all providers. The other way to name a model is ``module:attribute``."""
    return [*PROVIDERS, *MODELS.names()]
