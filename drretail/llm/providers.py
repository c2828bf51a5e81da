"""The providers: which package serves each, which variables hold its key, and how it spells our settings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CallLimits:
    """``timeout`` in seconds for one attempt, ``max_tokens`` of one answer."""

    timeout: float
    max_retries: int
    max_tokens: int
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class Provider:
    """Without ``key_variables`` no key is needed; ``sends_temperature`` decides for models that have no profile."""

    langchain_name: str
    package: str
    extra: str | None
    key_variables: tuple[str, ...]
    settings: Callable[[CallLimits], dict[str, Any]]
    sends_temperature: bool = True


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
        **_address(limits),
    }


def _ollama(limits: CallLimits) -> dict[str, Any]:
    return {"num_predict": limits.max_tokens, "client_kwargs": {"timeout": limits.timeout}, **_address(limits)}


def _google(limits: CallLimits) -> dict[str, Any]:
    return {
        "timeout": limits.timeout,
        # This client counts attempts where the others count retries.
        "max_retries": limits.max_retries + 1,
        "max_output_tokens": limits.max_tokens,
        **_address(limits),
    }


def _address(limits: CallLimits) -> dict[str, Any]:
    return {} if limits.base_url is None else {"base_url": limits.base_url}


PROVIDERS: dict[str, Provider] = {
    # Newest Claude models refuse a temperature, and the newest have no profile: without one, none is sent.
    "anthropic": Provider(
        "anthropic", "langchain_anthropic", None, ("ANTHROPIC_API_KEY",), _anthropic, sends_temperature=False
    ),
    "openai": Provider("openai", "langchain_openai", "openai", ("OPENAI_API_KEY",), _openai),
    "ollama": Provider("ollama", "langchain_ollama", "ollama", (), _ollama),
    "google": Provider(
        "google_genai", "langchain_google_genai", "google", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), _google
    ),
}
