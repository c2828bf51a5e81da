"""How often and how lately a user orders."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from statistics import median_low

from drretail.grounding.profile.prices import Level, PriceSpan, level_of
from drretail.grounding.profile.purchases import (
    Purchases,
    day_of,
    domain_name,
    leaf_category,
    moment_of,
    plain_name,
    stated,
)
from drretail.grounding.text.wording import counted, format_money
from drretail.records.score import Statement
from drretail.records.shop import Order, Product, UserStatistics
from drretail.tables.figures import percent

# Fewer orders, or a shorter time, show no rhythm.
LEAST_ORDERS, LEAST_DAYS = 3, 60
# Of two pauses the shorter one is no half.
LEAST_PAUSES = 3


def history(bought: Purchases) -> Iterator[Statement]:
    """How much there is, and how long ago the last of it was."""
    kept, void = bought.kept, len(bought.void)
    if not bought.orders:
        yield Statement(code="history", text="There is no order yet.")
        return
    if not kept:
        text = f"{counted(void, 'order')}, cancelled or returned; nothing was kept."
        yield stated("history", text, bought.orders)
        return
    first, last = day_of(kept[0]), day_of(kept[-1])
    since = f" between {first} and {last}" if first != last else f" on {last}"
    without = f"; {void} more came to nothing (cancelled or returned)" if void else ""
    yield stated("history", f"{counted(len(kept), 'order')}{since}{without}.", bought.orders)
    days = (bought.now.date() - moment_of(kept[-1]).date()).days
    if days >= 0:
        text = f"The last order was {counted(days, 'day')} before today, {bought.now.date().isoformat()}."
        yield stated("recency", text, kept[-1:])


def rhythm(bought: Purchases, statistics: UserStatistics) -> Iterator[Statement]:
    """The pace of the orders, and the pause that is usual between two days with orders."""
    if not has_rhythm(bought, statistics):
        return
    text = f"{statistics.orders_per_month:g} orders a month between the first and the last"
    days = sorted({moment_of(order).date() for order in bought.kept})
    pauses = [(after - before).days for before, after in pairwise(days)]
    if len(pauses) >= LEAST_PAUSES:
        text += f"; of the pauses between days with orders, half last {counted(median_low(pauses), 'day')} or less"
    yield stated("rhythm", f"{text}.", bought.kept)


def has_rhythm(bought: Purchases, statistics: UserStatistics) -> bool:
    """True when there are orders enough, over a time long enough, to speak of a pace."""
    kept = bought.kept
    if len(kept) < LEAST_ORDERS or statistics.orders_per_month is None:
        return False
    return (moment_of(kept[-1]) - moment_of(kept[0])).days >= LEAST_DAYS


MOST_CATEGORIES, MOST_BRANDS, MOST_REORDERED, MOST_RECENT, MOST_VOID = 5, 3, 3, 5, 3


def categories(bought: Purchases) -> Iterator[Statement]:
    """The most frequent categories; one order is enough to name one, for its count stands beside it."""
    return _shares("category", "of the orders are in", bought, leaf_category, MOST_CATEGORIES, least=1)


def brands(bought: Purchases) -> Iterator[Statement]:
    """The brands that came more than once: one order is no preference."""
    return _shares("brand", "of the orders are of the brand", bought, lambda it: it.brand, MOST_BRANDS, least=2)


def reordered(bought: Purchases) -> Iterator[Statement]:
    """The products that were ordered more than once, the most frequent first, ties by id."""
    by_product: dict[str, list[Order]] = {}
    for order in bought.kept:
        by_product.setdefault(order.product_id, []).append(order)
    again = [(key, orders) for key, orders in by_product.items() if len(orders) > 1]
    for key, orders in sorted(again, key=lambda item: (-len(item[1]), item[0]))[:MOST_REORDERED]:
        text = f"Ordered {len(orders)} times, last on {day_of(orders[-1])}: {bought.title(key)}."
        yield stated("reordered", text, orders)


def latest(bought: Purchases) -> Iterator[Statement]:
    """The newest orders that were kept, then the newest that came to nothing."""
    for order in bought.kept[::-1][:MOST_RECENT]:
        yield _purchase("recent_purchase", "Bought", order, bought)
    for order in bought.void[::-1][:MOST_VOID]:
        yield _purchase("void_order", order.order_status, order, bought)


def _shares(
    code: str, what: str, bought: Purchases, name_of: Callable[[Product], str | None], most: int, *, least: int
) -> Iterator[Statement]:
    """The most frequent names, each with its share of all orders; ties by name."""
    orders: dict[str, list[Order]] = {}
    for order, product in bought.known:
        if name := name_of(product):
            orders.setdefault(name, []).append(order)
    for name, theirs in sorted(orders.items(), key=lambda item: (-len(item[1]), item[0]))[:most]:
        if len(theirs) >= least:
            share = f"{percent(len(theirs) / len(bought.kept))} ({len(theirs)} of {len(bought.kept)})"
            yield stated(code, f"{share} {what} {plain_name(name)}.", theirs)


def _purchase(code: str, what: str, order: Order, bought: Purchases) -> Statement:
    number = f"{order.quantity} of " if order.quantity > 1 else ""
    price = _price(bought.products.get(order.product_id))
    return stated(code, f"{what} on {day_of(order)}: {number}{bought.title(order.product_id)}{price}.", [order])


def _price(product: Product | None) -> str:
    if product is None or product.price is None:
        return ""
    return f" ({'from ' if product.price_from else ''}{format_money(product.price, product.currency)})"


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
