"""A user's orders laid out for statements: what was kept, what came to nothing, and of which products."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from drretail.grounding.text.wording import short_title
from drretail.records.score import Statement
from drretail.records.shop import VOID_STATUSES, Order, Product

MOST_IDS = 12
"""A statement names so many of the orders that it rests on, the newest, and counts the rest."""
_NAME_LENGTH, _TITLE_LENGTH = 60, 80


@dataclass(frozen=True)
class Purchases:
    """All orders of a user from the oldest to the newest, ties by order id; ``products`` are those ordered, by id."""

    orders: tuple[Order, ...]
    products: Mapping[str, Product]
    now: datetime

    @classmethod
    def of(cls, orders: Sequence[Order], products: Mapping[str, Product], now: datetime) -> "Purchases":
        """The same for the same orders, in whatever order they come."""
        return cls(tuple(sorted(orders, key=lambda order: (order.timestamp, order.order_id))), products, now)

    @cached_property
    def kept(self) -> tuple[Order, ...]:
        return tuple(order for order in self.orders if order.order_status not in VOID_STATUSES)

    @cached_property
    def void(self) -> tuple[Order, ...]:
        return tuple(order for order in self.orders if order.order_status in VOID_STATUSES)

    @cached_property
    def known(self) -> tuple[tuple[Order, Product], ...]:
        """The kept orders whose products the shop still has."""
        return tuple(
            (order, self.products[order.product_id]) for order in self.kept if order.product_id in self.products
        )

    def title(self, product_id: str) -> str:
        product = self.products.get(product_id)
        said = short_title(product.title, _TITLE_LENGTH) if product else "a product that the shop has no more"
        return f"{said} [{product_id}]"


def stated(code: str, text: str, orders: Sequence[Order]) -> Statement:
    """A statement that rests on these orders, oldest first."""
    named = tuple(order.order_id for order in orders[-MOST_IDS:])
    return Statement(code=code, text=text, orders=named, more_orders=len(orders) - len(named))


def moment_of(order: Order) -> datetime:
    return datetime.fromtimestamp(order.timestamp // 1000, UTC)


def day_of(order: Order) -> str:
    """The day of an order, such as 2023-04-01."""
    return moment_of(order).date().isoformat()


def leaf_category(product: Product) -> str:
    """The most specific category there is; else that of the file."""
    return product.leaf_category


def known_leaf(product: Product) -> str | None:
    """The leaf of a real path; None where the path only repeats the file's category, which nearly everything shares."""
    return None if product.categories in ((), (product.category,)) else product.categories[-1]


def domain_name(category: str) -> str:
    """The file's category as one says it: "Pet Supplies"."""
    return plain_name(category.replace("_", " "))


def plain_name(name: str) -> str:
    """A category or brand on one line, cut where it is endless."""
    return short_title(name, _NAME_LENGTH)
