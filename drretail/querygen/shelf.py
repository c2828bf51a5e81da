"""What the shop offers of a kind of thing, found by its own search, and budgets that these offers can meet."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Any

from drretail.errors import UserError
from drretail.querygen.history import History
from drretail.querygen.speech import can_be_said
from drretail.querygen.things import Thing, folded_words, thing_of
from drretail.records.money import Money
from drretail.tools.toolkit import Toolkit

_HITS = 50
# What is offered must be common enough that an answer can choose.
_ENOUGH = 2
_MIDDLE = 0.5
# Nobody's budget is the sum of prices to the cent.
_ROOM = Decimal("1.1")
# A budget below the first number is a multiple of the second.
_STEPS = ((30, 5), (100, 10), (300, 25), (1000, 50), (10**12, 100))


@dataclass(frozen=True, slots=True)
class Offer:
    """A product of the wanted kind; ``price`` is None where the shop doesn't know it exactly."""

    product_id: str
    price: Decimal | None
    currency: str
    category: str
    brand: str | None
    rating: float | None
    reviews: int


@dataclass(frozen=True, slots=True)
class Wish:
    """A thing with what it must be and have, as shoppers say it; products in ``without`` do not count."""

    thing: Thing
    must: str = ""
    must_not: str = ""
    stars: float | None = None
    """The least average rating."""
    reviews: int = 0
    """The least number of ratings."""
    without: frozenset[str] = frozenset()


class Shelf:
    """The offers of one world; remembers what it has looked up, so that many users cost little more than one."""

    def __init__(self, toolkit: Toolkit) -> None:
        self._toolkit = toolkit
        self._offers: dict[tuple[str, str], tuple[Offer, ...]] = {}

    def offers(self, thing: Thing, also: str = "") -> tuple[Offer, ...]:
        """Products whose titles name this very thing, best match first; with all words of ``also`` in their texts."""
        key = (thing.name, also)
        if key not in self._offers:
            self._offers[key] = self._find(thing, also)
        return self._offers[key]

    def offers_for(self, wish: Wish) -> tuple[Offer, ...]:
        """The offers that the catalog's words say fulfil a wish."""
        banned = {offer.product_id for offer in self.offers(wish.thing, wish.must_not)} if wish.must_not else set[str]()
        offers = self.offers(wish.thing, wish.must)
        return tuple(
            offer
            for offer in offers
            if offer.product_id not in banned | wish.without
            and offer.reviews >= wish.reviews
            and (wish.stars is None or (offer.rating or 0) >= wish.stars)
        )

    def has(self, thing: Thing) -> bool:
        """True when the shop offers enough of it to choose from."""
        return len(self.offers(thing)) >= _ENOUGH

    def categories(self, things: Sequence[Thing]) -> tuple[str, ...]:
        """The category in which the shop keeps most of each thing, in the order of the things."""
        names = [_most_frequent([offer.category for offer in self.offers(thing)]) for thing in things]
        return tuple(dict.fromkeys(names))

    def _find(self, thing: Thing, also: str) -> tuple[Offer, ...]:
        text = f"{thing.name} {also}".strip()
        # The best matches, and those that hold every word in order of price: together they hold the cheapest.
        searches = [{"match": "all", "sort_by": "price"}, {"match": "all" if also else "any"}]
        found: dict[str, Offer] = {}
        for search in reversed(searches):
            reply = self._toolkit.call("product_catalog_search", {"query": text, "limit": _HITS, **search})
            if reply.error is not None:
                raise UserError(f"The catalog could not be searched for {text!r}: {reply.value['error']['message']}")
            found |= {card["product_id"]: _offer(card) for card in reply.value["hits"] if _is_a(thing, card["title"])}
        return tuple(found.values())


def budget_for(shelf: Shelf, wishes: Sequence[Wish], level: float, *, per_item: bool = False) -> Money | None:
    """A round amount that buys one thing for each wish, or any single one of them where ``per_item``.

    ``level`` says where between the cheapest offer (0) and the dearest (1) it aims. None where the shop doesn't know
    the price of any offer for a wish, or where prices are in several currencies or in one that has no sign.
    """
    targets: list[Decimal] = []
    currencies: set[str] = set()
    for wish in wishes:
        priced = [(offer.price, offer.currency) for offer in shelf.offers_for(wish) if offer.price is not None]
        if not priced:
            return None
        prices = sorted(price for price, _ in priced)
        targets.append(prices[round(level * (len(prices) - 1))])
        currencies |= {currency for _, currency in priced}
    if len(currencies) != 1 or not can_be_said(min(currencies)):
        return None
    target = max(targets) if per_item else sum(targets, Decimal(0))
    return Money.of(rounded_up(target * _ROOM), currencies.pop())


def rounded_up(amount: Decimal) -> int:
    """The next amount that a person would name: 35, 60, 125, 450."""
    step = next(step for limit, step in _STEPS if amount < limit)
    return ceil(amount / step) * step


def price_level(history: History, shelf: Shelf) -> float:
    """Where the user buys between the cheapest (0) and the dearest (1) offers of a kind, kept between 0.2 and 0.8."""
    places: list[float] = []
    for purchase in history.purchases[:8]:
        prices = [offer.price for offer in shelf.offers(purchase.thing) if offer.price is not None]
        if purchase.price is not None and len(prices) >= 4:
            places.append(sum(price < Decimal(str(purchase.price)) for price in prices) / len(prices))
    middle = sorted(places)[len(places) // 2] if places else _MIDDLE
    return min(0.8, max(0.2, middle))


def _offer(card: dict[str, Any]) -> Offer:
    exact = card["price"] is not None and not card.get("price_from")
    price = Decimal(str(card["price"])) if exact else None
    return Offer(
        card["product_id"],
        price,
        card["currency"],
        card["category"],
        card["store"],
        card["average_rating"],
        card["rating_number"] or 0,
    )


def _is_a(thing: Thing, title: str) -> bool:
    """True when a title names the same kind, or, for other things, holds the whole phrase and names its head."""
    other = thing_of(title)
    if other is None or thing.kind is not None or other.kind is not None:
        return other is not None and other.kind == thing.kind
    return other.head == thing.head and set(folded_words(thing.name)) <= set(folded_words(title))


def _most_frequent(names: list[str]) -> str:
    return max(sorted(set(names)), key=names.count)
