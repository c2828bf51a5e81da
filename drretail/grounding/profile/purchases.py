"""A user's orders prepared for statements: what was kept, what was cancelled or returned, and of which products."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from math import floor, log2

from drretail.grounding.profile.naming import may_be_shown
from drretail.grounding.text.harmless import harmless
from drretail.grounding.text.wording import short_title
from drretail.records.score import Statement
from drretail.records.shop import VOID_STATUSES, Order, Product, PurchaseItem

# "Usually", "mostly" and "often" need so many items or orders, and so large a share: of 8 coins, 6 or more heads
# come up in one try of seven, of 20 coins 15 in one of fifty.
LEAST_USUAL, CLEAR_SHARE = 8, 0.75
_MONTH = 30.44 * 86_400_000
"""Milliseconds."""
MOST_IDS = 12
"""The most orders that a statement names, the newest; it counts the others."""
_LOWEST, _HIGHEST = 5, 640
"""Prices below the lower or from the upper bound are one band each."""
_NAME_LENGTH, _TITLE_LENGTH = 60, 80


@dataclass(frozen=True)
class Purchases:
    """All orders of a user from the oldest to the newest, ties by order id; ``products`` are those ordered, by id.

    ``question`` is what the user asks: intimate purchases that it names may be shown.
    """

    orders: tuple[Order, ...]
    products: Mapping[str, Product]
    now: datetime
    question: str = ""

    @classmethod
    def of(
        cls, orders: Sequence[Order], products: Mapping[str, Product], now: datetime, question: str = ""
    ) -> "Purchases":
        """Equal for equal orders, in whatever order they come."""
        return cls(tuple(sorted(orders, key=lambda order: (order.timestamp, order.order_id))), products, now, question)

    @cached_property
    def kept(self) -> tuple[Order, ...]:
        return tuple(order for order in self.orders if order.order_status not in VOID_STATUSES)

    @cached_property
    def void(self) -> tuple[Order, ...]:
        return tuple(order for order in self.orders if order.order_status in VOID_STATUSES)

    @cached_property
    def known(self) -> tuple[tuple[Order, Product], ...]:
        """The kept orders whose products the shop still has."""
        products = self.products
        return tuple((order, products[order.product_id]) for order in self.kept if order.product_id in products)

    @cached_property
    def items(self) -> tuple[tuple[Product, tuple[Order, ...]], ...]:
        """Each known product once, with its orders: neither a large order nor a reorder counts more
        than another item.
        """
        orders = by_name((product.product_id, order) for order, product in self.known)
        return tuple((self.products[key], tuple(theirs)) for key, theirs in orders.items())

    @cached_property
    def item_count(self) -> int:
        """The number of different products kept, including those that the shop no longer has."""
        return len({order.product_id for order in self.kept})

    @cached_property
    def shown(self) -> tuple[tuple[Order, Product], ...]:
        """The known orders that statements may name."""
        return tuple((order, product) for order, product in self.known if self.shows(order))

    @cached_property
    def _hidden(self) -> frozenset[str]:
        return frozenset(key for key, product in self.products.items() if not may_be_shown(product, self.question))

    def shows(self, order: Order) -> bool:
        """False for an intimate purchase that must not be named."""
        return order.product_id not in self._hidden

    def title(self, product_id: str) -> str:
        product = self.products.get(product_id)
        title = short_title(product.title, _TITLE_LENGTH) if product else "a product that the shop has no more"
        return f"{title} [{product_id}]"

    def about(self, code: str, text: str, orders: Sequence[Order]) -> Statement:
        """A statement on the one product of these orders, oldest first."""
        product = self.products.get(orders[-1].product_id)
        if product is None:
            return stated(code, text, orders)
        names = (product.title, product.brand) if product.brand else (product.title,)
        return stated(code, text, orders, categories=(product.leaf_category,), names=names)


def stated(
    code: str, text: str, orders: Sequence[Order], *, categories: tuple[str, ...] = (), names: tuple[str, ...] = ()
) -> Statement:
    """A statement that rests on these orders, oldest first, and names these things."""
    ids = tuple(order.order_id for order in orders[-MOST_IDS:])
    more = len(orders) - len(ids)
    return Statement(code=code, text=harmless(text), orders=ids, more_orders=more, categories=categories, names=names)


def by_name(named: Iterable[tuple[str, Order]]) -> dict[str, list[Order]]:
    """The orders of each name, in the order in which they come."""
    groups: dict[str, list[Order]] = {}
    for name, order in named:
        groups.setdefault(name, []).append(order)
    return groups


def orders_per_month(orders: Sequence[Order]) -> float | None:
    """Orders per month between the first and the last, which count as one month at least."""
    if not orders:
        return None
    months = (orders[-1].timestamp - orders[0].timestamp) / _MONTH
    return round(len(orders) / max(months, 1.0), 2)


def moment_of(order: Order) -> datetime:
    return datetime.fromtimestamp(order.timestamp // 1000, UTC)


def day_of(order: Order) -> str:
    """The day of an order, such as 2023-04-01."""
    return moment_of(order).date().isoformat()


def known_leaf(product: Product) -> str | None:
    """The leaf category; None if the path only repeats the file's category, which nearly all products share."""
    return None if product.categories in ((), (product.category,)) else product.categories[-1]


def plain_name(name: str) -> str:
    """A category or brand on one line, cut if it is too long."""
    return short_title(name, _NAME_LENGTH)


def purchase_item_of(product: Product) -> PurchaseItem:
    """The product's aspects that a guess at a purchase may hit."""
    return PurchaseItem(
        product_id=product.product_id,
        category=known_leaf(product),
        brand=product.brand,
        price_band=None if product.price is None else price_band(product.price, product.currency),
    )


def price_band(price: float, currency: str) -> str:
    """The band of a price, such as "USD 20-40", the same in every category and world."""
    if price < _LOWEST:
        return f"{currency} 0-{_LOWEST}"
    if price >= _HIGHEST:
        return f"{currency} {_HIGHEST}+"
    lower = _LOWEST * 2 ** floor(log2(price / _LOWEST))
    return f"{currency} {lower}-{2 * lower}"
