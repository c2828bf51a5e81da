"""How familiar a user is with each part of the shop, and in one line what kind of shopper that makes."""

from collections.abc import Iterator, Mapping

from drretail.grounding.profile_prices import Level, PriceSpan, level_of
from drretail.grounding.profile_rhythm import has_rhythm
from drretail.grounding.purchases import Purchases, counted, day_of, domain_name, stated
from drretail.records.score import Statement
from drretail.records.shop import Order, UserStatistics

MOST_DOMAINS = 6
# Who ordered once may know nothing of a domain; a regular came back on several days.
REGULAR_ORDERS, REGULAR_DAYS = 5, 3
# Fewer orders make no type of shopper.
LEAST_ORDERS_OF_A_TYPE = 3
_MOSTLY, _OFTEN_AGAIN = 0.6, 0.3
_FREQUENT, _STEADY = 2.0, 0.5
"""Orders a month."""
_PRICES: dict[Level, str] = {
    "low": "usually below the middle price of the category",
    "middle": "at middling prices",
    "high": "usually above the middle price of the category",
}


def familiarity(bought: Purchases) -> Iterator[Statement]:
    """New to it, occasional or regular, for the domains with most orders; one without an order can't be told."""
    for domain, orders in _by_domain(bought)[:MOST_DOMAINS]:
        days = {day_of(order) for order in orders}
        number = f"{counted(len(orders), 'order')} on {counted(len(days), 'day')}"
        text = f"{domain}: {_familiar(len(orders), len(days))} ({number}, last on {day_of(orders[-1])})."
        yield stated("familiarity", text, orders)


def shopper_type(bought: Purchases, statistics: UserStatistics, spans: Mapping[str, PriceSpan]) -> Iterator[Statement]:
    """Pace, domains, price level and loyalty in one line, each as far as the history tells it."""
    if len(bought.kept) < LEAST_ORDERS_OF_A_TYPE:
        return
    level = level_of(bought, spans)
    parts = [
        f"In short: {_pace(bought, statistics)}{_focus(bought)}",
        *([f"buying {_PRICES[level]}"] if level else []),
        *_loyalty(bought),
    ]
    yield stated("shopper_type", f"{', '.join(parts)}.", bought.kept)


def _by_domain(bought: Purchases) -> list[tuple[str, list[Order]]]:
    """The orders of each domain, the largest first, ties by name."""
    domains: dict[str, list[Order]] = {}
    for order, product in bought.known:
        domains.setdefault(domain_name(product.category), []).append(order)
    return sorted(domains.items(), key=lambda item: (-len(item[1]), item[0]))


def _familiar(orders: int, days: int) -> str:
    if orders == 1:
        return "new to it"
    return "regular" if orders >= REGULAR_ORDERS and days >= REGULAR_DAYS else "occasional"


def _pace(bought: Purchases, statistics: UserStatistics) -> str:
    a_month = statistics.orders_per_month
    if a_month is None or not has_rhythm(bought, statistics):
        return "a shopper"
    if a_month >= _FREQUENT:
        return "a frequent shopper"
    return "a steady shopper" if a_month >= _STEADY else "an occasional shopper"


def _focus(bought: Purchases) -> str:
    domains = _by_domain(bought)
    if not domains:
        return ""
    name, orders = domains[0]
    if len(domains) == 1:
        return f" in {name}"
    if len(orders) >= _MOSTLY * len(bought.kept):
        return f", mostly in {name}"
    second = len(domains[1][1])
    others = len(domains[2][1]) if len(domains) > 2 else 0
    if second > others and len(orders) + second >= _MOSTLY * len(bought.kept):
        return f", above all in {name} and {domains[1][0]}"
    return f", in {len(domains)} domains"


def _loyalty(bought: Purchases) -> Iterator[str]:
    again = len(bought.kept) - len({order.product_id for order in bought.kept})
    if again >= _OFTEN_AGAIN * len(bought.kept):
        yield "often buying the same again"
    elif again == 0 and len(bought.kept) >= REGULAR_ORDERS:
        yield "never the same thing twice so far"
