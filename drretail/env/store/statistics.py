"""A shop's statistics about a user: pure functions, so that every store gives the same."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from drretail.grounding.profile.purchases import orders_per_month
from drretail.records.shop import (
    ORDER_STATUSES,
    USD,
    VOID_STATUSES,
    CountOf,
    Order,
    Product,
    ProductCount,
    UserStatistics,
)

TOP = 5
"""The number of favourites of a kind that are listed."""


def user_statistics(user_id: str, orders: Sequence[Order], products: Mapping[str, Product]) -> UserStatistics:
    """The statistics over all orders of a user, given in any order; prices are today's.

    Favourites are the ``TOP`` with most orders, ties by name or product id; categories are leaf categories. Amounts are
    rounded to cents, orders a month to two digits, the share to four.
    """
    by_status = Counter(order.order_status for order in orders)
    valid = sorted(
        (order for order in orders if order.order_status not in VOID_STATUSES),
        key=lambda order: (order.timestamp, order.order_id),
    )
    known = [(order, products[order.product_id]) for order in valid if order.product_id in products]
    bought = [product for _, product in known]
    amounts = [order.quantity * product.price for order, product in known if product.price is not None]
    spend = sum(amounts)
    return UserStatistics(
        user_id=user_id,
        orders=len(orders),
        orders_by_status={status: by_status[status] for status in ORDER_STATUSES if by_status[status]},
        items=sum(order.quantity for order in valid),
        spend=round(spend, 2),
        # A shop has one currency.
        currency=next((product.currency for product in products.values()), USD),
        orders_with_unknown_price=len(valid) - len(amounts),
        mean_order=round(spend / len(amounts), 2) if amounts else None,
        first_order=valid[0].order_date if valid else None,
        last_order=valid[-1].order_date if valid else None,
        orders_per_month=orders_per_month(valid),
        top_categories=top_names(product.leaf_category for product in bought),
        top_brands=top_names(product.brand for product in bought),
        top_products=top_products(bought),
        reorder_share=reorder_share(valid),
    )


def reorder_share(orders: Sequence[Order]) -> float | None:
    """The share of orders that repeat an earlier order of the same product; None without orders."""
    if not orders:
        return None
    distinct = len({order.product_id for order in orders})
    return round((len(orders) - distinct) / len(orders), 4)


def top_names(names: Iterable[str | None]) -> tuple[CountOf, ...]:
    counts = Counter(name for name in names if name)
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:TOP]
    return tuple(CountOf(name=name, orders=count) for name, count in best)


def top_products(bought: Sequence[Product]) -> tuple[ProductCount, ...]:
    counts = Counter(product.product_id for product in bought)
    titles = {product.product_id: product.title for product in bought}
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:TOP]
    return tuple(ProductCount(product_id=key, title=titles[key], orders=count) for key, count in best)
