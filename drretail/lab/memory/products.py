"""Products drawn from a world, and how often another product's values would do in the place of each one's own."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from drretail.data_ingest.perturb.brand_names import Name, name_of, names_on
from drretail.errors import UserError
from drretail.records.base import sha256_of
from drretail.records.shop import Product

PRICES = {"price within 1 %": 0.01, "price within 10 %": 0.1}
RATING, WITHIN = "rating within 0.1", 0.1
BRAND = "brand"
FIELDS = (*PRICES, RATING, BRAND)
THIRDS = 3
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class AskedProduct:
    """A product of which a model is asked."""

    product_id: str
    title: str
    currency: str
    price: float
    average_rating: float
    names: frozenset[Name]
    """Its store and makers; empty where the shop knows none."""
    chance: Mapping[str, float]
    """By field, the share of the category's other products whose value would pass for its own."""

    @property
    def has_name_in_title(self) -> bool:
        return any(_stands_in(name, name_of(self.title)) for name in self.names)


class _Listed(NamedTuple):
    """What is kept of every product that may be drawn."""

    product_id: str
    title: str
    currency: str
    category: str
    price: float
    rating: float
    ratings: int
    names: frozenset[Name]


def draw_products(products: Iterable[Product], n: int, seed: str) -> list[AskedProduct]:
    """``n`` products by lot, evenly over categories and over thirds by number of ratings; all where there are fewer.

    Only products with a price and a rating are drawn. Raises UserError where there is none.
    """
    listed = [
        _Listed(
            product.product_id,
            product.title,
            product.currency,
            product.category,
            product.price,
            product.average_rating,
            product.rating_number or 0,
            frozenset(map(name_of, names_on(product))),
        )
        for product in products
        if product.price and product.average_rating is not None
    ]
    if not listed:
        raise UserError("No product of this world has both a price and a rating: there is nothing to ask about.")
    categories: dict[str, list[_Listed]] = defaultdict(list)
    for product in listed:
        categories[product.category].append(product)
    others = {name: _Others(held if len(held) > 1 else listed) for name, held in categories.items()}
    return [_asked(product, others[product.category]) for product in _drawn(categories, n, seed)]


def _asked(listed: _Listed, others: "_Others") -> AskedProduct:
    chance = {name: others.price(listed, share) for name, share in PRICES.items()}
    chance |= {RATING: others.rating(listed), BRAND: others.brand(listed)}
    return AskedProduct(
        listed.product_id, listed.title, listed.currency, listed.price, listed.rating, listed.names, chance
    )


def _drawn(categories: Mapping[str, Sequence[_Listed]], n: int, seed: str) -> list[_Listed]:
    turns: list[tuple[int, str, _Listed]] = []
    for held in categories.values():
        ranked = sorted(held, key=lambda product: (product.ratings, product.product_id))
        for third in range(THIRDS):
            stratum = ranked[len(ranked) * third // THIRDS : len(ranked) * (third + 1) // THIRDS]
            lots = sorted((sha256_of([seed, product.product_id]), product) for product in stratum)
            turns += [(turn, lot, product) for turn, (lot, product) in enumerate(lots)]
    return [product for _, _, product in sorted(turns, key=lambda place: place[:2])[:n]]


class _Others:
    """The values of a category, to be counted."""

    def __init__(self, held: Sequence[_Listed]) -> None:
        self._count = len(held) - 1
        self._prices, self._ratings = (
            sorted(product.price for product in held),
            sorted(product.rating for product in held),
        )
        self._names = Counter(name for product in held for name in product.names)

    def price(self, listed: _Listed, share: float) -> float:
        return self._share(self._prices, listed.price, share * listed.price)

    def rating(self, listed: _Listed) -> float:
        return self._share(self._ratings, listed.rating, WITHIN)

    def brand(self, listed: _Listed) -> float:
        """Of the name that most others bear."""
        return max((self._names[name] - 1 for name in listed.names), default=0) / self._count if self._count else 0.0

    def _share(self, values: Sequence[float], value: float, away: float) -> float:
        if not self._count:
            return 0.0
        near = bisect_right(values, value + away + _ROUNDING) - bisect_left(values, value - away - _ROUNDING)
        return (near - 1) / self._count


def is_near(value: float, true: float, away: float) -> bool:
    return abs(value - true) <= away + _ROUNDING


def _stands_in(name: Name, words: Name) -> bool:
    return any(words[at : at + len(name)] == name for at in range(len(words) - len(name) + 1))
