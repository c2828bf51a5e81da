"""What the shop offers, looked up once since many queries ask for the same things, and what it knows of one user."""

from dataclasses import dataclass
from functools import cached_property

from drretail.env.catalog.base import CatalogQuery
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import NotFound
from drretail.grounding.constraints.listing import Listing, is_of_brand
from drretail.records.shop import VOID_STATUSES, Order, UserProfile

# So many products are looked at in a search for a brand.
_BRAND_HITS = 20


class Stock:
    """The offers of one world, and what checks and generator look up besides. Not for several threads at once."""

    def __init__(self, world: World) -> None:
        self._catalog = world.catalog
        self.offers = Offers(world)
        self._brands: dict[str, bool] = {}

    def has_brand(self, brand: str) -> bool:
        """True when some product is of this brand, sold by a store of this name, or has a title that begins so."""
        if brand not in self._brands:
            page = self._catalog.search(CatalogQuery(brand, match="phrase", limit=_BRAND_HITS))
            found = self.offers.listings([hit.product_id for hit in page.hits])
            self._brands[brand] = any(is_of_brand(listing, brand) for listing in found)
        return self._brands[brand]


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
