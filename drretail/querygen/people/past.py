"""What a user's records hold, for whoever tells of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from drretail.env.world import World
from drretail.grounding.profile.naming import may_be_shown
from drretail.grounding.profile.purchases import day_of
from drretail.grounding.profile.summary import summarise
from drretail.grounding.text.wording import format_money, short_title
from drretail.grounding.text.words import content_stems
from drretail.records.score import ProfileSummary
from drretail.records.shop import VOID_STATUSES, Order, Product, UserProfile

MOST_ORDERS = 60
"""The newest; a persona of more would rest on what nobody reads."""


@dataclass(frozen=True, slots=True)
class Past:
    """A user's profile and orders, the oldest first, with the products that the shop still has."""

    profile: UserProfile
    orders: tuple[Order, ...]
    products: Mapping[str, Product]
    now: datetime

    @property
    def user_id(self) -> str:
        return self.profile.user_id

    @property
    def kept(self) -> tuple[Order, ...]:
        """Orders that were neither cancelled nor returned, of products that the shop still has."""
        return tuple(
            order
            for order in self.orders
            if order.order_status not in VOID_STATUSES and order.product_id in self.products
        )

    @property
    def residence(self) -> str:
        address = self.profile.address
        return ", ".join(part for part in (address.city, address.state, address.country) if part)

    def summary(self) -> ProfileSummary:
        """The statements that code makes of these records, each with its orders."""
        return summarise(self.profile, self.orders, self.products, self.now)

    def shows(self, order: Order) -> bool:
        """False where the product of an order is not to be named."""
        product = self.products.get(order.product_id)
        return product is None or may_be_shown(product)

    def only(self, order_ids: Collection[str]) -> "Past":
        """The same user as one would know them from these orders alone."""
        return replace(self, orders=tuple(order for order in self.orders if order.order_id in order_ids))

    def line(self, order: Order) -> str:
        """An order in a line: day, what and how many, its category, price and status."""
        product = self.products.get(order.product_id)
        if product is None:
            return f"{day_of(order)}: {order.quantity} of a product that the shop has no more ({order.order_status})"
        price = "" if product.price is None else f", {format_money(product.price, product.currency)} each"
        title, kind = short_title(product.title, 100), product.leaf_category
        return f"{day_of(order)}: {order.quantity} × {title} ({kind}){price}; {order.order_status}"

    def words(self) -> frozenset[str]:
        """The stems of what the user bought: titles, category paths and brands of the orders that were kept."""
        bought = [self.products[order.product_id] for order in self.kept]
        return frozenset(
            stem for product in bought for stem in content_stems(" ".join((product.title, *product.categories)))
        )


def read_past(world: World, user_id: str) -> Past:
    """A user's records in a world. Raises NotFound for an unknown user."""
    store = world.store
    newest = store.orders(user_id).orders[:MOST_ORDERS]
    orders = tuple(sorted(newest, key=lambda order: (order.timestamp, order.order_id)))
    products = store.products(sorted({order.product_id for order in orders}))
    return Past(store.user(user_id), orders, products, world.manifest.now)
