"""What a shop's records show of a user, for generators, judges and agents: every statement names its orders.

It leaves out street, e-mail and telephone, and what the history can't show. Its length is bounded, however many orders
there are. A word such as "steady" or "mostly" needs ``LEAST_USUAL`` orders.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice, pairwise
from statistics import median_low

from drretail.grounding.profile.prices import Level, PriceSpan, level_of, price_level, price_position
from drretail.grounding.profile.purchases import (
    CLEAR_SHARE,
    LEAST_USUAL,
    Purchases,
    by_name,
    day_of,
    known_leaf,
    moment_of,
    orders_per_month,
    plain_name,
    stated,
)
from drretail.grounding.text.wording import format_money
from drretail.records.score import ProfileSummary, Statement
from drretail.records.shop import Order, Product, UserProfile
from drretail.records.tables.figures import counted, percent

# The fewest orders, and the shortest time, that show a rhythm.
LEAST_ORDERS, LEAST_DAYS = 3, 60
# With two pauses, "half" would be one of them.
LEAST_PAUSES = 3


def summarise(
    profile: UserProfile,
    orders: Sequence[Order],
    products: Mapping[str, Product],
    now: datetime,
    prices: Mapping[str, PriceSpan] | None = None,
    question: str = "",
) -> ProfileSummary:
    """The summary of a user (paper section 3.2); ``orders`` are all orders in any order, ``products`` those ordered.

    ``now`` is the shop's current date; ``prices`` are the shop's by leaf category, to compare the user's with. Intimate
    purchases are counted, and named only if ``question`` names them.
    """
    bought, spans = Purchases.of(orders, products, now, question), prices or {}
    place = ", ".join(filter(None, (profile.address.city, profile.address.state, profile.address.country)))
    statements = [
        stated("person", f"{profile.first_name} {profile.last_name} of {place}.", ()),
        *_shopper_type(bought, spans),
        *_history(bought),
        *_rhythm(bought),
        *_domains(bought),
        *_categories(bought),
        *_brands(bought),
        *price_level(bought),
        *price_position(bought, spans),
        *_reordered(bought),
        *_latest(bought),
    ]
    return ProfileSummary(user_id=profile.user_id, statements=tuple(statements))


def _history(bought: Purchases) -> Iterator[Statement]:
    orders, void = bought.kept, len(bought.void)
    if not orders:
        nothing = f"{counted(void, 'order')}, cancelled or returned; nothing was kept."
        yield stated("history", nothing if void else "There is no order yet.", bought.orders)
        return
    first, last = day_of(orders[0]), day_of(orders[-1])
    since = f" between {first} and {last}" if first != last else f" on {last}"
    without = f"; {void} more came to nothing (cancelled or returned)" if void else ""
    yield stated("history", f"{counted(len(orders), 'order')}{since}{without}.", bought.orders)
    days = (bought.now.date() - moment_of(orders[-1]).date()).days
    if days >= 0:
        text = f"The last order was {counted(days, 'day')} before today, {bought.now.date()}."
        yield stated("recency", text, orders[-1:])


def _rhythm(bought: Purchases) -> Iterator[Statement]:
    """The pace of the orders, and the usual pause between two days with orders."""
    orders = bought.kept
    if len(orders) < LEAST_ORDERS or (moment_of(orders[-1]) - moment_of(orders[0])).days < LEAST_DAYS:
        return
    text = f"{orders_per_month(orders):g} orders a month between the first and the last"
    days = sorted({moment_of(order).date() for order in orders})
    pauses = [(after - before).days for before, after in pairwise(days)]
    if len(pauses) >= LEAST_PAUSES:
        text += f"; of the pauses between days with orders, half last {counted(median_low(pauses), 'day')} or less"
    yield stated("rhythm", f"{text}.", orders)


MOST_CATEGORIES, MOST_BRANDS, MOST_REORDERED, MOST_RECENT, MOST_VOID = 5, 3, 3, 5, 3


def _categories(bought: Purchases) -> Iterator[Statement]:
    """The leaf categories with more than one order, each with all orders in it or in categories below it."""
    leaves = {leaf for _, product in bought.shown if (leaf := known_leaf(product)) is not None}
    in_each = by_name(
        (name, order) for order, product in bought.shown for name in leaves.intersection(product.categories)
    )
    for name, share, orders in _most_frequent(bought, in_each, MOST_CATEGORIES):
        yield stated("category", f"{share} of the orders are in {plain_name(name)}.", orders, categories=(name,))


def _brands(bought: Purchases) -> Iterator[Statement]:
    by_brand = by_name((product.brand, order) for order, product in bought.shown if product.brand)
    for name, share, orders in _most_frequent(bought, by_brand, MOST_BRANDS):
        yield stated("brand", f"{share} of the orders are of the brand {plain_name(name)}.", orders, names=(name,))


def _reordered(bought: Purchases) -> Iterator[Statement]:
    """The most frequent first, ties by id."""
    by_product = by_name((order.product_id, order) for order in filter(bought.shows, bought.kept))
    again = [(key, orders) for key, orders in by_product.items() if len(orders) > 1]
    for key, orders in sorted(again, key=lambda item: (-len(item[1]), item[0]))[:MOST_REORDERED]:
        text = f"Ordered {len(orders)} times, last on {day_of(orders[-1])}: {bought.title(key)}."
        yield bought.about("reordered", text, orders)


def _latest(bought: Purchases) -> Iterator[Statement]:
    """The newest kept orders, then the newest cancelled or returned ones."""
    for order in islice(filter(bought.shows, reversed(bought.kept)), MOST_RECENT):
        yield _purchase("recent_purchase", "Bought", order, bought)
    for order in islice(filter(bought.shows, reversed(bought.void)), MOST_VOID):
        yield _purchase("void_order", order.order_status, order, bought)


def _most_frequent(
    bought: Purchases, orders_by_name: Mapping[str, list[Order]], most: int
) -> Iterator[tuple[str, str, list[Order]]]:
    """The names with most orders, at least two, each with its share of all orders in words; ties by name."""
    again = [(name, orders) for name, orders in orders_by_name.items() if len(orders) > 1]
    for name, orders in sorted(again, key=lambda entry: (-len(entry[1]), entry[0]))[:most]:
        yield name, f"{percent(len(orders) / len(bought.kept))} ({len(orders)} of {len(bought.kept)})", orders


def _purchase(code: str, event: str, order: Order, bought: Purchases) -> Statement:
    number = f"{order.quantity} of " if order.quantity > 1 else ""
    product, price = bought.products.get(order.product_id), ""
    if product is not None and product.price is not None:
        price = f" ({'from ' if product.price_from else ''}{format_money(product.price, product.currency)})"
    return bought.about(code, f"{event} on {day_of(order)}: {number}{bought.title(order.product_id)}{price}.", [order])


MOST_DOMAINS = 6
_FREQUENT, _STEADY = 15, 60
"""The mean number of days from one day with orders to the next."""
# A pause four times as long as the mean happens by chance once in fifty.
_END = 4
_PRICES: dict[Level, str] = {
    "low": "usually below the median price of the category",
    "high": "usually above the median price of the category",
}


def _domains(bought: Purchases) -> Iterator[Statement]:
    """The numbers of orders and of days with orders, for the domains with most orders."""
    for domain, orders in _by_domain(bought)[:MOST_DOMAINS]:
        days = {day_of(order) for order in orders}
        number = f"{counted(len(orders), 'order')} on {counted(len(days), 'day')}"
        text = f"{domain}: {number}, last on {day_of(orders[-1])}."
        yield stated("domain", text, orders, categories=(domain,))


def _shopper_type(bought: Purchases, spans: Mapping[str, PriceSpan]) -> Iterator[Statement]:
    """Pace, domains, price level and loyalty in one line, as far as the history shows them."""
    if len(bought.kept) < LEAST_USUAL:
        return
    level, again = level_of(bought, spans), len(bought.kept) - bought.item_count
    text = f"In short: {_pace(bought)}{_focus(bought)}"
    text += f", buying {_PRICES[level]}" if level else ""
    reordered = f"{again} of {len(bought.kept)} orders of something that had been ordered before"
    text += f", {reordered if again else 'never the same thing twice so far'}."
    yield stated("shopper_type", text, bought.kept)


def _by_domain(bought: Purchases) -> list[tuple[str, list[Order]]]:
    """The orders of each domain, the largest first, ties by name."""
    domains = by_name((plain_name(product.category.replace("_", " ")), order) for order, product in bought.shown)
    return sorted(domains.items(), key=lambda entry: (-len(entry[1]), entry[0]))


def _pace(bought: Purchases) -> str:
    """The pace by days with orders until today; "a shopper" if there are few, or if the orders have ended."""
    days = {moment_of(order).date() for order in bought.kept}
    today = bought.now.date()
    mean_pause = (today - min(days)).days / len(days)
    has_ended = (today - max(days)).days > _END * mean_pause
    if len(days) < LEAST_USUAL or (today - min(days)).days < LEAST_DAYS or has_ended:
        return "a shopper"
    if mean_pause <= _FREQUENT:
        return "a frequent shopper"
    return "a steady shopper" if mean_pause <= _STEADY else "an occasional shopper"


def _focus(bought: Purchases) -> str:
    sizes = [(name, len(orders) / len(bought.kept)) for name, orders in _by_domain(bought)]
    if not sizes:
        return ""
    (first, share), (second, less), (_, rest) = (*sizes, ("", 0.0), ("", 0.0))[:3]
    if share >= CLEAR_SHARE:
        return f" in {first}" if share == 1 else f", mostly in {first}"
    if less > rest and share + less >= CLEAR_SHARE:
        return f", above all in {first} and {second}"
    return f", in {counted(len(sizes), 'domain')}"
