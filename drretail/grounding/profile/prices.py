"""The prices at which a user buys: absolute, and relative to the shop's prices in the same categories."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Literal, NamedTuple

from drretail.grounding.profile.purchases import CLEAR_SHARE, LEAST_USUAL, Purchases, stated
from drretail.grounding.text.wording import format_money
from drretail.records.score import Statement
from drretail.records.shop import Order
from drretail.records.tables.figures import counted

Level = Literal["low", "high"]
# The fewest comparable items that are worth a sentence.
LEAST_PRICES = 3


@dataclass(frozen=True, slots=True)
class PriceSpan:
    """The quartiles of a category's prices: a quarter is below ``low``, half are below ``middle``, a quarter above
    ``high``.
    """

    low: float
    middle: float
    high: float
    currency: str


class _Placed(NamedTuple):
    orders: tuple[Order, ...]
    price: float
    span: PriceSpan


def price_level(bought: Purchases) -> Iterator[Statement]:
    """The median of today's prices of what was bought; nothing if they are in several currencies."""
    priced = [
        (product.price, product.currency, orders)
        for product, orders in bought.items
        if product.price is not None and not product.price_from
    ]
    currencies = {currency for _, currency, _ in priced}
    if len(currencies) != 1:
        return
    prices, currency = [price for price, _, _ in priced], currencies.pop()
    least, middle, most = (format_money(value, currency) for value in (min(prices), median(prices), max(prices)))
    text = f"{len(prices)} of {counted(bought.item_count, 'item')} bought have a known price"
    text += f", today {least} to {most}, in the median {middle}." if least != most else f", today {least}."
    yield stated("price_level", text, _in_time(orders for _, _, orders in priced))


def price_position(bought: Purchases, spans: Mapping[str, PriceSpan]) -> Iterator[Statement]:
    """The position of the user's prices among the shop's, by leaf category."""
    items = placed(bought, spans)
    if len(items) < LEAST_PRICES:
        return
    below = sum(item.price < item.span.middle for item in items)
    cheap = sum(item.price < item.span.low for item in items)
    dear = sum(item.price > item.span.high for item in items)
    text = (
        f"{len(items)} of {counted(bought.item_count, 'item')} bought can be compared with the shop's prices in their "
        f"category: {below} cost less than the median, {cheap} are in the cheapest quarter, {dear} in the dearest."
    )
    yield stated("price_position", text, _in_time(item.orders for item in items))


def level_of(bought: Purchases, spans: Mapping[str, PriceSpan]) -> Level | None:
    """The side of the shop's medians on which a clear majority of the items lies; None without one, or with too few
    items.
    """
    items = placed(bought, spans)
    # If most items can't be compared with the shop's prices, they could lie on the other side.
    if len(items) < max(LEAST_USUAL, bought.item_count / 2):
        return None
    if sum(item.price < item.span.middle for item in items) >= CLEAR_SHARE * len(items):
        return "low"
    return "high" if sum(item.price > item.span.middle for item in items) >= CLEAR_SHARE * len(items) else None


def quarter(price: float, span: PriceSpan) -> float:
    """0 for a price in the cheapest quarter, 1 in the dearest, and a third and two thirds between."""
    return (0 if price < span.low else 1 if price < span.middle else 2 if price <= span.high else 3) / 3


def placed(bought: Purchases, spans: Mapping[str, PriceSpan]) -> list[_Placed]:
    """The items that can be compared with the shop's prices in their category."""
    return [
        _Placed(orders, product.price, span)
        for product, orders in bought.items
        if product.price is not None
        and not product.price_from
        and (span := spans.get(product.leaf_category)) is not None
        and span.currency == product.currency
    ]


def _in_time(items: Iterable[tuple[Order, ...]]) -> list[Order]:
    """The orders of all items, the oldest first."""
    return sorted((order for orders in items for order in orders), key=lambda order: (order.timestamp, order.order_id))
