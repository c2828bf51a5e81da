"""What a tool is, and what it returns to the toolkit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from drretail.records.evidence import Source

Access = Literal["read", "write"]
Named = Literal["product", "order", "user"]


@dataclass(frozen=True, slots=True)
class IdOf:
    """Stands in a signature beside an argument that is the id of such a record."""

    named: Named


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives back."""

    value: dict[str, Any]
    """What the model reads, as JSON."""
    sources: tuple[Source, ...]
    """What it may cite of that, in order; the ledger keeps them."""
    about: str | None = None
    """The user whose data this is, None for data that is nobody's."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A plain function behind a name.

    The toolkit fills in the first argument (the session) and keyword-only arguments. A model sees only the others, as
    ``schema.py`` reads them from signature and docstring.
    """

    name: str
    """What models call it by."""
    function: Callable[..., ToolResult]
    """Takes the session, then the arguments that a model gives."""
    access: Access
    """``write`` for what changes the world: other calls wait for it."""
    seconds: float = 0
    """What a call may take where that is more than the toolkit's time-out, as where a person is asked."""
