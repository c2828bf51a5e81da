"""What a shop's records tell of a user, for judges and agents: a pure function whose every statement names its orders.

Street, e-mail and telephone are left out: no judgement needs them. What the history cannot tell is absent, so that
nobody takes one purchase for a habit.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from statistics import median

from drretail.grounding.wording import format_money, short_title
from drretail.records.score import ProfileSummary, Statement
from drretail.records.shop import VOID_STATUSES, Order, Product, UserProfile, UserStatistics

MOST_CATEGORIES, MOST_BRANDS, MOST_REORDERED, MOST_RECENT, MOST_VOID = 5, 3, 3, 5, 3
# Fewer orders, or a shorter time, show no rhythm.
LEAST_ORDERS_OF_A_RHYTHM, LEAST_DAYS_OF_A_RHYTHM = 3, 60
_TITLE_LENGTH = 80


def summarise(
    profile: UserProfile,
    orders: Sequence[Order],
    products: Mapping[str, Product],
    statistics: UserStatistics,
    now: datetime,
) -> ProfileSummary:
    """The summary of a user; ``orders`` are all orders in any order, ``products`` those ordered, by id.

    ``now`` is the shop's today. Prices are today's, as in ``statistics``.
    """
    ordered = sorted(orders, key=lambda order: (order.timestamp, order.order_id))
    kept = [order for order in ordered if order.order_status not in VOID_STATUSES]
    statements = [
        _person(profile),
        *_history(ordered, kept, now),
        *_rhythm(kept, statistics),
        *_shares("category", "of the orders are in", kept, products, _category, MOST_CATEGORIES, least=1),
        *_shares("brand", "of the orders are of the brand", kept, products, _brand, MOST_BRANDS, least=2),
        *_price_level(kept, products),
        *_reordered(kept, products),
        *(_purchase("recent_purchase", "Bought", order, products) for order in kept[::-1][:MOST_RECENT]),
        *_void(ordered, products),
    ]
    return ProfileSummary(user_id=profile.user_id, statements=tuple(statements))


def _person(profile: UserProfile) -> Statement:
    place = ", ".join(part for part in (profile.address.city, profile.address.state, profile.address.country) if part)
    return Statement(code="person", text=f"{profile.first_name} {profile.last_name} of {place}.")


def _history(ordered: Sequence[Order], kept: Sequence[Order], now: datetime) -> Iterator[Statement]:
    if not ordered:
        yield Statement(code="history", text="There is no order yet.")
        return
    void = len(ordered) - len(kept)
    without = f"; {void} more came to nothing (cancelled or returned)" if void else ""
    if not kept:
        text = f"{_counted(void, 'order')}, cancelled or returned; nothing was kept."
        yield Statement(code="history", text=text, orders=_ids(ordered))
        return
    first, last = _day(kept[0]), _day(kept[-1])
    since = f" between {first} and {last}" if first != last else f" on {last}"
    yield Statement(code="history", text=f"{_counted(len(kept), 'order')}{since}{without}.", orders=_ids(ordered))
    days = (now.date() - _moment(kept[-1]).date()).days
    text = f"The last order was {_counted(days, 'day')} before today, {now.date().isoformat()}."
    yield Statement(code="recency", text=text, orders=(kept[-1].order_id,))


def _rhythm(kept: Sequence[Order], statistics: UserStatistics) -> Iterator[Statement]:
    if len(kept) < LEAST_ORDERS_OF_A_RHYTHM or statistics.orders_per_month is None:
        return
    if (_moment(kept[-1]) - _moment(kept[0])).days < LEAST_DAYS_OF_A_RHYTHM:
        return
    text = f"{statistics.orders_per_month:g} orders a month between the first and the last."
    yield Statement(code="rhythm", text=text, orders=_ids(kept))


def _shares(
    code: str,
    what: str,
    kept: Sequence[Order],
    products: Mapping[str, Product],
    name_of: Callable[[Product], str | None],
    most: int,
    *,
    least: int,
) -> Iterator[Statement]:
    """The most frequent names, each with its share of all orders; ties by name."""
    orders: dict[str, list[Order]] = {}
    for order in kept:
        product = products.get(order.product_id)
        if product is not None and (name := name_of(product)):
            orders.setdefault(name, []).append(order)
    for name, theirs in sorted(orders.items(), key=lambda item: (-len(item[1]), item[0]))[:most]:
        if len(theirs) >= least:
            share = f"{len(theirs) / len(kept):.0%} ({len(theirs)} of {len(kept)})"
            yield Statement(code=code, text=f"{share} {what} {name}.", orders=_ids(theirs))


def _price_level(kept: Sequence[Order], products: Mapping[str, Product]) -> Iterator[Statement]:
    priced = [
        (product.price, product.currency, order)
        for order in kept
        if (product := products.get(order.product_id)) is not None and product.price is not None
    ]
    currencies = {currency for _, currency, _ in priced}
    if len(currencies) != 1:
        return
    prices, currency = [price for price, _, _ in priced], currencies.pop()
    if len(prices) == 1:
        text = f"The one item whose price is known costs {format_money(prices[0], currency)} today."
    else:
        low, middle, high = (format_money(value, currency) for value in (min(prices), median(prices), max(prices)))
        text = f"Items cost {middle} in the middle (median of {len(prices)} at today's prices), {low} to {high}."
    yield Statement(code="price_level", text=text, orders=_ids([order for _, _, order in priced]))


def _reordered(kept: Sequence[Order], products: Mapping[str, Product]) -> Iterator[Statement]:
    counts = Counter(order.product_id for order in kept)
    again = [(key, count) for key, count in counts.items() if count > 1]
    for key, count in sorted(again, key=lambda item: (-item[1], item[0]))[:MOST_REORDERED]:
        theirs = [order for order in kept if order.product_id == key]
        text = f"Ordered {count} times, last on {_day(theirs[-1])}: {_title(key, products)}."
        yield Statement(code="reordered", text=text, orders=_ids(theirs))


def _void(ordered: Sequence[Order], products: Mapping[str, Product]) -> Iterator[Statement]:
    void = [order for order in ordered if order.order_status in VOID_STATUSES]
    for order in void[::-1][:MOST_VOID]:
        yield _purchase("void_order", order.order_status, order, products)


def _purchase(code: str, what: str, order: Order, products: Mapping[str, Product]) -> Statement:
    product = products.get(order.product_id)
    number = f"{order.quantity} of " if order.quantity > 1 else ""
    price = "" if product is None or product.price is None else f" ({format_money(product.price, product.currency)})"
    text = f"{what} on {_day(order)}: {number}{_title(order.product_id, products)}{price}."
    return Statement(code=code, text=text, orders=(order.order_id,))


def _category(product: Product) -> str:
    return product.categories[-1] if product.categories else product.category


def _brand(product: Product) -> str | None:
    return product.brand


def _title(product_id: str, products: Mapping[str, Product]) -> str:
    product = products.get(product_id)
    title = short_title(product.title, _TITLE_LENGTH) if product else "a product that the shop has no more"
    return f"{title} [{product_id}]"


def _moment(order: Order) -> datetime:
    return datetime.fromtimestamp(order.timestamp // 1000, UTC)


def _day(order: Order) -> str:
    return _moment(order).date().isoformat()


def _ids(orders: Sequence[Order]) -> tuple[str, ...]:
    return tuple(order.order_id for order in orders)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
