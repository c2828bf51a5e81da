"""How models are called and what they cost: the records behind settings, profiles and the price table."""

from typing import Literal, get_args

from pydantic import Field

from drretail.records.base import Record
from drretail.records.run import Role

DEFAULT_MAX_TOKENS = 8000
"""The default limit of an answer, in tokens."""
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
"""The limit by the purpose of an answer. A researcher that works alone also writes the report. A played model took at
most 900 for a supervisor's turn, 1,300 for a synthesis, 2,000 for a report; a long report holds a hundred claims.
"""
THINKING_TOKENS = 8_000
"""Added to each limit of a model that may think before it answers, since thoughts count as part of the answer."""
DEFAULT_CONTEXT = 32_768
"""Tokens of context that Ollama is asked to keep. Its own default is a few thousand, and it drops the rest silently."""


SMALL_CONTEXT = 16_384
"""Tokens below which tools are described in a few words and results are cut: the full form of the nine tools takes
2,400, and ten hits of a search 1,200.
"""
StructuredForm = Literal["json_schema", "json_object", "tool_call", "prompt"]
"""How an answer in a schema is asked for: the server keeps to the schema; it keeps to JSON, and the prompt has the
schema; as the arguments of a tool; or by the prompt alone.
"""
FORMS: tuple[StructuredForm, ...] = get_args(StructuredForm)
"""In the order in which they are tried."""


_SAID: dict[StructuredForm, str] = {
    "json_schema": "its server constrains answers to a schema",
    "json_object": "its server constrains answers to JSON, and the prompt has the schema",
    "tool_call": "its server constrains the arguments of tools to a schema, and answers are asked for as such",
    "prompt": "its server can't constrain answers, so the prompt asks for JSON",
}


class Abilities(Record):
    """What a server of the user's own can do with one model. What is None is unknown."""

    structured: StructuredForm = "json_schema"
    refused: tuple[str, ...] = ()
    """Arguments of a request that it refuses."""
    context: int | None = None
    """Tokens of a conversation."""
    slots: int | None = None
    """Answers that it writes at a time; further questions wait."""
    read_speed: float | None = None
    """Tokens of a question that it reads in a second."""
    write_speed: float | None = None
    """Tokens of an answer that it writes in a second."""

    @property
    def sentence(self) -> str:
        """What it can do, for the person who started the command."""
        parts = [_SAID[self.structured]]
        if self.refused:
            parts.append(f"it refuses {', '.join(self.refused)}")
        if self.context is not None:
            parts.append(f"it holds {self.context:,} tokens")
        if self.slots is not None:
            parts.append(f"it writes {'one answer' if self.slots == 1 else f'{self.slots} answers'} at a time")
        if self.read_speed is not None and self.write_speed is not None:
            parts.append(f"it reads {self.read_speed:,.0f} and writes {self.write_speed:,.0f} tokens a second")
        return f"{'; '.join(parts)}."


class CallSettings(Record):
    """How a model is called. What is None follows the settings or the defaults."""

    base_url: str | None = None
    """Address of a server that speaks the provider's protocol."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """None means 0 if the model takes a temperature; otherwise none is sent."""
    max_tokens: int | None = Field(default=None, ge=1)
    """The longest answer. None takes the limit of each purpose, with more for a model that thinks."""
    thinking_tokens: int | None = Field(default=None, ge=0)
    """Tokens that a model may think before each answer. None takes the number in the model's profile."""
    seed: int | None = None
    """Sent if the provider takes one."""
    context: int | None = Field(default=None, ge=1)
    """Tokens of a conversation: Ollama is asked to keep as many, and judges' sources are cut to fit."""
    structured_output: bool | StructuredForm | None = None
    """How answers in a schema are asked for; False is "prompt". None is found out from a server of the user's own, and
    follows the model's profile elsewhere.
    """
    stream: bool | None = None
    """True = answers come in pieces. None follows the settings."""
    timeout: float | None = Field(default=None, gt=0)
    """Seconds for one attempt."""
    retries: int | None = Field(default=None, ge=0)
    key_variable: str | None = None
    """The environment variable that holds this server's key."""

    def over(self, other: "CallSettings") -> "CallSettings":
        """These settings, with the values of ``other`` for those that are None."""
        mine, theirs = (settings.model_dump(include={*CallSettings.model_fields}) for settings in (self, other))
        mine |= {name: theirs[name] for name, value in mine.items() if value is None}
        return CallSettings.model_validate(mine)


class ModelChoice(CallSettings):
    """A model, "provider:model", and how it is called."""

    model: str


class RoleChoice(CallSettings):
    """The settings that differ for one role of a profile."""

    model: str | None = None


class ModelProfile(CallSettings):
    """Models for every role, and judges, under one name. Settings beside ``model`` hold for all roles."""

    why: str = ""
    """One sentence: which models, and for what."""
    model: str
    roles: dict[Role, RoleChoice] = Field(default_factory=dict[Role, RoleChoice])
    judges: tuple[ModelChoice, ...] = ()

    def choice(self, role: Role) -> ModelChoice:
        """The model of a role. "" stands for every role that the profile doesn't name."""
        own = (self.roles.get(role) if role else None) or RoleChoice()
        return ModelChoice.model_validate({"model": own.model or self.model, **own.over(self).model_dump()})


class RateLimit(Record):
    """A provider's limits per minute; None means no known limit."""

    requests: float | None = Field(default=None, gt=0)
    tokens: float | None = Field(default=None, gt=0)
    """Input and output tokens together."""


class Price(Record):
    """Dollars per million tokens; None means the same as ``input``."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)

    def times(self, factor: float) -> "Price":
        """The price with a discount, such as 0.5 for batches."""
        return Price.model_validate({name: None if value is None else value * factor for name, value in self})
