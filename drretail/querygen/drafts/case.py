"""What every draft starts from, and what it gives."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from drretail.querygen.history import History, Purchase
from drretail.querygen.occasions import how_long, when
from drretail.querygen.phrases import listed
from drretail.querygen.shelf import Shelf, Wish
from drretail.querygen.things import Thing
from drretail.records.query import Constraints

USER_TOOLS = ("get_user_orders", "get_product_details")
SHOP_TOOLS = ("product_catalog_search", "web_search")
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

    def pick(self, purchases: Sequence[Purchase]) -> Purchase | None:
        """One of the newest purchases whose thing is still free."""
        free = [purchase for purchase in purchases if purchase.thing.name not in self.avoid][:_RECENT]
        return self.rng.choice(free) if free else None

    def two(self, texts: Sequence[str]) -> list[str]:
        """Two of the texts, or all there are, in their order."""
        chosen = self.rng.sample(range(len(texts)), min(2, len(texts)))
        return [texts[index] for index in sorted(chosen)]

    def owned(self, *purchases: Purchase) -> tuple[str, ...]:
        """The ids of those products that the user must still have."""
        return tuple(it.product_id for it in purchases if it.lasts(self.history.today))

    def having(self, purchase: Purchase) -> str:
        """That the user has a thing, or once had it: "I've had my bird feeder since 2021"."""
        phrase, today = purchase.thing.phrase, self.history.today
        if not purchase.uses_up:
            return f"I've had my {phrase.text} {how_long(purchase.day, today)}"
        if purchase.lasts(today):
            return f"I've been using the {phrase.text} I bought {when(purchase.day, today)}"
        return f"I bought {phrase.some} from you {when(purchase.day, today)}"

    def question(self, thing: Thing) -> str:
        """Something that only the web knows of a thing, clear without anything before it."""
        clear = [ask for ask in thing.talk.ask if not _POINTS_BACK.search(ask)]
        return thing.phrase.fill(self.rng.choice(clear or thing.talk.ask))

    def point(self, thing: Thing) -> str:
        """Something to weigh up in a thing, as a plain noun."""
        return self.rng.choice(_nouns(thing))

    def points(self, thing: Thing) -> list[str]:
        """Two such nouns, or the one there is."""
        return self.two(_nouns(thing))

    def spending(self) -> str:
        """What is said where the shop's prices allow no budget."""
        return self.rng.choice(
            (
                "Keep it in line with what I usually spend.",
                "I don't want to spend more than I normally do on such things.",
                "As for money, go by what I've ordered so far.",
                "Nothing fancy, please: stay within the range of my earlier orders.",
            )
        )

    def wish(self, wish: Wish) -> Wish:
        """The wish with a demand of its kind that some offers fulfil, or as it was."""
        talk = wish.thing.talk
        for must in self.rng.sample(talk.must, len(talk.must)):
            ban = self.rng.choice(talk.must_not) if talk.must_not and self.rng.random() < 0.5 else ""
            demanding = replace(wish, must=must, must_not=ban)
            if self.shelf.offers_for(demanding):
                return demanding
        return wish


@dataclass(frozen=True, slots=True)
class Draft:
    """A query before it has an id; ``about`` names the things at its centre."""

    kind: str
    about: frozenset[str]
    text: str
    rationale: str
    expected_tools: tuple[str, ...]
    constraints: Constraints


def _nouns(thing: Thing) -> list[str]:
    return [point for point in thing.talk.compare if not _CLAUSE.match(point)]


def orders_of(*purchases: Purchase) -> str:
    """ "a bird feeder (order 0123456789) and hair clips (orders …)", for rationales."""
    return listed([f"{it.thing.phrase.some} ({_order_ids(it.order_ids)})" for it in purchases])


def _order_ids(ids: tuple[str, ...]) -> str:
    shown = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
    return f"order {shown}" if len(ids) == 1 else f"orders {shown}"
