"""Profile summaries from a world: the one text about a user that generators, judges and agents get.

A summary states what products of a category cost, over all products with a price.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, floor

from drretail.env.catalog.base import CatalogQuery
from drretail.env.profile import PriceSpan, summarise
from drretail.env.world import World
from drretail.errors import ToolError
from drretail.records.shop import Product, ProfileSummary
from drretail.remembered import remembered

# Fewer prices do not show what a category costs.
LEAST_PRICES = 10
# A user may have orders in hundreds of categories, and each takes several searches: only the most frequent count.
MOST_CATEGORIES = 20


def _between(prices: Mapping[int, float], place: float) -> float:
    """The price at a position; between two products it is interpolated linearly, as for a median."""
    below, above = prices[floor(place)], prices[ceil(place)]
    return below + (above - below) * (place - floor(place))


def _by_price(category: str, offset: int) -> CatalogQuery:
    """A query for one product with a known price, ``offset`` positions above the cheapest."""
    return CatalogQuery("", category=category, price_min=0, sort_by="price", limit=1, offset=offset)


class Summaries:
    """Summarises users of one world; it remembers what categories cost, so that further users cost little more."""

    def __init__(self, world: World) -> None:
        self._world = world

    def of(self, user_id: str, question: str = "") -> ProfileSummary:
        """The summary of the world's records of a user who asks a question. Raises NotFound for an unknown user."""
        store = self._world.store
        orders = store.orders(user_id).orders
        products = store.products(sorted({order.product_id for order in orders}))
        bought = [products[order.product_id] for order in orders if order.product_id in products]
        now = self._world.manifest.now
        return summarise(store.user(user_id), orders, products, now, self.prices(bought), question)

    def prices(self, bought: Sequence[Product]) -> dict[str, PriceSpan]:
        """The shop's prices in these products' most frequent leaf categories that have enough prices."""
        counts = Counter(product.leaf_category for product in bought)
        names = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_CATEGORIES]
        spans = {name: self.prices_in(name) for name in names}
        return {name: span for name, span in spans.items() if span is not None}

    @remembered
    def prices_in(self, category: str) -> PriceSpan | None:
        """The quartiles of a category, subcategories included; None if it has too few prices, or several currencies."""
        # Only the products at the quartiles, in order of price: reading all of a large category takes long.
        search = self._world.catalog.search
        try:
            priced = search(_by_price(category, 0)).total
        except ToolError:  # the index has no product in this category
            return None
        if priced < LEAST_PRICES:
            return None
        quartiles = [(priced - 1) * part / 4 for part in (1, 2, 3)]
        places = {*map(floor, quartiles), *map(ceil, quartiles)}
        hits = {place: search(_by_price(category, place)).hits[0].product_id for place in places}
        records = self._world.store.products(list(set(hits.values())))
        currencies = {record.currency for record in records.values()}
        if len(currencies) != 1:
            return None
        prices = {place: records[product_id].price or 0.0 for place, product_id in hits.items()}
        return PriceSpan(*(_between(prices, place) for place in quartiles), currency=currencies.pop())
