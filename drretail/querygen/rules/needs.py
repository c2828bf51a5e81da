"""Kinds of need and the sentences of which queries are made, read once from ``sayings.toml``."""

import tomllib
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import Field

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


class Need(Record):
    """Why a shopper turns to the shop; ``shape`` says what is asked for (choosing.py)."""

    name: str
    shape: Shape
    why: str
    """Why it takes the record and research; a sentence of the rationale."""
    tell: Texts = Field(min_length=1)
    level: float = 0.0
    """How much dearer than usual the user means to buy, of the way from the cheapest to the dearest offer."""
    brand: bool = False
    """Speaks of the maker of what the user has;"""
    unwanted: bool = False
    """it is not to be bought again."""
    outdoors: bool = False
    """Of what stands in the weather where the user lives."""
    quantity: bool = False
    """Several of a thing are wanted,"""
    several: bool = False
    """or may be."""
    per_item: bool = False
    calculator: bool = False


class Budgets(Record):
    total: Texts
    single: Texts
    each: Texts
    usual: Texts


class Demands(Record):
    subject: dict[Shape, str]
    """What "should" be or have all that is demanded."""
    must: Texts
    ban: Texts
    stars: Texts
    reviews: Texts
    of_one: Texts
    brand: Texts
    deadline: Texts
    quantity: Texts
    maybe: Texts
    """Whether one thing more should be bought at all."""
    room: Texts
    """What else should be bought."""


class Questions(Record):
    early: Texts
    one: Texts
    two: Texts


class Sayings(Record):
    """All of the file; its comments say what the slots hold."""

    must: Texts
    must_not: dict[Literal["lasting", "used_up"], Texts]
    of_prices: Texts
    points: dict[Literal["lasting", "used_up"], Texts]
    ask: dict[Literal["lasting", "used_up", "several", "either", "outdoors"], Texts]
    web: Questions
    record: dict[int, Texts]
    """By the least number of orders."""
    budget: Budgets
    demand: Demands
    want: dict[Shape, Texts]
    needs: tuple[Need, ...]


@cache
def sayings() -> Sayings:
    file = resources.files("drretail.querygen.rules").joinpath("sayings.toml")
    return Sayings.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))


def needs() -> tuple[Need, ...]:
    """All needs in the order of the file."""
    return sayings().needs
