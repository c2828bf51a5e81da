"""All errors of drretail, split by who must act on them.

DrretailError
├── UserError          the person at the terminal: printed as one sentence, exit code 2
│   └── UnknownName    a name that nothing goes by; lists the nearest right ones
├── ToolError          the model that called the tool: becomes {"error": {…}} in the tool's result
│   └── NotFound       an id that the shop does not hold
└── ModelError         nobody, for now: the provider failed or the budget ended; the run is recorded as failed
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Literal

ToolErrorType = Literal["invalid_argument", "not_found", "forbidden", "unavailable", "timeout", "unknown_tool", "limit"]
ModelErrorKind = Literal[
    "model", "timeout", "refusal", "context_overflow", "budget", "agent", "tool", "no_research", "no_report"
]


class DrretailError(Exception):
    """The root of every error that drretail raises on purpose."""


class UserError(DrretailError):
    """Something the user must fix; the message says what happened, where, and what to do."""


class UnknownName(UserError):
    """A name (agent, tool, category, provider …) that nothing goes by."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.nearest = nearest_names(name, known)
        super().__init__(f"There is no {what} {name!r}. {suggestion(self.nearest, known)}")


class ToolError(DrretailError):
    """A tool call that could not be answered; ``as_result`` is what the model reads."""

    def __init__(
        self,
        kind: ToolErrorType,
        message: str,
        *,
        field: str | None = None,
        allowed: Iterable[Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: ToolErrorType = kind
        self.message = message
        self.field = field
        self.allowed = None if allowed is None else list(allowed)

    def as_result(self) -> dict[str, Any]:
        """``{"error": {type, message, field?, allowed?}}``."""
        error: dict[str, Any] = {"type": self.kind, "message": self.message}
        if self.field is not None:
            error["field"] = self.field
        if self.allowed is not None:
            error["allowed"] = self.allowed
        return {"error": error}


class NotFound(ToolError):
    """The shop holds no record of this id."""

    def __init__(self, what: str, record_id: str, *, field: str | None = None) -> None:
        super().__init__("not_found", f"There is no {what} {record_id!r} in this shop.", field=field)


class ModelError(DrretailError):
    """A model call, a budget or an agent's graph failed; ``kind`` is what the run records."""

    def __init__(self, kind: ModelErrorKind, message: str, *, usage: dict[str, int] | None = None) -> None:
        super().__init__(message)
        self.kind: ModelErrorKind = kind
        self.message = message
        self.usage = usage
        """The tokens of an answer that came and could not be used: they are paid for all the same."""
        self.retries = 0
        """How often the call had been tried again by then."""


def nearest_names(name: str, known: Iterable[str], n: int = 5, *, likeness: float = 0.4) -> list[str]:
    """Up to ``n`` of the known names that look most like ``name``, best first, compared without case.

    ``likeness`` is the least that counts, from 0 to 1; among hundreds of names some are always a little alike.
    """
    folded = {candidate.casefold(): candidate for candidate in known}
    return [folded[match] for match in get_close_matches(name.casefold(), folded, n=n, cutoff=likeness)]


def suggestion(nearest: list[str], known: Iterable[str]) -> str:
    """A sentence that names the nearest right names, or all of them when none is near."""
    names = nearest or sorted(known)[:10]
    lead = "Did you mean" if nearest else "Known are"
    end = "?" if nearest else "."
    return f"{lead} {', '.join(names)}{end}" if names else "None is known."
