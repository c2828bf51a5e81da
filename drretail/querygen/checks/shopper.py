"""What the shop's records tell of one user, as the checks need it."""

from dataclasses import dataclass
from functools import cached_property

from drretail.env.world import World
from drretail.errors import NotFound
from drretail.grounding.constraints.listing import Listing
from drretail.querygen.checks.stock import Stock
from drretail.records.shop import VOID_STATUSES, Order, UserProfile


@dataclass(frozen=True)
class Shopper:
    """A user with all orders, newest first, and what was ordered, by product id."""

    profile: UserProfile
    orders: tuple[Order, ...]
    products: dict[str, Listing]

    @cached_property
    def kept(self) -> tuple[Order, ...]:
        """The orders that were neither cancelled nor returned."""
        return tuple(order for order in self.orders if order.order_status not in VOID_STATUSES)

    @cached_property
    def order_ids(self) -> frozenset[str]:
        return frozenset(order.order_id for order in self.orders)

    @cached_property
    def bought(self) -> frozenset[str]:
        """The ids of the products of the orders that were kept."""
        return frozenset(order.product_id for order in self.kept)

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
    listings = stock.offers.listings(list(dict.fromkeys(order.product_id for order in orders)))
    return Shopper(profile, orders, {listing.product.product_id: listing for listing in listings})
