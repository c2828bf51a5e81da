"""How models are called: the records behind settings and profiles."""

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
    """Tokens of a conversation: Ollama is asked to keep as many, and answers and judges' sources are cut to fit."""
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
        role_choice = (self.roles.get(role) if role else None) or RoleChoice()
        return ModelChoice.model_validate(
            {"model": role_choice.model or self.model, **role_choice.over(self).model_dump()}
        )
