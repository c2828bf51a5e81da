"""What the shop's records tell of one user, as the checks need it."""

from dataclasses import dataclass, field
from functools import cached_property

from drretail.env.world import World
from drretail.errors import NotFound
from drretail.grounding.constraints.listing import Listing
from drretail.querygen.checks.stock import Stock
from drretail.querygen.rules.naming import Thing, bears_out, is_called
from drretail.records.shop import VOID_STATUSES, Order, UserProfile


@dataclass(frozen=True)
class Shopper:
    """A user with all orders, newest first, and what was ordered, by product id."""

    profile: UserProfile
    orders: tuple[Order, ...]
    products: dict[str, Listing]
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
    return Shopper(profile, orders, {listing.product.product_id: listing for listing in listings})
