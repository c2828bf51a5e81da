"""The criteria by which judges score reports on a query (dimensions, checklists and rubrics), made once and frozen; and
gold, what is known beforehand about a good answer: insights it should have, documents it can't do without, and which
products keep the query's demands.
"""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field, model_validator

from drretail.records.base import Document, Record, sha256_of


class Criterion(Record):
    """One thing that a report is looked at for."""

    text: str
    explanation: str = ""
    weight: float = 1.0
    """Its share of its group. Negative in a rubric for what a report should not do."""
    kind: str = ""
    """How the metric sorts it: the category of a requirement, the axis of a rubric, how it is answered."""


class CriteriaGroup(Record):
    """Criteria that make one number together, such as those of a dimension."""

    name: str
    weight: float = 1.0
    """Its share of all groups that it is summed with."""
    criteria: tuple[Criterion, ...] = ()


class Criteria(Document):
    """exp/rubrics/<metric>/<query_id>.json: one for all systems and judges, to be read and edited by people."""

    metric: str
    query_id: str
    groups: tuple[CriteriaGroup, ...]
    made_by: str = "a person"
    """"provider:model", "code", or "a person"."""
    prompt_hash: str = ""
    """Hash of the prompt that asked for them; empty if no model was asked."""

    @property
    def hash(self) -> str:
        """Eight hex digits for what they ask for. Verdicts by other criteria have another hash."""
        return sha256_of([group.model_dump(mode="json") for group in self.groups])[:8]

    def group(self, name: str) -> CriteriaGroup | None:
        """The group of that name; None if there is none."""
        return next((group for group in self.groups if group.name == name), None)


GoldPart = Literal["files", "sandbox"]
"""The user's own files, or the pages that stand for the web."""
GOLD_PARTS: tuple[GoldPart, ...] = ("files", "sandbox")


class GoldInsight(Record):
    """Something that an answer ought to say."""

    id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    stands_in: str = ""
    """The page's address, or the file's name."""
    quote: str = ""
    """The words there that it rests on; blank if nobody wrote them down."""

    @property
    def item(self) -> str:
        """The name under which verdicts on it are filed; another wording has another name."""
        return f"{self.id}@{sha256_of(self.text)[:8]}"


class RequiredDocument(Record):
    """A page or a file without which the query can't be answered."""

    title: str = ""
    """A page's title, or a file's name."""
    url: str = ""
    """A page's address; blank if only its title is known."""

    @model_validator(mode="after")
    def _has_a_mark(self) -> "RequiredDocument":
        if not (self.title.strip() or self.url.strip()):
            raise ValueError("a document needs a title or an address")
        return self


class PartOfGold(Record):
    """The gold for one part of the material."""

    insights: tuple[GoldInsight, ...] = ()
    documents: tuple[RequiredDocument, ...] = ()


class KnownAnswer(Document):
    """exp/gold/<query_id>.json: never shown to an agent."""

    query_id: str
    files: PartOfGold = PartOfGold()
    sandbox: PartOfGold = PartOfGold()

    def part(self, name: GoldPart) -> PartOfGold:
        return self.files if name == "files" else self.sandbox

    @property
    def documents_hash(self) -> str:
        """Eight hex digits for the documents that must be cited."""
        return sha256_of([[document.model_dump() for document in self.part(name).documents] for name in GOLD_PARTS])[:8]

    @model_validator(mode="after")
    def _ids_are_distinct(self) -> "KnownAnswer":
        ids = [insight.id for name in GOLD_PARTS for insight in self.part(name).insights]
        if len(set(ids)) < len(ids):
            raise ValueError("two insights have one id")
        return self


State = Literal["met", "broken", "open"]
"""Whether a product keeps a demand: its record says so, says otherwise, or doesn't say."""
OF_KIND = "is of the kind"
"""The first demand of every want, by which it is decided whether a product is such a thing at all."""


class Decision(Record):
    """Whether a product keeps one demand of a want, as a model that read its record says."""

    want: str
    """The want's name."""
    demand: str
    """The demand's words, or ``OF_KIND``."""
    product_id: str
    record_sha: str
    """The sha256 of the record that was read. A decision on an older record no longer holds."""
    state: State
    by: str
    """"model:PROVIDER:MODEL"; in the shipped queries, two models that agree, joined by "+"."""
    quote: str = ""
    """The record's words that it rests on; empty where the record doesn't say."""


FactKind = Literal["recalled", "failed", "dearer"]
"""A product was recalled; it fails what the query demands; or it costs more than older pages say."""


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


NeedOf = Literal["profile", "web"]
NEEDS: tuple[NeedOf, ...] = ("profile", "web")
"""What questions need besides the shop: the shopper's record, pages."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of all queries are to need something."""

    needs: frozenset[NeedOf]
    share: float = 1.0

    def __str__(self) -> str:
        return " and ".join(need for need in NEEDS if need in self.needs)


class NeedProof(Record):
    """Whether a query's answer needs a source."""

    luck: float
    """The share of right baskets among those that keep the limits that do not rest on the source."""
    left: int
    """How many baskets these are."""
    open: int = Field(default=0, exclude_if=lambda baskets: not baskets)
    """How many more there are of which nobody knows whether they are right."""
    fails: tuple[str, ...] = ()
    """The letters of what is not proved (docs/queries.md, "What a question needs"); none if the source is needed."""
    by: str = ""
    """The model that looked whether a record states a page's limit; empty if nobody has."""


class Needs(Record):
    """What a query needs, proved in its world. A source on which no limit rests is absent."""

    profile: NeedProof | None = Field(default=None, exclude_if=lambda need: need is None)
    web: NeedProof | None = Field(default=None, exclude_if=lambda need: need is None)
    one_search: bool | None = None
    """True if the cheapest of ten hits of one search for each want is right; None if that rests on an open demand."""
    of: str = ""
    """``Query.asked_sha`` of what was asked; a proof of anything else proves nothing."""

    @property
    def proved(self) -> tuple[NeedOf, ...]:
        """The sources that the answer needs."""
        return tuple(source for source in NEEDS if (proof := getattr(self, source)) and not proof.fails)

    def luck(self, source: NeedOf) -> float:
        """The luck without a source; 1 if it is not needed, so that its absence costs nothing."""
        return getattr(self, source).luck if source in self.proved else 1.0


class Gold(Document):
    """What is decided for one query."""

    query_id: str
    canary: str | None = Field(default=None, exclude_if=lambda canary: canary is None)
    """Marks the gold of a benchmark, so that models that were trained on it can be recognised."""
    decisions: tuple[Decision, ...] = Field(default=(), exclude_if=lambda decisions: not decisions)
    facts: tuple[Fact, ...] = Field(default=(), exclude_if=lambda facts: not facts)
    needs: Needs | None = Field(default=None, exclude_if=lambda needs: needs is None)
    """What is proved in the world that the query was checked in last; None if nobody has checked it."""
