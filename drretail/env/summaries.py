"""Profile summaries out of a world: the one text on a user that generators, judges and agents get."""

from collections import Counter
from collections.abc import Sequence

from drretail.env.catalog.base import CatalogQuery
from drretail.env.world import World
from drretail.errors import ToolError
from drretail.grounding.profile.prices import PriceSpan
from drretail.grounding.profile.purchases import leaf_category
from drretail.grounding.profile.summary import summarise
from drretail.records.score import ProfileSummary
from drretail.records.shop import Product

# Fewer prices tell nothing of what a category costs.
LEAST_PRICES = 10
# Of users with orders in hundreds of categories the most frequent are compared.
MOST_CATEGORIES = 8
_QUARTERS = (0.25, 0.5, 0.75)


class Summaries:
    """Summarises users of one world; remembers what its categories cost, so that many users cost little more."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._spans: dict[str, PriceSpan | None] = {}

    def of(self, user_id: str) -> ProfileSummary:
        """What the world's records tell of a user. Raises NotFound for an unknown one."""
        store = self._world.store
        orders = store.orders(user_id).orders
        products = store.products(sorted({order.product_id for order in orders}))
        bought = [products[order.product_id] for order in orders if order.product_id in products]
        return summarise(
            store.user(user_id),
            orders,
            products,
            store.statistics(user_id),
            self._world.manifest.now,
            self.prices(bought),
        )

    def prices(self, bought: Sequence[Product]) -> dict[str, PriceSpan]:
        """What the shop charges in the most frequent leaf categories of these, as far as enough prices are known."""
        counts = Counter(leaf_category(product) for product in bought)
        names = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_CATEGORIES]
        return {name: span for name in names if (span := self._span(name)) is not None}

    def _span(self, category: str) -> PriceSpan | None:
        if category not in self._spans:
            self._spans[category] = self._look_up(category)
        return self._spans[category]

    def _look_up(self, category: str) -> PriceSpan | None:
        """The quartiles of a category's prices; None with too few of them, or in several currencies."""
        try:
            total = self._world.catalog.search(_by_price(category, 0)).total
        except ToolError:  # no product of the index is in it
            return None
        if total < LEAST_PRICES:
            return None
        found = [self._at(category, int(total * part)) for part in _QUARTERS]
        prices = [product.price for product in found if product.price is not None]
        currencies = {product.currency for product in found}
        if len(prices) < len(_QUARTERS) or len(currencies) > 1:
            return None
        return PriceSpan(*prices, currency=currencies.pop())

    def _at(self, category: str, place: int) -> Product:
        page = self._world.catalog.search(_by_price(category, place))
        return self._world.store.product(page.hits[0].product_id)


def _by_price(category: str, offset: int) -> CatalogQuery:
    """One product with a known price, ``offset`` places above the cheapest."""
    return CatalogQuery("", category=category, price_min=0, sort_by="price", limit=1, offset=offset)
