"""What every draft starts from, and what it gives."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from random import Random

from drretail.querygen.drafts.weighing import clashes
from drretail.querygen.facts import Facts, agree
from drretail.querygen.history import History, Purchase
from drretail.querygen.occasions import how_long, when
from drretail.querygen.phrases import listed
from drretail.querygen.shelf import Shelf
from drretail.querygen.things import Thing
from drretail.records.query import Constraints, NeedKind

# The record is read from here: a taste that changed years ago is none.
_RECENT = 8
_POINTS_BACK = re.compile(r"\b(?:it|its|they|them|their|one|ones)\b")
_CLAUSE = re.compile(r"(?:how|what|which|whether)\b")


@dataclass(frozen=True, slots=True)
class Case:
    """One attempt at a draft."""

    history: History
    shelf: Shelf
    rng: Random
    level: float
    """Where the user buys between cheap (0) and dear (1)."""
    avoid: frozenset[str] = frozenset()
    """Names of things that other queries of the user are already about."""
    spoken_of: frozenset[str] = frozenset()
    """Names of things of the user that other queries start from."""
    facts: Facts = field(default_factory=dict[str, str])
    """What the record shows of the user's life, and what other queries have said of it."""
    heard: frozenset[str] = frozenset()
    """The sentences and web questions of other queries of the user."""
    words: list[str] = field(default_factory=list[str])
    """Filled with those of this draft."""

    def say(self, options: Sequence[str]) -> str:
        """One of the sentences, if possible one that no other query of the user has."""
        chosen = self.rng.choice([text for text in options if text not in self.heard] or list(options))
        self.words.append(chosen)
        return chosen

    def pick(self, purchases: Sequence[Purchase]) -> Purchase | None:
        """One of the newest purchases whose thing is still free."""
        free = [purchase for purchase in purchases if purchase.thing.name not in self.avoid][:_RECENT]
        return self.rng.choice(free) if free else None

    def some(self, things: Sequence[Thing], count: int) -> list[Thing]:
        """So many of the things, or all there are, in their order."""
        chosen = self.rng.sample(range(len(things)), min(count, len(things)))
        return [things[index] for index in sorted(chosen)]

    def is_new(self, thing: Thing) -> bool:
        """True for what the user lacks and the shop has enough of."""
        return self.history.lacks(thing.name) and self.shelf.has(thing)

    def has_other(self, purchase: Purchase) -> bool:
        """True when the shop has enough of the kind besides what the user bought."""
        return self.shelf.has(purchase.thing, without=self.history.product_ids)

    def owned(self, *purchases: Purchase) -> tuple[str, ...]:
        """The ids of those products that the user must still have."""
        return tuple(it.product_id for it in purchases if it.lasts(self.history.today))

    def having(self, purchase: Purchase) -> str:
        """That the user has a thing: "I've had my bird feeder since 2021"."""
        name, today = purchase.thing.name, self.history.today
        long, bought = how_long(purchase.day, today), when(purchase.day, today)
        if purchase.uses_up:
            return self.rng.choice((f"I've been using the {name} I bought {bought}", f"I ordered my {name} {bought}"))
        return self.rng.choice(
            (f"I've had my {name} {long}", f"I've owned my {name} {long}", f"I bought my {name} {bought}")
        )

    def mine(self, purchase: Purchase) -> str:
        """The thing that the user has, with when it was bought or without: "the bird feeder I bought in March"."""
        name, bought = purchase.thing.name, when(purchase.day, self.history.today)
        return self.rng.choice(
            (
                f"my {name}",
                f"the {name} I bought {bought}",
                f"the {name} I ordered {bought}",
                f"the {name} I got from you {bought}",
            )
        )

    def questions(self, thing: Thing) -> list[str]:
        """What only the web knows of a thing, clear without anything before it; with slots for its number."""
        return [ask for ask in thing.talk.ask if not _POINTS_BACK.search(ask)] or list(thing.talk.ask)

    def point(self, thing: Thing, against: Collection[str] = ()) -> str:
        """Something to weigh up in a thing, as a plain noun, that texts beside it have not settled."""
        return self.rng.choice(_nouns(thing, against))

    def points(self, thing: Thing, against: Collection[str] = ()) -> list[str]:
        """Two such nouns, or the one there is."""
        nouns = _nouns(thing, against)
        return self.rng.sample(nouns, min(2, len(nouns)))


@dataclass(frozen=True, slots=True)
class Draft:
    """A query before it has an id; ``about`` names the things at its centre, and ``mine`` the one it starts from."""

    need: str
    kind: NeedKind
    about: frozenset[str]
    mine: str
    text: str
    rationale: str
    expected_tools: tuple[str, ...]
    constraints: Constraints
    asks: frozenset[str] = frozenset()
    """What it asks of the web, as in the knowledge files."""
    words: frozenset[str] = frozenset()
    """All of its sentences, as in the knowledge files."""
    claims: Facts = field(default_factory=dict[str, str])
    """What it says of the user's life."""

    @property
    def things(self) -> frozenset[str]:
        return self.about | {self.mine}

    def goes_with(self, other: "Draft") -> bool:
        """True when one user may ask both: about different things, different questions, and nothing contradicts."""
        return not (self.things & other.things or self.asks & other.asks) and agree(self.claims, other.claims)


def _nouns(thing: Thing, against: Collection[str]) -> list[str]:
    nouns = [point for point in thing.talk.compare if not _CLAUSE.match(point)]
    return [point for point in nouns if not clashes(point, against)] or nouns


def orders_of(*purchases: Purchase) -> str:
    """ "a bird feeder (order 0123456789) and hair clips (orders …)", for rationales."""
    return listed([f"{it.thing.phrase.some} ({_order_ids(it.order_ids)})" for it in purchases])


def _order_ids(ids: tuple[str, ...]) -> str:
    shown = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
    return f"order {shown}" if len(ids) == 1 else f"orders {shown}"
