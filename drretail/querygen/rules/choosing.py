"""What a need is about, as far as the record supports it: a purchase to start from, and the things asked for.

replace   another product of a kind that the user has
again     what is used up, or something in its place
beside    one more thing from the part of the shop that a purchase came from
together  several of these, of which the last may only be asked about
either    one of two of these
present   one of two of these, or several of one, for somebody else
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from drretail.querygen.rules.history import History, Purchase
from drretail.querygen.rules.naming import Thing
from drretail.querygen.rules.needs import Need, Shape
from drretail.querygen.rules.offers import Assortment

# The record is read from here: a taste that changed years ago is none.
_RECENT = 8
# Nobody wonders about the next one as soon as the first has come.
_DAYS_OF_USE = 30
_LEAST_TOGETHER, _MOST_TOGETHER = 2, 3
# How often the last of several is only asked about.
_MAYBE = 0.4


@dataclass(frozen=True, slots=True)
class Case:
    """One attempt at a draft."""

    history: History
    assortment: Assortment
    rng: Random
    level: float
    """Where the user buys between cheap (0) and dear (1)."""
    avoid: frozenset[str] = frozenset()
    """Names of things that other queries of the user are already about."""
    spoken_of: frozenset[str] = frozenset()
    """Names of things of the user that other queries start from."""
    heard: frozenset[str] = frozenset()
    """The sentences and web questions of other queries of the user."""
    words: list[str] = field(default_factory=list[str])
    """Filled with those of this draft."""

    def say(self, options: Sequence[str]) -> str:
        """One of the sentences, if possible one that no other query of the user has."""
        chosen = self.rng.choice([text for text in options if text not in self.heard] or list(options))
        self.words.append(chosen)
        return chosen


@dataclass(frozen=True, slots=True)
class Chosen:
    """A need with what it is about in one user's case."""

    need: Need
    purchase: Purchase
    things: tuple[Thing, ...]
    """What is asked for; of "either" and "present", one of them."""
    maybe: Thing | None = None
    """One more, of which is asked whether to buy it at all."""

    @property
    def any_will_do(self) -> bool:
        return self.need.shape in ("either", "present") and len(self.things) > 1

    @property
    def asked_as(self) -> Shape:
        """The shape of the sentence that asks for it: of a single idea for a present, that of one more thing."""
        return "beside" if self.need.shape == "present" and not self.any_will_do else self.need.shape

    @property
    def about(self) -> frozenset[str]:
        return frozenset(thing.name for thing in self.all_things)

    @property
    def all_things(self) -> tuple[Thing, ...]:
        return self.things if self.maybe is None else (*self.things, self.maybe)


def choose(case: Case, need: Need) -> Chosen | None:
    """What the need is about; None where the record or the shop does not support it."""
    if need.outdoors and not case.history.state:
        return None
    fitting = [it for it in _purchases(case, need) if _fits(case, need, it)]
    if need.shape in ("replace", "again"):
        free = [it for it in fitting if it.thing.name not in case.avoid][:_RECENT]
        purchase = case.rng.choice(free) if free else None
        return None if purchase is None else Chosen(need, purchase, (purchase.thing,))
    least = 1 if need.shape == "beside" or need.quantity else _LEAST_TOGETHER
    found = [(it, others) for it in fitting[:_RECENT] if len(others := _beside(case, it)) >= least]
    if not found:
        return None
    purchase, others = case.rng.choice(found)
    most = {"beside": 1, "together": case.rng.randint(_LEAST_TOGETHER, _MOST_TOGETHER)}.get(need.shape, least)
    places = sorted(case.rng.sample(range(len(others)), min(most, len(others))))
    things = tuple(others[place] for place in places)
    if need.shape == "together" and len(things) > _LEAST_TOGETHER and case.rng.random() < _MAYBE:
        return Chosen(need, purchase, things[:-1], maybe=things[-1])
    return Chosen(need, purchase, things)


def _purchases(case: Case, need: Need) -> list[Purchase]:
    """The purchases that a need may start from, newest first; of each name, the newest: that is the one in use."""
    return [
        it
        for it in case.history.purchases
        if case.history.owns(it.thing) is it
        and it.thing.name not in case.spoken_of
        and (it.brand is not None or not need.brand)
        and (it.is_outdoors or not need.outdoors)
    ]


def _fits(case: Case, need: Need, purchase: Purchase) -> bool:
    if need.level and (purchase.price is None or not case.assortment.are_priced(purchase.thing)):
        return False  # nothing tells what is cheaper or dearer
    if need.shape == "again":
        return purchase.uses_up and case.assortment.has(purchase.thing, without=case.history.product_ids)
    if purchase.uses_up:
        # What has been used up since is no longer there to go with anything.
        return need.shape != "replace" and purchase.lasts(case.history.today)
    if need.shape == "replace":
        used = (case.history.today - purchase.day).days >= _DAYS_OF_USE
        return used and case.assortment.has(purchase.thing, without=case.history.product_ids)
    return True


def _beside(case: Case, purchase: Purchase) -> list[Thing]:
    return [it for it in case.assortment.beside(purchase) if it.name not in case.avoid and case.history.lacks(it)]
