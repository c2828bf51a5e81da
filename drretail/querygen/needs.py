"""Kinds of need, and what any shopper may say besides, read once from ``knowledge/``; its files say how they read."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any, Literal

from pydantic import Field, model_validator

from drretail.records.base import Record
from drretail.records.query import NeedKind

Shape = Literal["replace", "again", "beside", "together", "either", "present"]
KINDS: dict[Shape, NeedKind] = {
    "again": "restock",
    "replace": "replacement",
    "beside": "companion",
    "either": "comparison",
    "present": "gift",
    "together": "project",
}
"""What a query of each shape is called where queries are sorted."""
Texts = tuple[str, ...]


class Saying(Record):
    """A sentence, with what must be true of the record so that its shopper may say it; a file may give the bare text.

    What it claims of the shopper's life is in knowledge/facts.toml.
    """

    say: str
    claims: dict[str, str] = Field(default_factory=dict[str, str])
    """Values by subject."""
    alone: bool = False
    """The record shows nothing else of what the need is about."""
    orders: int = 0
    """There are at least so many orders of anything,"""
    times: int = 0
    """and so many of a thing of this kind."""
    days: int = 0
    """It was bought at least so long ago,"""
    within: int = 100_000
    """and at most so long."""
    mine: Texts = ()
    """It is one of these kinds; none: any."""
    one_make: bool = False
    """All things of its kind in the record are of one maker."""

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, given: Any) -> Any:
        return {"say": given} if isinstance(given, str) else given


Told = tuple[Saying, ...]


class Pair(Record):
    """Something that the record shows and what goes with it, with what only the web knows of the two."""

    mine: str
    thing: str
    ask: Texts = Field(min_length=1)


class Need(Record):
    """Why a shopper turns to the shop; ``shape`` says what is asked for (drafts/choosing.py)."""

    name: str
    shape: Shape
    why: str
    """Why it takes the record and research; a sentence of the rationale."""
    tell: Told = Field(min_length=1)
    want: Texts = ()
    shared_want: bool = True
    """What any need of its shape wants will do, too; not where only its own words fit what is told."""
    ask: Texts = ()
    late: Told = ()
    """Told in the place of ``tell`` of what must have been used up since."""
    mine: Texts = ()
    """Kinds of which the record must show one; none: any."""
    things: Texts = ()
    pairs: tuple[Pair, ...] = ()
    source: Literal["need", "projects", "tried", "open"] = "need"
    """Where the things come from: from here, from projects.toml or from choices.toml."""
    who: Texts = ()
    occasions: Texts = ("birthday", "anniversary", "housewarming")
    interests: Texts = ()
    """Of the projects, those of which one may speak; none: all."""
    must: Texts = ()
    must_not: Texts = ()
    days: int = 0
    """At least so long ago was the purchase."""
    made_of: Texts = ()
    """What the shopper has must be of one of these materials, as far as the shop knows its material; none: any."""
    outgrown: bool = False
    """It may start from what the children of the house have outgrown."""
    level: float = 0.0
    """How much dearer than usual the user means to buy, of the way from the cheapest to the dearest offer."""
    brand: bool = False
    """Speaks of the maker of what the user has."""
    unwanted: bool = False
    """Its maker is not to be bought again,"""
    unhappy: bool = False
    """or may not be."""
    quantity: bool = False
    several: bool = False
    """One may replace several at once, of kinds of which there are several."""
    deadline: bool = False
    deadline_always: bool = False
    per_item: bool = False
    per_item_too: bool = False
    place: bool = False
    """The answer depends on where the user lives."""
    calculator: bool = False


class BudgetSayings(Record):
    total: Texts
    single: Texts
    each: Texts
    none: Told


class DemandSayings(Record):
    must: Texts
    must_any: Texts
    ban: Texts
    both: Texts
    stars: Texts
    reviews: Texts
    brand: Texts
    deadline: Texts
    deadlines: Texts
    deadline_mild: Texts
    quantity: Texts
    quantity_lasting: Texts
    quantity_each: Texts


class WebSayings(Record):
    early: Texts
    one: Texts
    two: Texts


class Sayings(Record):
    """Sentences that stand alone, by what they are about."""

    budget: BudgetSayings
    demand: DemandSayings
    web: WebSayings
    record: dict[str, Told]
    """By shape, "any" for the others; so is ``want``."""
    close: Texts
    """Ends a text now and then."""
    want: dict[str, Texts]


@cache
def needs() -> tuple[Need, ...]:
    """All needs, by file and place in it."""
    folder = resources.files("drretail.querygen").joinpath("knowledge", "needs")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    rows = [row for file in files for row in tomllib.loads(file.read_text(encoding="utf-8"))["needs"]]
    return tuple(Need.model_validate(row) for row in rows)


@cache
def sayings() -> Sayings:
    file = resources.files("drretail.querygen").joinpath("knowledge", "sayings.toml")
    return Sayings.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
