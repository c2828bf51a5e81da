"""How a model is asked for, and what it costs: what settings, profiles and the price table are made of."""

from pydantic import Field

from drretail.records.base import Record
from drretail.records.run import Role

DEFAULT_MAX_TOKENS = 8000
"""The default limit of an answer."""
ANSWER_TOKENS = {
    "supervisor": 4_000,
    "researcher": 8_000,
    "retriever": 2_000,
    "reader": 2_000,
    "summariser": 2_000,
    "synthesis": 6_000,
    "report": 8_000,
    "extraction": 16_000,
}
"""The same by what an answer is for; a researcher that works alone writes the report. A played model took at most 900
for a supervisor's turn, 1,300 for a synthesis, 2,000 for a report; a long report holds a hundred claims."""
THINKING_TOKENS = 8_000
"""More for each answer of a model that may think before it answers: thoughts count as part of it."""
DEFAULT_CONTEXT = 32_768
"""Tokens: what Ollama is asked to keep. Its own default is a few thousand, and it drops the rest without a word."""


class CallSettings(Record):
    """How a model is asked; what is None is as the settings or the defaults say."""

    base_url: str | None = None
    """Address of a server that speaks the provider's protocol."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """None = 0 where the model takes a temperature, and nothing elsewhere."""
    max_tokens: int | None = Field(default=None, ge=1)
    """The longest answer, whatever it is for; None = as its purpose takes, and more for a model that thinks."""
    thinking_tokens: int | None = Field(default=None, ge=0)
    """What a model may think before each answer; None = as the model's profile says."""
    seed: int | None = None
    """Sent where the provider takes one."""
    context: int | None = Field(default=None, ge=1)
    """The conversation that it holds, in tokens: what Ollama is asked to keep, and what judges' sources are cut to."""
    structured_output: bool | None = None
    """False = ask for JSON in words, for servers that refuse a schema; None = as the model's profile says."""
    timeout: float | None = Field(default=None, gt=0)
    """Seconds for one attempt."""
    retries: int | None = Field(default=None, ge=0)
    key_variable: str | None = None
    """The environment variable that holds this server's key."""

    def over(self, other: "CallSettings") -> "CallSettings":
        """These settings, and those of ``other`` where these say nothing."""
        mine, theirs = (settings.model_dump(include={*CallSettings.model_fields}) for settings in (self, other))
        mine |= {name: theirs[name] for name, value in mine.items() if value is None}
        return CallSettings.model_validate(mine)


class ModelChoice(CallSettings):
    """A model, "provider:model", and how it is asked."""

    model: str


class RoleChoice(CallSettings):
    """What is different for one role of a profile."""

    model: str | None = None


class ModelProfile(CallSettings):
    """Models for every role and judges under one name; what stands beside ``model`` holds for all roles."""

    why: str
    """One sentence: which models, and for what."""
    model: str
    roles: dict[Role, RoleChoice] = Field(default_factory=dict[Role, RoleChoice])
    judges: tuple[ModelChoice, ...] = ()

    def choice(self, role: Role) -> ModelChoice:
        """The model of a role; "" is every role that the profile doesn't name."""
        own = (self.roles.get(role) if role else None) or RoleChoice()
        return ModelChoice.model_validate({"model": own.model or self.model, **own.over(self).model_dump()})


class RateLimit(Record):
    """What a provider grants in a minute; None = no limit that is known."""

    requests: float | None = Field(default=None, gt=0)
    tokens: float | None = Field(default=None, gt=0)
    """Read and written together."""


class Price(Record):
    """Dollars for a million tokens; None = as ``input``."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)

    def times(self, factor: float) -> "Price":
        """The price with a discount, such as 0.5 for batches."""
        return Price.model_validate({name: None if value is None else value * factor for name, value in self})
