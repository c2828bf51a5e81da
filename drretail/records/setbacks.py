"""What went wrong in a run on the way to its report, without ending it."""

from typing import Literal

from pydantic import Field

from drretail.errors import ModelErrorKind
from drretail.records.base import Record

Setback = Literal["lost", "repairs", "second_attempts", "announcements", "struck_ids"]
PROVIDER_FAULTS: tuple[ModelErrorKind, ...] = ("model", "timeout", "tool")
"""The kinds of errors for which the provider, the world's servers or the web, and not the system, are responsible."""
LOST_WITH = {"researcher": "researcher", "synthesis": "researcher", "summariser": "page summary"}
"""By role, what a run does without if its model gives no answer; for other roles that is the answer."""


class Setbacks(Record):
    """Counts of what went wrong in a run. Where a part of the run is named, counts are by part."""

    lost: dict[str, int] = Field(default_factory=dict[str, int])
    """By role, questions that the provider left unanswered after all second attempts."""
    repairs: dict[str, int] = Field(default_factory=dict[str, int])
    """By role, answers that were sent back since they did not fit the form asked for; ``picks`` for missing picks."""
    second_attempts: int = 0
    """Calls that were made again since the provider failed, or since the answer was empty or cut."""
    announcements: int = 0
    """Turns that announced tool calls and made none."""
    struck_ids: int = 0
    """Evidence ids that syntheses cited, that no tool had shown, and that were taken out."""
