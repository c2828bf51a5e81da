"""The same query with another profile: whose data a run saw instead of the user's own, and what that changed."""

from typing import Literal, get_args

from pydantic import Field

from drretail.records.base import Document, Record
from drretail.records.run import System

CounterfactualKind = Literal["swap", "neutral"]
KINDS: tuple[CounterfactualKind, ...] = ("swap", "neutral")
OPTION = "counterfactual"
"""The option of a System that names the kind."""

Dimension = Literal["products", "categories", "brands", "prices"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)


class ProfileTraits(Record):
    """The parts of a user's history with which recommendations are compared. Void orders do not count."""

    user_id: str
    orders: int
    domains: dict[str, int] = Field(default_factory=dict[str, int])
    """Orders by the file's category."""
    categories: dict[str, int] = Field(default_factory=dict[str, int])
    """Orders by leaf category."""
    brands: dict[str, int] = Field(default_factory=dict[str, int])
    products: tuple[str, ...] = ()
    """Ids of the products bought, sorted."""
    price_position: float | None = None
    """The mean quarter of the shop's prices in the same categories, from 0 (cheapest) to 1 (dearest)."""


class Counterfactual(Document):
    """The user who stands in for another: exp/counterfactuals/<user_id>.json, frozen when the experiment opens."""

    user_id: str
    rule: str
    """The version of the rule that chose the partner."""
    own: ProfileTraits
    partner: ProfileTraits | None = None
    """None if the shop has no other user with orders."""
    unlikeness: float | None = None
    """How unlike the two profiles are, from 0 to 1."""


METRIC = "counterfactual"
"""The metric of scores that say how much a system's answers changed: of each, in queries."""


def kind_of(system: System) -> CounterfactualKind | None:
    """Which other data a system's runs saw; None for the users' own."""
    return next((kind for kind in KINDS if system.options.get(OPTION) == kind), None)


def factual_of(system: System) -> System:
    """The same system with the users' own data."""
    options = {name: value for name, value in system.options.items() if name != OPTION}
    return system.model_copy(update={"options": options})
