"""What the shop offers of a thing and what stands beside it, found by its own search, and budgets that it can meet."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from math import ceil

from drretail.grounding.basket.cheapest import Slot, candidates, meets
from drretail.grounding.constraints.listing import Listing, fulfils
from drretail.querygen.checks.stock import Stock
from drretail.querygen.rules.history import History, Purchase, is_used_up
from drretail.querygen.rules.naming import Thing, thing_of
from drretail.querygen.rules.sentences import can_be_said
from drretail.records.money import Money
from drretail.records.query import Constraints, Demand

# What is offered must be common enough that an answer can choose.
_ENOUGH = 2
_MIDDLE = 0.5
# Nobody's budget is the sum of prices to the cent.
_ROOM = Decimal("1.1")
# A budget below the first number is a multiple of the second.
_STEPS = ((30, 5), (100, 10), (300, 25), (1000, 50), (10**12, 100))


class Offers:
    """The offers of one stock; remembers what it has looked up, so that many users cost little more than one."""

    def __init__(self, stock: Stock) -> None:
        self._stock = stock
        self._kept: dict[tuple[str | tuple[str | Demand, ...], ...], list[Listing]] = {}
        self._met: dict[tuple[str, str], bool] = {}
        self._differ: dict[tuple[str, str], bool] = {}
        self._beside: dict[tuple[str, ...], tuple[Thing, ...]] = {}

    def of(self, thing: Thing) -> tuple[Listing, ...]:
        """Products of this name."""
        return self._stock.offers(thing)

    def kept(self, thing: Thing, constraints: Constraints, without: Collection[str] = ()) -> list[Listing]:
        """The offers of a thing that keep to demands, ratings and brands; products in ``without`` do not count."""
        key = thing.name, constraints.must, constraints.must_not, constraints.brands_unwanted
        if key not in self._kept:
            anybody = constraints.model_copy(update={"owned": ()})
            self._kept[key] = candidates(Slot(thing.name, self.of(thing)), anybody)
        return [offer for offer in self._kept[key] if offer.product.product_id not in without]

    def meets(self, thing: Thing, demand: str) -> bool:
        """True when some offer is said to be what is demanded."""
        key = thing.name, demand
        if key not in self._met:
            self._met[key] = meets(Slot(thing.name, self.of(thing)), Demand(property=demand))
        return self._met[key]

    def differ_in(self, thing: Thing, demand: str) -> bool:
        """True when some offers are said to be what is demanded, and others are not."""
        key = thing.name, demand
        if key not in self._differ:
            said = sum(fulfils(offer, demand) for offer in self.of(thing))
            self._differ[key] = 0 < said < len(self.of(thing))
        return self._differ[key]

    def has(self, thing: Thing, without: Collection[str] = ()) -> bool:
        """True when the shop offers enough of it to choose from."""
        return sum(offer.product.product_id not in without for offer in self.of(thing)) >= _ENOUGH

    def are_priced(self, thing: Thing) -> bool:
        """True when the shop knows what any of them costs."""
        return any(offer.price is not None for offer in self.of(thing))

    def are_used_up(self, thing: Thing) -> bool:
        """True when the shop keeps its best match among what is bought again and again."""
        return any(is_used_up(offer.product.categories, thing) for offer in self.of(thing)[:1])

    def beside(self, purchase: Purchase) -> tuple[Thing, ...]:
        """Other things of the nearest category around a purchase that has any, by popularity.

        Without a path, those of its whole part of the shop.
        """
        paths = [purchase.path[:length] for length in range(len(purchase.path) - 1, 1, -1)]
        for path in paths if len(purchase.path) > 1 else [()]:
            others = [it for it in self._in(path, purchase.category) if it.head != purchase.thing.head]
            if others:
                return tuple(others)
        return ()

    def _in(self, path: tuple[str, ...], category: str) -> tuple[Thing, ...]:
        """The things that the most popular products of a path are, or of a category without one; one of each noun."""
        key = path or (category,)
        if key not in self._beside:
            popular = (it.product for it in self._stock.most_popular(key[-1]))
            things = (thing_of(it) for it in popular if it.categories[: len(path)] == path)
            by_head: dict[str, Thing] = {}
            for thing in things:
                if thing is not None and " " in thing.name and self.has(thing):
                    by_head.setdefault(thing.head, thing)
            self._beside[key] = tuple(by_head.values())
        return self._beside[key]

    def categories(self, things: Sequence[Thing]) -> tuple[str, ...]:
        """The category in which the shop keeps most of each thing, in the order of the things."""
        names = [_most_frequent([offer.product.category for offer in self.of(thing)]) for thing in things]
        return tuple(dict.fromkeys(names))


def budget_for(
    offers: Sequence[Sequence[Listing]], level: float, *, dearest: bool = False, pieces: int = 1
) -> Money | None:
    """A round amount that buys so many pieces of one offer for each thing, or of the dearest thing alone.

    ``offers`` are those of each thing; ``level`` says where between the cheapest (0) and the dearest (1) it aims.
    None where the shop doesn't know the price of any offer for a thing, or where prices are in several currencies or
    in one that has no sign.
    """
    targets: list[Decimal] = []
    currencies: set[str] = set()
    for of_thing in offers:
        prices = sorted(offer.price for offer in of_thing if offer.price is not None)
        if not prices:
            return None
        targets.append(prices[round(level * (len(prices) - 1))])
        currencies |= {offer.product.currency for offer in of_thing if offer.price is not None}
    if len(currencies) != 1 or not can_be_said(min(currencies)):
        return None
    target = max(targets) if dearest else sum(targets, Decimal(0))
    return Money.of(rounded_up(target * pieces * _ROOM), currencies.pop())


def rounded_up(amount: Decimal) -> int:
    """The next amount that a person would name: 35, 60, 125, 450."""
    step = next(step for limit, step in _STEPS if amount < limit)
    return ceil(amount / step) * step


def price_level(history: History, offers: Offers) -> float:
    """Where the user buys between the cheapest (0) and the dearest (1) offers of a thing, kept between 0.2 and 0.8."""
    places: list[float] = []
    for purchase in history.purchases[:8]:
        prices = [offer.price for offer in offers.of(purchase.thing) if offer.price is not None]
        if purchase.price is not None and len(prices) >= 4:
            places.append(sum(price < Decimal(str(purchase.price)) for price in prices) / len(prices))
    middle = sorted(places)[len(places) // 2] if places else _MIDDLE
    return min(0.8, max(0.2, middle))


def _most_frequent(names: list[str]) -> str:
    return max(sorted(set(names)), key=names.count)
