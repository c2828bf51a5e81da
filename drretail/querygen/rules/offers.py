"""What the shop offers of a thing and what stands beside it, and budgets that it can meet."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from math import ceil

from drretail.grounding.constraints.affirmation import stance, stance_against
from drretail.grounding.constraints.fits import fitting
from drretail.grounding.constraints.listing import Listing
from drretail.querygen.checks.stock import Stock
from drretail.querygen.rules.history import History, Purchase, is_used_up
from drretail.querygen.rules.naming import Thing, thing_of
from drretail.querygen.rules.sentences import can_be_said
from drretail.records.money import Money
from drretail.records.shop import Product
from drretail.records.wish import Want

# What is offered must be common enough that an answer can choose.
_ENOUGH = 2
_MIDDLE = 0.5
# Nobody's budget is the sum of prices to the cent.
_ROOM = Decimal("1.1")
# A budget below the first number is a multiple of the second.
_STEPS = ((30, 5), (100, 10), (300, 25), (1000, 50), (10**12, 100))


class Assortment:
    """What one shop has of things; remembers what it has looked up, so that many users cost little more than one."""

    def __init__(self, stock: Stock) -> None:
        self._stock = stock
        self._wants: dict[str, Want] = {}
        self._of: dict[str, tuple[Listing, ...]] = {}
        self._used_up: dict[str, bool] = {}
        self._differ_in: dict[tuple[str, str], bool] = {}
        self._fitting: dict[Want, tuple[Listing, ...]] = {}
        self._beside: dict[tuple[str, ...], tuple[Thing, ...]] = {}

    def want_of(self, thing: Thing) -> Want:
        """One of a thing: what goes by its name, and its leaf category where all of that goes by its name, too."""
        if thing.name not in self._wants:
            named = self._of_kind(thing.name)
            leaves = Counter(path[-1] for path in (product.categories for product in named.values()) if len(path) > 1)
            leaf = min(leaves, key=lambda name: (-leaves[name], name), default=thing.name)
            kinds = (thing.name, leaf) if self._of_kind(leaf).keys() <= named.keys() else (thing.name,)
            self._wants[thing.name] = Want(name=thing.name, kinds=kinds)
        return self._wants[thing.name]

    def of(self, thing: Thing) -> tuple[Listing, ...]:
        """Every product that would do for one of a thing, by id."""
        if thing.name not in self._of:
            self._of[thing.name] = self._stock.offers.of_want(self.want_of(thing))
        return self._of[thing.name]

    def fitting(self, want: Want, without: Collection[str] = ()) -> list[Listing]:
        """What would do for a want, as answers are measured by it; products in ``without`` do not count."""
        if want not in self._fitting:
            self._fitting[want] = fitting(want, self._stock.offers.of_want(want)).listings
        return [listing for listing in self._fitting[want] if listing.product.product_id not in without]

    def differ_in(self, thing: Thing, demand: str) -> bool:
        """True when some offers are known to be what is demanded, and others are not."""
        key = thing.name, demand
        if key not in self._differ_in:
            self._differ_in[key] = _some(stance(listing.words, demand) == "kept" for listing in self.of(thing))
        return self._differ_in[key]

    def differ_by(self, thing: Thing, unwanted: str) -> bool:
        """True when some offers are known to have what is unwanted, and others are not."""
        return _some(stance_against(listing.words, unwanted) == "broken" for listing in self.of(thing))

    def has(self, thing: Thing, without: Collection[str] = ()) -> bool:
        """True when the shop offers enough of it to choose from."""
        return sum(offer.product.product_id not in without for offer in self.of(thing)) >= _ENOUGH

    def are_priced(self, thing: Thing) -> bool:
        """True when the shop knows what any of them costs."""
        return any(offer.price is not None for offer in self.of(thing))

    def are_used_up(self, thing: Thing) -> bool:
        """True when the shop keeps most of it among what is bought again and again."""
        if thing.name not in self._used_up:
            used_up = [is_used_up(offer.product.categories, thing) for offer in self.of(thing)]
            self._used_up[thing.name] = 2 * sum(used_up) > len(used_up)
        return self._used_up[thing.name]

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

    def _of_kind(self, kind: str) -> dict[str, Product]:
        listings = self._stock.offers.of_want(Want(name=kind, kinds=(kind,)))
        return {listing.product.product_id: listing.product for listing in listings}


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


def price_level(history: History, assortment: Assortment) -> float:
    """Where the user buys between the cheapest (0) and the dearest (1) offers of a thing, kept between 0.2 and 0.8."""
    places: list[float] = []
    for purchase in history.purchases[:8]:
        prices = [offer.price for offer in assortment.of(purchase.thing) if offer.price is not None]
        if purchase.price is not None and len(prices) >= 4:
            places.append(sum(price < Decimal(str(purchase.price)) for price in prices) / len(prices))
    middle = sorted(places)[len(places) // 2] if places else _MIDDLE
    return min(0.8, max(0.2, middle))


def _some(answers: Iterable[bool]) -> bool:
    """True when some are true, and not all; looks no further than it must."""
    seen = set[bool]()
    for answer in answers:
        seen.add(answer)
        if len(seen) > 1:
            return True
    return False
