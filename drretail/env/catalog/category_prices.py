"""What the products of a category cost: of all that have a price, however many there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor

from drretail.env.catalog.base import Catalog, CatalogQuery
from drretail.env.store.base import Store
from drretail.errors import ToolError
from drretail.grounding.profile.prices import PriceSpan


@dataclass(frozen=True, slots=True)
class CategoryPrices:
    """The prices in a category, its subcategories included; ``priced`` is the number of products that have one."""

    priced: int
    least: float
    most: float
    span: PriceSpan


class PricesByCategory:
    """Looks up the categories of one shop, each once."""

    def __init__(self, catalog: Catalog, store: Store) -> None:
        self._catalog = catalog
        self._store = store
        self._found: dict[str, CategoryPrices | None] = {}

    def of(self, category: str) -> CategoryPrices | None:
        """None for a category without prices, or with prices in several currencies."""
        if category not in self._found:
            self._found[category] = self._look_up(category)
        return self._found[category]

    def _look_up(self, category: str) -> CategoryPrices | None:
        """By the products at the quartiles, in order of their prices: reading all of a large category takes long."""
        search = self._catalog.search
        try:
            priced = search(_by_price(category, 0)).total
        except ToolError:  # no product of the index is in it
            return None
        last = priced - 1
        quartiles = [last * part / 4 for part in (1, 2, 3)]
        places = {0, last, *map(floor, quartiles), *map(ceil, quartiles)} if priced else set[int]()
        hits = {place: search(_by_price(category, place)).hits[0].product_id for place in places}
        records = self._store.products(list(set(hits.values())))
        currencies = {record.currency for record in records.values()}
        if len(currencies) != 1:
            return None
        prices = {place: records[product_id].price or 0.0 for place, product_id in hits.items()}
        span = PriceSpan(*(_between(prices, place) for place in quartiles), currency=currencies.pop())
        return CategoryPrices(priced, prices[0], prices[last], span)


def _between(prices: Mapping[int, float], place: float) -> float:
    """The price at a place; between two products on the straight line from one to the other, as a median is."""
    below, above = prices[floor(place)], prices[ceil(place)]
    return below + (above - below) * (place - floor(place))


def _by_price(category: str, offset: int) -> CatalogQuery:
    """One product with a known price, ``offset`` places above the cheapest."""
    return CatalogQuery("", category=category, price_min=0, sort_by="price", limit=1, offset=offset)
