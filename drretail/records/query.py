"""Queries, their typed constraints, and what of them an agent is given."""

from typing import Literal, get_args

from pydantic import Field

from drretail.records.base import Document, Record
from drretail.records.basket import Reference
from drretail.records.money import Money

NeedKind = Literal["restock", "replacement", "companion", "comparison", "gift", "project"]
NEED_KINDS: tuple[NeedKind, ...] = get_args(NeedKind)
"""What drretail's own queries are sorted by; files from elsewhere may use other words."""


class Constraints(Record):
    """What a query demands, in types that code can check."""

    budget: Money | None = None
    budget_scope: Literal["total", "per_item"] = "total"
    categories: tuple[str, ...] = ()
    brands_wanted: tuple[str, ...] = ()
    brands_unwanted: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    quantities: dict[str, int] = Field(default_factory=dict[str, int])
    deadline: str | None = None
    owned: tuple[str, ...] = ()


class Query(Document):
    """One question of a benchmark; a line of queries.jsonl."""

    query_id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    user_id: str | None = None
    text: str = Field(min_length=1)
    mode: Literal["profile_aware", "generic", "task"] = "profile_aware"
    task_id: str | None = None
    persona: str | None = None
    context: str | None = None
    files: tuple[str, ...] = ()
    kind: str | None = None
    """What sort of need it is, one of ``NEED_KINDS`` in drretail's own; None where nobody said."""
    rationale: str = ""
    expected_tools: tuple[str, ...] = ()
    constraints: Constraints = Constraints()
    world_fingerprint: str | None = None
    source: str
    """Who made it: a person, a file, or the generator's "provider:model"."""

    def asks_the_same_as(self, other: "Query") -> bool:
        """True when nothing differs but that one of the two is not sorted, of which no system is told."""
        kind = self.kind or other.kind
        return self.model_copy(update={"kind": kind}) == other.model_copy(update={"kind": other.kind or kind})


class Task(Record):
    """What a system is given of a query: by default its text and the user's id, as in the paper (section 4)."""

    text: str
    user_id: str | None = None
    reference: Reference | None = None
    """What the shop could sell for the query. It is for the oracle alone, never for a system that researches, and so
    are the constraints."""
    constraints: Constraints | None = None
