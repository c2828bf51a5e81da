"""At what prices a user buys: by themselves, and against what the shop charges in the same categories."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Literal

from drretail.grounding.profile.purchases import Purchases, leaf_category, stated
from drretail.grounding.text.wording import format_money
from drretail.records.score import Statement
from drretail.records.shop import Order

Level = Literal["low", "middle", "high"]
# Two prices show no level; and of those known, so large a part must lie on one side.
LEAST_PRICES, CLEAR_SHARE = 3, 0.6


@dataclass(frozen=True, slots=True)
class PriceSpan:
    """A category's prices: a quarter is below ``low``, half are below ``middle``, a quarter is above ``high``."""

    low: float
    middle: float
    high: float
    currency: str


@dataclass(frozen=True, slots=True)
class _Placed:
    order: Order
    price: float
    span: PriceSpan


def price_level(bought: Purchases) -> Iterator[Statement]:
    """The middle of the prices paid, as they are today; nothing where they are in several currencies."""
    priced = [
        (order, it.price, it.currency) for order, it in bought.known if it.price is not None and not it.price_from
    ]
    currencies = {currency for _, _, currency in priced}
    if len(currencies) != 1:
        return
    prices, currency = [price for _, price, _ in priced], currencies.pop()
    if len(prices) == 1:
        text = f"The one item whose price is known costs {format_money(prices[0], currency)} today."
    else:
        low, middle, high = (format_money(value, currency) for value in (min(prices), median(prices), max(prices)))
        text = f"Items cost {middle} in the middle (median of {len(prices)} at today's prices), {low} to {high}."
    yield stated("price_level", text, [order for order, _, _ in priced])


def price_position(bought: Purchases, spans: Mapping[str, PriceSpan]) -> Iterator[Statement]:
    """Where the prices paid lie among the shop's; ``spans`` are by leaf category."""
    placed = _placed(bought, spans)
    if len(placed) < LEAST_PRICES:
        return
    below = sum(it.price < it.span.middle for it in placed)
    cheap = sum(it.price < it.span.low for it in placed)
    dear = sum(it.price > it.span.high for it in placed)
    text = (
        f"Against the shop's prices in the same category, {below} of {len(placed)} items cost less than the middle; "
        f"{cheap} are in the cheapest quarter, {dear} in the dearest."
    )
    yield stated("price_position", text, [it.order for it in placed])


def level_of(bought: Purchases, spans: Mapping[str, PriceSpan]) -> Level | None:
    """Where a clear part of the prices lies among the shop's; None where too few can be compared."""
    placed = _placed(bought, spans)
    if len(placed) < LEAST_PRICES:
        return None
    below = sum(it.price < it.span.middle for it in placed) / len(placed)
    above = sum(it.price > it.span.middle for it in placed) / len(placed)
    if below >= CLEAR_SHARE:
        return "low"
    return "high" if above >= CLEAR_SHARE else "middle"


def mean_quarter(bought: Purchases, spans: Mapping[str, PriceSpan]) -> float | None:
    """The mean quarter of the shop's prices that the prices lie in, 0 to 1; None where too few can be compared."""
    placed = _placed(bought, spans)
    if len(placed) < LEAST_PRICES:
        return None
    return round(sum(quarter(it.price, it.span) for it in placed) / len(placed), 4)


def quarter(price: float, span: PriceSpan) -> float:
    """0 below the cheapest quarter's end, 1 above the dearest's beginning, a third and two thirds between."""
    return (0 if price < span.low else 1 if price < span.middle else 2 if price <= span.high else 3) / 3


def _placed(bought: Purchases, spans: Mapping[str, PriceSpan]) -> list[_Placed]:
    return [
        _Placed(order, product.price, span)
        for order, product in bought.known
        if product.price is not None
        and not product.price_from
        and (span := spans.get(leaf_category(product))) is not None
        and span.currency == product.currency
    ]
