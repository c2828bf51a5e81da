"""What the shop's records tell of one user, as the checks need it."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from drretail.env.world import World
from drretail.errors import NotFound
from drretail.grounding.constraints.listing import Listing
from drretail.querygen.checks.stock import Stock
from drretail.querygen.rules.naming import Thing, bears_out, is_called
from drretail.records.shop import VOID_STATUSES, Order, UserProfile

# Once may be chance.
_LEAST_OF_A_BRAND = 2
_LEAST_OF_A_LEVEL = 2


@dataclass(frozen=True)
class Shopper:
    """A user with all orders, newest first, and what was ordered, by product id."""

    profile: UserProfile
    orders: tuple[Order, ...]
    products: dict[str, Listing]
    stock: Stock
    _orders_of: dict[tuple[str, ...], tuple[Order, ...]] = field(
        default_factory=dict[tuple[str, ...], tuple[Order, ...]]
    )

    @cached_property
    def kept(self) -> tuple[Order, ...]:
        """The orders that were neither cancelled nor returned."""
        return tuple(order for order in self.orders if order.order_status not in VOID_STATUSES)

    @cached_property
    def bought(self) -> frozenset[str]:
        """The ids of the products of the orders that were kept."""
        return frozenset(order.product_id for order in self.kept)

    @cached_property
    def brands(self) -> frozenset[str]:
        """The folded names of the brands that were bought more than once."""
        counts = Counter(name for listing in self.listings for name in listing.makers)
        return frozenset(name for name, count in counts.items() if count >= _LEAST_OF_A_BRAND)

    @cached_property
    def price_level(self) -> float | None:
        """Where the user buys between the cheapest (0) and the dearest (1) offers of a kind; None where unknown."""
        places = [place for listing in self.listings if (place := self.stock.price_place(listing)) is not None]
        return sorted(places)[len(places) // 2] if len(places) >= _LEAST_OF_A_LEVEL else None

    def orders_of(self, thing: Thing) -> tuple[Order, ...]:
        """The kept orders of products that go by this name, newest first."""
        if thing.words not in self._orders_of:
            products = {key for key, it in self.products.items() if is_called(it.product, thing)}
            self._orders_of[thing.words] = tuple(order for order in self.kept if order.product_id in products)
        return self._orders_of[thing.words]

    def orders_that_may_be(self, thing: Thing) -> tuple[Order, ...]:
        """The kept orders of products of which the title or a category ends in the noun of the name, newest first."""
        known = ((order, self.products.get(order.product_id)) for order in self.kept)
        return tuple(order for order, it in known if it is not None and bears_out(it.product, thing))

    @cached_property
    def listings(self) -> list[Listing]:
        """What was bought, once for each kept order."""
        return [self.products[order.product_id] for order in self.kept if order.product_id in self.products]


def read_shopper(world: World, stock: Stock, user_id: str) -> Shopper | None:
    """What is known of a user; None for one that the world does not hold."""
    try:
        profile = world.store.user(user_id)
    except NotFound:
        return None
    orders = world.store.orders(user_id).orders
    listings = stock.listings(list(dict.fromkeys(order.product_id for order in orders)))
    return Shopper(profile, orders, {listing.product.product_id: listing for listing in listings}, stock)
