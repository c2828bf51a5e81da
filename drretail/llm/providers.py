"""The providers: which package serves each, which variables hold its key, how it spells our settings; and retries.

Also by name: profiles, which name models for every role and judge.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from drretail.errors import check_known
from drretail.parsing import parse_toml
from drretail.plugins import Plugins
from drretail.records.models import DEFAULT_CONTEXT, ModelProfile

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

    from drretail.llm.registry import Model

Sleep = Callable[[float], Awaitable[None]]
JITTER = 0.1
"""The largest share that is added to the wait a provider asks for, so that calls do not all come back at once."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """``retries`` further attempts, after pauses that double from ``first`` up to ``longest`` seconds.

    ``chance`` gives numbers from 0 to 1. ``tell`` gets a line for the user if a
    call has to wait.
    """

    retries: int = 5
    first: float = 0.5
    longest: float = 30.0
    chance: Callable[[], float] = random.random
    sleep: Sleep = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    tell: Callable[[str], None] = lambda line: None

    def pause(self, attempt: int, asked: float | None = None) -> float:
        """Seconds between attempt ``attempt`` (from 0) and the next.

        ``asked`` is what the provider asks for, to which a little is added. Without it, half to the whole of a step
        that doubles.
        """
        if asked is not None:
            return asked * (1 + JITTER * self.chance())
        step = min(self.longest, self.first * 2 ** min(attempt, 32))
        return step * (0.5 + 0.5 * self.chance())


ONCE = Retrying(retries=0)
"""No second attempt."""


@dataclass(slots=True)
class Pacer:
    """The pace of one server: no call goes out while it wants none. One pause of one call would not help."""

    clock: Callable[[], float] = time.monotonic
    sleep: Sleep = asyncio.sleep
    chance: Callable[[], float] = random.random
    _paused_until: float = float("-inf")

    async def admit(self) -> None:
        """Returns when a call may go out; not for all at once."""
        while (waiting := self._paused_until - self.clock()) > 0:
            await self.sleep(waiting * (1 + JITTER * self.chance()))

    def hold(self, seconds: float) -> None:
        """Lets no call out for ``seconds``, as the server asked."""
        self._paused_until = max(self._paused_until, self.clock() + seconds)


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

    chat: str
    """LangChain's chat model, as "module:attribute"."""
    package: str
    key_variables: tuple[str, ...]
    settings: Callable[[CallLimits], dict[str, Any]]
    sends_temperature: bool = True
    takes_seed: bool = True
    takes_context: bool = False
    streams: Literal["asked", "always", "never"] = "never"
    """Whether its answers come in pieces: if asked to, always or never."""
    client_variables: tuple[str, ...] = ()
    """Variables that its client itself reads, and sends to whatever address it is given."""
    redirected: tuple[str, ...] = ()
    """Its clients of httpx, by their attributes, that would take keys and questions to wherever a server sends them."""

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
        "client_kwargs": {"timeout": limits.timeout * STREAM_TIMEOUTS, "follow_redirects": False},
        **_seed(limits),
        **_address(limits),
    }


def _google(limits: CallLimits) -> dict[str, Any]:
    return {
        "timeout": limits.timeout,
        "max_retries": 1,  # this client counts attempts where the others count retries
        "max_output_tokens": limits.max_tokens,
        "client_args": {"follow_redirects": False, "allow_redirects": False},  # as httpx and aiohttp call it
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
        "langchain_anthropic:ChatAnthropic",
        "langchain_anthropic",
        ("ANTHROPIC_API_KEY",),
        _anthropic,
        sends_temperature=False,
        takes_seed=False,
        streams="asked",
        client_variables=("ANTHROPIC_CUSTOM_HEADERS",),
        redirected=("_client._client", "_async_client._client"),
    ),
    "openai": Provider(
        "drretail.llm.openai_chat:CompatibleChat",
        "langchain_openai",
        ("OPENAI_API_KEY",),
        _openai,
        streams="asked",
        client_variables=("OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "OPENAI_PROJECT_ID"),
        redirected=("root_client._client", "root_async_client._client"),
    ),
    "ollama": Provider(
        "langchain_ollama:ChatOllama",
        "langchain_ollama",
        (),
        _ollama,
        takes_context=True,
        streams="always",
        client_variables=("OLLAMA_API_KEY",),
    ),
    "google": Provider(
        "langchain_google_genai:ChatGoogleGenerativeAI",
        "langchain_google_genai",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        _google,
    ),
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


def read_model_profile(name: str, profiles_own: Mapping[str, ModelProfile] | None = None) -> ModelProfile:
    """The profile of this name: the user's own, or a packaged one. Raises UnknownName if there is none."""
    profiles = {**shipped_profiles(), **(profiles_own or {})}
    check_known("model profile", profiles, name)
    return profiles[name]


def shipped_profiles() -> dict[str, ModelProfile]:
    """The packaged profiles, by name."""
    tables = parse_toml(Path(__file__).with_name("profiles.toml").read_text(encoding="utf-8"))
    return {name: ModelProfile.model_validate(table) for name, table in tables.items()}
