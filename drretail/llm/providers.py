"""The providers: which package serves each, which variables hold its key, and how it spells our settings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from drretail.records.models import DEFAULT_CONTEXT


@dataclass(frozen=True, slots=True)
class CallLimits:
    """``timeout`` in seconds for one attempt, ``max_tokens`` of one answer, ``context`` of one conversation."""

    timeout: float
    max_retries: int
    max_tokens: int
    base_url: str | None = None
    seed: int | None = None
    context: int = DEFAULT_CONTEXT


@dataclass(frozen=True, slots=True)
class Provider:
    """Without ``key_variables`` no key is needed; ``sends_temperature`` decides for models that have no profile."""

    langchain_name: str
    package: str
    extra: str | None
    key_variables: tuple[str, ...]
    settings: Callable[[CallLimits], dict[str, Any]]
    sends_temperature: bool = True
    takes_seed: bool = True
    takes_context: bool = False


def _anthropic(limits: CallLimits) -> dict[str, Any]:
    return {
        "timeout": limits.timeout,
        "max_retries": limits.max_retries,
        "max_tokens": limits.max_tokens,
        **_address(limits),
    }


def _openai(limits: CallLimits) -> dict[str, Any]:
    # langchain sends max_completion_tokens, which several compatible servers ignore; all of them know max_tokens.
    length = {"max_tokens": limits.max_tokens}
    return {
        "timeout": limits.timeout,
        "max_retries": limits.max_retries,
        **(length if limits.base_url is None else {"extra_body": length}),
        **_seed(limits),
        **_address(limits),
    }


def _ollama(limits: CallLimits) -> dict[str, Any]:
    return {
        "num_predict": limits.max_tokens,
        "num_ctx": limits.context,
        "client_kwargs": {"timeout": limits.timeout},
        **_seed(limits),
        **_address(limits),
    }


def _google(limits: CallLimits) -> dict[str, Any]:
    return {
        "timeout": limits.timeout,
        # This client counts attempts where the others count retries.
        "max_retries": limits.max_retries + 1,
        "max_output_tokens": limits.max_tokens,
        **_seed(limits),
        **_address(limits),
    }


def _address(limits: CallLimits) -> dict[str, Any]:
    return {} if limits.base_url is None else {"base_url": limits.base_url}


def _seed(limits: CallLimits) -> dict[str, Any]:
    return {} if limits.seed is None else {"seed": limits.seed}


PROVIDERS: dict[str, Provider] = {
    # Newest Claude models refuse a temperature, and the newest have no profile: without one, none is sent.
    "anthropic": Provider(
        "anthropic",
        "langchain_anthropic",
        None,
        ("ANTHROPIC_API_KEY",),
        _anthropic,
        sends_temperature=False,
        takes_seed=False,
    ),
    "openai": Provider("openai", "langchain_openai", "openai", ("OPENAI_API_KEY",), _openai),
    "ollama": Provider("ollama", "langchain_ollama", "ollama", (), _ollama, takes_context=True),
    "google": Provider(
        "google_genai", "langchain_google_genai", "google", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), _google
    ),
}
