"""What is decided about products for a file of queries: whether they keep the demands, and what the web says of them.

NAME.gold.jsonl stands beside NAME.jsonl, with one line per query.
"""

from typing import Literal

from pydantic import Field

from drretail.records.base import Document, Record

State = Literal["met", "broken", "open"]
"""Whether a product keeps a demand: its record says so, says otherwise, or doesn't say."""
FactKind = Literal["recalled", "failed", "dearer"]
"""A product was recalled; it fails what the query demands; or it costs more than older pages say."""
OF_KIND = "is of the kind"
"""The first demand of every want, by which it is decided whether a product is such a thing at all."""


class Decision(Record):
    """Whether a product keeps one demand of a want, as somebody who read its record says."""

    want: str
    """The want's name."""
    demand: str
    """The demand's words, or ``OF_KIND``."""
    product_id: str
    record_sha: str
    """The sha256 of the record that was read. A decision on an older record no longer holds."""
    state: State
    by: str
    """"model:PROVIDER:MODEL", or "person:NAME"; of several readers, joined by "+"."""
    quote: str = ""
    """The record's words that it rests on; empty where the record doesn't say."""


class Fact(Record):
    """What the query's own web establishes about a product."""

    product_id: str
    fact: FactKind
    source: str
    """The evidence id of the page."""

    @property
    def excludes(self) -> bool:
        """True if nobody should buy the product."""
        return self.fact != "dearer"


class Gold(Document):
    """What is decided for one query; a line of NAME.gold.jsonl."""

    query_id: str
    decisions: tuple[Decision, ...] = Field(default=(), exclude_if=lambda decisions: not decisions)
    facts: tuple[Fact, ...] = Field(default=(), exclude_if=lambda facts: not facts)
