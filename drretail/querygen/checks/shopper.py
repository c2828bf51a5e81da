"""What the shop's records tell of one user, as the checks need it."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from drretail.env.world import World
from drretail.errors import NotFound
from drretail.grounding.listing import Listing
from drretail.querygen.checks.stock import Stock, thing_bought
from drretail.querygen.things import Thing, folded_words
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

    @cached_property
    def kept(self) -> tuple[Order, ...]:
        """The orders that were neither cancelled nor returned."""
        return tuple(order for order in self.orders if order.order_status not in VOID_STATUSES)

    @cached_property
    def bought(self) -> frozenset[str]:
        """The ids of the products of the orders that were kept."""
        return frozenset(order.product_id for order in self.kept)

    @cached_property
    def by_thing(self) -> dict[tuple[str, ...], tuple[Order, ...]]:
        """The kept orders by the folded words of the thing that was bought: "nail files" are what a nail file is."""
        by_name: dict[tuple[str, ...], list[Order]] = {}
        for order in self.kept:
            listing = self.products.get(order.product_id)
            thing = thing_bought(listing.product.title, listing.product.categories) if listing else None
            if thing is not None:
                by_name.setdefault(tuple(folded_words(thing.name)), []).append(order)
        return {name: tuple(orders) for name, orders in by_name.items()}

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
        """The kept orders of a kind of thing, newest first."""
        return self.by_thing.get(tuple(folded_words(thing.name)), ())

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
