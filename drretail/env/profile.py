"""What the shop's records show of a user: what was bought and kept, at which prices, and all of it in words for
generators, judges and agents. Every statement names its orders.

Which purchases may be named is decided here as well: intimate ones only to a question that names them by their full
category, in the singular.

It leaves out street, e-mail and telephone, and what the history can't show. Its length is bounded, however many orders
there are. A word such as "steady" or "mostly" needs ``LEAST_USUAL`` orders.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from statistics import median, median_low
from typing import Literal, NamedTuple

from drretail.records.figures import counted, percent
from drretail.records.shop import VOID_STATUSES, Order, Product, ProfileFact, ProfileSummary, UserProfile
from drretail.reports.text.untrusted import harmless
from drretail.reports.text.wording import format_money, short_title
from drretail.reports.text.words import content_words, singular

# "Usually", "mostly" and "often" need so many items or orders, and so large a share: of 8 coins, 6 or more heads
# come up in one try of seven, of 20 coins 15 in one of fifty.
LEAST_USUAL, CLEAR_SHARE = 8, 0.75
_MONTH = 30.44 * 86_400_000
"""Milliseconds."""
MOST_IDS = 12
"""The most orders that a statement names, the newest; it counts the others."""
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
        """Each known product once, with its orders: no large order and no reorder counts more than another item."""
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


def _stated(code: str, text: str, orders: Sequence[Order]) -> ProfileFact:
    """A statement that rests on these orders, oldest first."""
    ids = tuple(order.order_id for order in orders[-MOST_IDS:])
    more = len(orders) - len(ids)
    return ProfileFact(code=code, text=harmless(text), orders=ids, more_orders=more)


def by_name(orders: Iterable[tuple[str, Order]]) -> dict[str, list[Order]]:
    """The orders of each name, in the order in which they come."""
    groups: dict[str, list[Order]] = {}
    for name, order in orders:
        groups.setdefault(name, []).append(order)
    return groups


def orders_per_month(orders: Sequence[Order]) -> float | None:
    """Orders per month between the first and the last, which count as one month at least."""
    if not orders:
        return None
    months = (orders[-1].timestamp - orders[0].timestamp) / _MONTH
    return round(len(orders) / max(months, 1.0), 2)


def _moment_of(order: Order) -> datetime:
    """The time of an order as the shop wrote it, without its zone."""
    return datetime.fromtimestamp(order.timestamp // 1000 + order.utc_offset * 60, UTC)


def day_of(order: Order) -> str:
    """The day of an order, such as 2023-04-01."""
    return _moment_of(order).date().isoformat()


def known_leaf(product: Product) -> str | None:
    """The leaf category; None if the path only repeats the file's category, which nearly all products share."""
    return None if product.categories in ((), (product.category,)) else product.categories[-1]


def plain_name(name: str) -> str:
    """A category or brand on one line, cut if it is too long."""
    return short_title(name, _NAME_LENGTH)


Level = Literal["low", "high"]
# The fewest comparable items that are worth a sentence.
LEAST_PRICES = 3


@dataclass(frozen=True, slots=True)
class PriceSpan:
    """The quartiles of a category's prices: a quarter below ``low``, half below ``middle``, a quarter over ``high``."""

    low: float
    middle: float
    high: float
    currency: str


class _Placed(NamedTuple):
    orders: tuple[Order, ...]
    price: float
    span: PriceSpan


def price_level(bought: Purchases) -> Iterator[ProfileFact]:
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
    yield _stated("price_level", text, _in_time(orders for _, _, orders in priced))


def price_position(bought: Purchases, spans: Mapping[str, PriceSpan]) -> Iterator[ProfileFact]:
    """The position of the user's prices among the shop's, by leaf category."""
    items = _placed(bought, spans)
    if len(items) < LEAST_PRICES:
        return
    below = sum(item.price < item.span.middle for item in items)
    cheap = sum(item.price < item.span.low for item in items)
    dear = sum(item.price > item.span.high for item in items)
    text = (
        f"{len(items)} of {counted(bought.item_count, 'item')} bought can be compared with the shop's prices in their "
        f"category: {below} cost less than the median, {cheap} are in the cheapest quarter, {dear} in the dearest."
    )
    yield _stated("price_position", text, _in_time(item.orders for item in items))


def level_of(bought: Purchases, spans: Mapping[str, PriceSpan]) -> Level | None:
    """The side of the shop's medians on which a clear majority of the items lies; None without one or with few."""
    items = _placed(bought, spans)
    # If most items can't be compared with the shop's prices, they could lie on the other side.
    if len(items) < max(LEAST_USUAL, bought.item_count / 2):
        return None
    if sum(item.price < item.span.middle for item in items) >= CLEAR_SHARE * len(items):
        return "low"
    return "high" if sum(item.price > item.span.middle for item in items) >= CLEAR_SHARE * len(items) else None


def _placed(bought: Purchases, spans: Mapping[str, PriceSpan]) -> list[_Placed]:
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
        _stated("person", f"{profile.first_name} {profile.last_name} of {place}.", ()),
        *_shopper_type(bought, spans),
        *_history(bought),
        *_domains(bought),
        *_preferences(bought),
        *price_level(bought),
        *price_position(bought, spans),
        *_single_products(bought),
    ]
    return ProfileSummary(user_id=profile.user_id, statements=tuple(statements))


def _history(bought: Purchases) -> Iterator[ProfileFact]:
    """The number and the age of the orders, their pace, and the usual pause between two days with orders."""
    orders, void = bought.kept, len(bought.void)
    if not orders:
        nothing = f"{counted(void, 'order')}, cancelled or returned; nothing was kept."
        yield _stated("history", nothing if void else "There is no order yet.", bought.orders)
        return
    first, last = day_of(orders[0]), day_of(orders[-1])
    since = f" between {first} and {last}" if first != last else f" on {last}"
    without = f"; {void} more came to nothing (cancelled or returned)" if void else ""
    yield _stated("history", f"{counted(len(orders), 'order')}{since}{without}.", bought.orders)
    days = (bought.now.date() - _moment_of(orders[-1]).date()).days
    if days >= 0:
        text = f"The last order was {counted(days, 'day')} before today, {bought.now.date()}."
        yield _stated("recency", text, orders[-1:])
    if len(orders) < LEAST_ORDERS or (_moment_of(orders[-1]) - _moment_of(orders[0])).days < LEAST_DAYS:
        return
    text = f"{orders_per_month(orders):g} orders a month between the first and the last"
    days = sorted({_moment_of(order).date() for order in orders})
    pauses = [(after - before).days for before, after in pairwise(days)]
    if len(pauses) >= LEAST_PAUSES:
        text += f"; of the pauses between days with orders, half last {counted(median_low(pauses), 'day')} or less"
    yield _stated("rhythm", f"{text}.", orders)


MOST_CATEGORIES, MOST_BRANDS, MOST_REORDERED, MOST_RECENT, MOST_VOID = 5, 3, 3, 5, 3


def _preferences(bought: Purchases) -> Iterator[ProfileFact]:
    """The leaf categories with most orders, each with all orders in it or in categories below it; then the brands."""
    leaves = {leaf for _, product in bought.shown if (leaf := known_leaf(product)) is not None}
    in_each = by_name(
        (name, order) for order, product in bought.shown for name in leaves.intersection(product.categories)
    )
    for name, share, orders in _most_frequent(bought, in_each, MOST_CATEGORIES):
        yield _stated("category", f"{share} of the orders are in {plain_name(name)}.", orders)
    by_brand = by_name((product.brand, order) for order, product in bought.shown if product.brand)
    for name, share, orders in _most_frequent(bought, by_brand, MOST_BRANDS):
        yield _stated("brand", f"{share} of the orders are of the brand {plain_name(name)}.", orders)


def _single_products(bought: Purchases) -> Iterator[ProfileFact]:
    """What was ordered again, most often first, ties by id; the newest kept orders; the newest void ones."""
    by_product = by_name((order.product_id, order) for order in filter(bought.shows, bought.kept))
    again = [(key, orders) for key, orders in by_product.items() if len(orders) > 1]
    for key, orders in sorted(again, key=lambda item: (-len(item[1]), item[0]))[:MOST_REORDERED]:
        text = f"Ordered {len(orders)} times, last on {day_of(orders[-1])}: {bought.title(key)}."
        yield _stated("reordered", text, orders)
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


def _purchase(code: str, event: str, order: Order, bought: Purchases) -> ProfileFact:
    number = f"{order.quantity} of " if order.quantity > 1 else ""
    product, price = bought.products.get(order.product_id), ""
    if product is not None and product.price is not None:
        price = f" ({'from ' if product.price_from else ''}{format_money(product.price, product.currency)})"
    return _stated(code, f"{event} on {day_of(order)}: {number}{bought.title(order.product_id)}{price}.", [order])


MOST_DOMAINS = 6
_FREQUENT, _STEADY = 15, 60
"""The mean number of days from one day with orders to the next."""
# A pause four times as long as the mean happens by chance once in fifty.
_END = 4
_PRICES: dict[Level, str] = {
    "low": "usually below the median price of the category",
    "high": "usually above the median price of the category",
}


def _domains(bought: Purchases) -> Iterator[ProfileFact]:
    """The numbers of orders and of days with orders, for the domains with most orders."""
    for domain, orders in _by_domain(bought)[:MOST_DOMAINS]:
        days = {day_of(order) for order in orders}
        number = f"{counted(len(orders), 'order')} on {counted(len(days), 'day')}"
        text = f"{domain}: {number}, last on {day_of(orders[-1])}."
        yield _stated("domain", text, orders)


def _shopper_type(bought: Purchases, spans: Mapping[str, PriceSpan]) -> Iterator[ProfileFact]:
    """Pace, domains, price level and loyalty in one line, as far as the history shows them."""
    if len(bought.kept) < LEAST_USUAL:
        return
    level, again = level_of(bought, spans), len(bought.kept) - bought.item_count
    days, today = {_moment_of(order).date() for order in bought.kept}, bought.now.date()
    mean_pause = (today - min(days)).days / len(days)
    has_ended = (today - max(days)).days > _END * mean_pause
    if len(days) < LEAST_USUAL or (today - min(days)).days < LEAST_DAYS or has_ended:
        pace = "a shopper"
    elif mean_pause <= _FREQUENT:
        pace = "a frequent shopper"
    else:
        pace = "a steady shopper" if mean_pause <= _STEADY else "an occasional shopper"
    text = f"In short: {pace}"
    if sizes := [(name, len(orders) / len(bought.kept)) for name, orders in _by_domain(bought)]:
        (first, share), (second, less), (_, rest) = (*sizes, ("", 0.0), ("", 0.0))[:3]
        if share >= CLEAR_SHARE:
            text += f" in {first}" if share == 1 else f", mostly in {first}"
        elif less > rest and share + less >= CLEAR_SHARE:
            text += f", above all in {first} and {second}"
        else:
            text += f", in {counted(len(sizes), 'domain')}"
    text += f", buying {_PRICES[level]}" if level else ""
    reordered = f"{again} of {len(bought.kept)} orders of something that had been ordered before"
    text += f", {reordered if again else 'never the same thing twice so far'}."
    yield _stated("shopper_type", text, bought.kept)


def _by_domain(bought: Purchases) -> list[tuple[str, list[Order]]]:
    """The orders of each domain, the largest first, ties by name."""
    domains = by_name((plain_name(product.category.replace("_", " ")), order) for order, product in bought.shown)
    return sorted(domains.items(), key=lambda entry: (-len(entry[1]), entry[0]))


# "Coffee Cups & Mugs" names two things. "and" separates none, since it is part of departments' names.
_BORDER = re.compile(r"[,&/]")
# Shorter words are units, such as "ft" and "oz", in titles of all kinds.
_SHORTEST = 3


@lru_cache(maxsize=16_384)  # a shop has few categories and many products in each
def nouns_of(text: str) -> frozenset[str]:
    """The content words of a text, in the singular."""
    return frozenset(singular(word) for word in content_words(text) if len(word) >= _SHORTEST)


def is_named(category: str, words: Collection[str]) -> bool:
    """True if all words of one of a category's things are among ``words``, which are in the singular."""
    return any(part and part.issubset(words) for part in map(nouns_of, _BORDER.split(category)))


# A category is intimate if its name has all words of an entry. The entries are from Amazon's and Google's paths.
# Below these, categories have names that other things share ("Swings", "Jeans"): a question must name the entry itself.
_NAMED_THEMSELVES = (
    "sex, sexual, erotic, adult toys, exotic apparel, condoms, contraception, vibrators, pregnancy, maternity, "
    "fertility, ovulation, family planning, menopause, home tests"
)
# Below these, categories are of the same kind ("Sinus Medicine", "Sanitary Napkins"): a question may name them instead.
_NAMED_BELOW = (
    "feminine care, feminine hygiene, menstrual care, incontinence, ostomy, laxatives, enemas, hemorrhoids, "
    "medication, antifungals, lice treatments, drug tests, diabetes, hair loss, weight loss, smoking cessation"
)


def may_be_shown(product: Product, question: str = "") -> bool:
    """False for a product of an intimate category, such as a pregnancy test, unless the question names it."""
    names = (product.category.replace("_", " "), *product.categories)
    themselves = [name for name in names if _is_of(name, _NAMED_THEMSELVES)]
    highest = next((at for at, name in enumerate(names) if _is_of(name, _NAMED_BELOW)), len(names))
    intimate = themselves or names[highest:]
    words = nouns_of(question)
    return not intimate or any(is_named(name, words) for name in intimate)


@lru_cache(maxsize=16_384)
def _is_of(category: str, kinds: str) -> bool:
    words = nouns_of(category)
    return any(nouns_of(kind) <= words for kind in kinds.split(", "))
