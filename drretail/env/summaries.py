"""Profile summaries out of a world: the one text on a user that generators, judges and agents get."""

from collections import Counter
from collections.abc import Sequence

from drretail.env.catalog.category_prices import PricesByCategory
from drretail.env.world import World
from drretail.grounding.profile.prices import PriceSpan
from drretail.grounding.profile.summary import summarise
from drretail.records.score import ProfileSummary
from drretail.records.shop import Product

# Fewer prices tell nothing of what a category costs.
LEAST_PRICES = 10
# Of users with orders in hundreds of categories the most frequent are compared: each is some searches.
MOST_CATEGORIES = 20


class Summaries:
    """Summarises users of one world; remembers what its categories cost, so that many users cost little more."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._prices = PricesByCategory(world.catalog, world.store)

    def of(self, user_id: str, question: str = "") -> ProfileSummary:
        """What the world's records tell of a user who asks a question. Raises NotFound for an unknown user."""
        store = self._world.store
        orders = store.orders(user_id).orders
        products = store.products(sorted({order.product_id for order in orders}))
        bought = [products[order.product_id] for order in orders if order.product_id in products]
        return summarise(
            store.user(user_id),
            orders,
            products,
            self._world.manifest.now,
            self.prices(bought),
            question,
        )

    def prices(self, bought: Sequence[Product]) -> dict[str, PriceSpan]:
        """What the shop charges in the most frequent leaf categories of these, as far as enough prices are known."""
        counts = Counter(product.leaf_category for product in bought)
        names = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_CATEGORIES]
        found = {name: self._prices.of(name) for name in names}
        return {name: prices.span for name, prices in found.items() if prices and prices.priced >= LEAST_PRICES}
