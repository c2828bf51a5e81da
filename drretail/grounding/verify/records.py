"""What figures are compared with: products, orders, calculations, the query's own numbers, the picks; and how an
amount may follow from these: from prices, their sums and multiples, the budget, calculations.

A writer who cites the calculation ``40-2*19.49 = 1.02`` may mean its result, or ``2*19.49``, one of its terms.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache, partial
from itertools import combinations, product
from typing import Any, cast
from unicodedata import combining, normalize

from pydantic import ValidationError

from drretail.grounding.constraints import UNDECIDED, Decisions, offer_of
from drretail.grounding.text.amounts import Amount, find_amounts
from drretail.grounding.text.wording import format_money
from drretail.grounding.text.words import NUMBERS, words
from drretail.parsing import json_or_none
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.reading import Pick, ReadValue, ValueKind, ValueState
from drretail.records.shop import ORDER_STATUSES, USD, VOID_STATUSES, Money, Offer, Product
from drretail.records.wish import Wish
from drretail.remembered import remembered_by

_OPERAND = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Calculation:
    """An expression that the run had worked out."""

    expression: str
    operands: tuple[Decimal, ...]
    result: Decimal


@dataclass(frozen=True)
class Ledger:
    """All that a value may be verified by; products by their bare id, everything else by evidence id."""

    products: Mapping[str, Product]
    order_dates: Mapping[str, date]
    ordered: Mapping[str, str]
    """The product of each order."""
    calculations: Mapping[str, Calculation]
    records: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """The records of orders, and of the shopper's profile and statistics."""
    query_text: str = ""
    budget: Money | None = None
    picks: tuple[Pick, ...] | None = None
    wish: Wish | None = None
    decisions: Decisions = UNDECIDED
    """Whether products keep the query's demands."""

    def with_products(self, products: Mapping[str, Product]) -> "Ledger":
        """The ledger with the world's own records, which win over what the run was shown."""
        return replace(self, products={**self.products, **products})

    @cached_property
    def asked(self) -> tuple[Amount, ...]:
        """The numbers that the query names."""
        return tuple(find_amounts(self.query_text))

    def names(self, number: Decimal) -> bool:
        """True where the query itself names this number, or it is the budget."""
        return any(number in (amount.low, amount.high) for amount in self.asked) or number == self.limit

    @property
    def currency(self) -> str:
        return next((product.currency for product in self.products.values()), USD)

    @property
    def limit(self) -> Decimal | None:
        return None if self.budget is None else self.budget.value

    def items(self, source: str) -> list[Product]:
        """The records of a source in a product's form, by which fields are read: an order's, and its thing's."""
        record = self.records.get(source, {})
        # Lists are no figures: what is said of "eight of the orders" is not said of all of them.
        single = ((path, value) for path, value in leaves(record) if not isinstance(value, list))
        # How many orders a list counts of each brand, or of each status and year where it has all orders.
        counts: dict[str, object] = {
            f"orders {brand['name']}": brand["orders"] for brand in record.get("top_brands") or ()
        }
        if record.get("orders") and record.get("total") == record.get("shown") is not None:
            years = [(order["order_date"][:4], order["order_status"]) for order in record["orders"]]
            statuses = [status for _, status in years]
            counts |= {f"orders {status}": statuses.count(status) for status in ORDER_STATUSES}
            # Of a year there are two counts: who doesn't count what was sent back means the second.
            valid = Counter(year for year, status in years if status not in VOID_STATUSES)
            every = Counter(year for year, _ in years)
            counts |= {f"orders {year}": f"{count} or {valid[year]}" for year, count in every.items()}
        fields = {path.replace("_", " ").strip(): value for path, value in (*single, *counts.items())}
        title, price = f"{record.get('product_title', '')}", record.get("price")
        paid = price if isinstance(price, int | float) else None
        own = Product(product_id=source, title=title, category="", details=fields, price=paid)
        thing = self.products.get(self.ordered.get(source, source.removeprefix("P:")))
        return [item for item in (own if record else None, thing) if item is not None]

    def price(self, product_id: str) -> Decimal | None:
        return on_record("price", self.products[product_id]) if product_id in self.products else None

    @remembered_by(lambda pick: pick.offer_id)
    def offer(self, pick: Pick) -> Offer | None:
        """As ``constraints.offer_of``, by the records that the run was shown."""
        return offer_of(pick, self.products)

    def price_of(self, pick: Pick) -> Decimal | None:
        """The price of the offer that a pick means; without options the product's, which may be the lowest."""
        offer = self.offer(pick)
        if offer is None or (offer.price is None and not offer.options):
            return self.price(pick.product)
        return offer.price

    @cached_property
    def total(self) -> Decimal | None:
        """What the picks cost together; None where they are not known, or a price of theirs is not."""
        prices = [self.price_of(pick) for pick in self.picks or ()]
        known = [price for price in prices if price is not None]
        if not known or len(known) < len(prices):
            return None
        return sum((price * pick.quantity for price, pick in zip(known, self.picks or (), strict=True)), Decimal(0))

    @property
    def of_cart(self) -> set[Decimal]:
        """What the picks cost, and what they leave of the budget, where that is known."""
        if self.total is None:
            return set()
        return {self.total} if self.limit is None else {self.total, self.limit - self.total}


def read_ledger(
    evidence: Mapping[str, Evidence], query: Query | None = None, *, picks: Sequence[Pick] | None = None
) -> Ledger:
    """The ledger of a run, with the products that it was shown."""
    shown = (entry for entry in evidence.values() if entry.kind == "product")
    handed = {product.product_id: product for entry in shown for product in _products(entry)}
    internal = (entry for entry in evidence.values() if entry.kind in ("order", "user"))
    texts = ((entry.id, text.text) for entry in internal for text in entry.texts)
    records = {key: record for key, text in texts if (record := record_of(text)) is not None}
    orders = {key: record for key, record in records.items() if "order_date" in record}
    return Ledger(
        products=handed,
        order_dates={key: date.fromisoformat(str(record["order_date"])[:10]) for key, record in orders.items()},
        ordered={key: str(record.get("product_id")) for key, record in orders.items()},
        calculations={entry.id: one for entry in evidence.values() if (one := _calculation(entry)) is not None},
        records=records,
        query_text="" if query is None else query.text,
        budget=None if query is None or query.wish is None else query.wish.budget,
        picks=None if picks is None else tuple(picks),
        wish=None if query is None else query.wish,
        decisions=UNDECIDED if query is None else Decisions(query.gold),
    )


def amount_of(value: ReadValue) -> Amount | None:
    """The amount of a value; None for words and dates."""
    low, high = (value.amount, value.amount) if isinstance(value.amount, str) else value.amount
    try:
        numbers = Decimal(low), Decimal(high)
    except InvalidOperation:
        return None
    kind = "number" if value.kind in ("rating", "rating_count", "quantity") else "money"
    places = max(0, -int(numbers[0].as_tuple().exponent))
    return Amount(kind, *numbers, value.start, value.end, value.currency, value.relation, places)


def with_state(value: ReadValue, state: ValueState, words: str) -> ReadValue:
    return value.model_copy(update={"state": state, "derivation": words or None})


def decided(text: str, kind: ValueKind, span: tuple[int, int], of: str, is_true: bool, record: str) -> ReadValue:
    """The value that ``text`` names there in so many words, of one source whose record decides it."""
    value = ReadValue(kind=kind, amount=text[slice(*span)], of=(of,), start=span[0], end=span[1])
    return with_state(value, "verified" if is_true else "contradicted", record)


def on_record(kind: ValueKind, item: Product) -> Decimal | None:
    """The number that a product's record has for a kind of value, or None."""
    number = {"price": item.price, "rating": item.average_rating, "rating_count": item.rating_number}.get(kind)
    return None if number is None else Decimal(str(number))


def all_words_of(item: Product) -> str:
    """All texts of a product's record, in lines."""
    details = (f"{key} {value}" for key, value in item.details.items())
    return "\n".join([item.title, *item.features, *item.description, *details])


def plain(name: str) -> str:
    """A name in lower case without accents, its words with single spaces around them."""
    letters = (letter for letter in normalize("NFKD", name.casefold()) if not combining(letter))
    return f" {' '.join(''.join(letter if letter.isalnum() else ' ' for letter in letters).split())} "


def record_of(text: str) -> dict[str, Any] | None:
    """The record in a JSON text; None for any other text."""
    value = json_or_none(text) if text.startswith("{") else None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


def _products(entry: Evidence) -> Iterator[Product]:
    """The product as the run was shown it, whole records last."""
    for text in sorted(entry.texts, key=lambda text: text.form == "record"):
        record = record_of(text.text) or {}
        known = {key: record[key] for key in Product.model_fields if record.get(key) is not None}
        try:
            yield Product.model_validate(known)
        except ValidationError:
            continue


def _calculation(entry: Evidence) -> Calculation | None:
    """The calculation of an entry, whose text is "expression = result"."""
    if entry.kind != "calculation" or not entry.texts:
        return None
    expression, _, result = entry.texts[0].text.rpartition(" = ")
    operands = tuple(Decimal(number.replace(",", "")) for number in _OPERAND.findall(expression))
    try:
        return Calculation("".join(expression.split()), operands, Decimal(result))
    except InvalidOperation:
        return None


def leaves(record: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, object]]:
    """The fields of a record that hold one thing, those within others with their path: "orders_by_status Shipped"."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from leaves(cast(dict[str, Any], value), f"{path} {name}")
        else:
            yield f"{path} {name}", value


CENTS = 2
"""Decimal places of an exact amount."""
_DOZEN = range(1, 13)
"""Multiples of a price that are tried even if nobody names the number."""
# The most prices combined in all ways, the most quantities besides none and one, the most prices that are added up.
_MOST_TERMS, _MOST_QUANTITIES, _MOST_SUMMED = 6, 3, 12


def fits(amount: Amount, record: Decimal | None) -> bool:
    """True if an amount equals a record's number, as exactly as it is written."""
    return record is not None and amount.agreement(record) in ("equal", "rounded", "bounded")


def result_shown(amounts: Iterable[Amount], calculation: Calculation) -> Amount | None:
    """The amount that is a calculation's result: its absolute value, in per cent, or in cents."""
    for amount in amounts:
        result = abs(calculation.result) * (100 if amount.kind == "percent" and abs(calculation.result) < 1 else 1)
        how = amount.agreement(result)
        if how is not None and (how != "bounded" or _is_near(amount, result)):
            return amount
    return None


def title_numbers(near: Iterable[str], ledger: Ledger) -> set[Decimal]:
    """The whole numbers in the titles of products, by which a price may be divided: "6 Pack"."""
    titles = " ".join(item.title for key in near if (item := ledger.products.get(key)) is not None)
    return {amount.low for amount in amounts_in(titles) if amount.kind == "number" and not amount.places}


def derivation(
    amount: Amount, ledger: Ledger, near: Collection[str], counts: Collection[Decimal] = (), *, is_left: bool = False
) -> str | None:
    """How an amount of money follows from records, in words; None without an explanation.

    ``near`` are the products cited around it, ``counts`` the numbers beside it. What several pieces of one product
    leave of the budget explains the amount only if it ``is_left``: otherwise it would explain too much by chance.
    """
    if ledger.names(amount.low):
        return "named by the query"
    for key, calculation in ledger.calculations.items():
        if replace(amount, relation="is").agreement(abs(calculation.result)) in ("equal", "rounded"):
            return f"{key}: {calculation.expression}"
    for explanation, number in _derived(ledger, near, counts, is_left=is_left):
        how = amount.agreement(number)
        # An amount without cents may also be a limit or range around the number.
        if how in ("equal", "rounded") or (how == "bounded" and amount.places < CENTS and _is_near(amount, number)):
            return explanation
    texts = [all_words_of(ledger.products[key]) for key in near if key in ledger.products]
    in_records = (other for text in texts for other in amounts_in(text))
    is_in_record = any(other.kind == "money" and fits(amount, other.low) for other in in_records)
    return "stands in the record" if is_in_record else None


def _derived(
    ledger: Ledger, near: Collection[str], counts: Collection[Decimal], *, is_left: bool
) -> Iterator[tuple[str, Decimal]]:
    """The numbers that can be derived from the prices, with words."""
    prices = {key: price for key in near if (price := ledger.price(key)) is not None}
    limit, total, money = ledger.limit, ledger.total, partial(format_money, currency=ledger.currency)
    if total is not None:
        yield "the picks together", total
        if limit is not None:
            yield "the budget and the picks together", abs(limit - total)
    for price in prices.values():
        for number in sorted({*map(Decimal, _DOZEN[1:]), *counts}):
            yield f"{number} x {money(price)}", number * price
            if limit is not None and is_left:
                yield f"the budget and {number} x {money(price)}", abs(limit - number * price)
        for number in counts:
            if number > 1:
                yield f"{money(price)} / {number}", price / number
        for named in ledger.asked:
            if named.kind == "money" and named.low != price:
                yield f"{money(named.low)} and {money(price)}", abs(named.low - price)
    for one, other in combinations(prices.values(), 2):
        yield f"{money(one)} + {money(other)}", one + other
        yield f"{money(max(one, other))} - {money(min(one, other))}", abs(one - other)


def numbers_of(ids: Iterable[str], ledger: Ledger, counts: Iterable[int] = ()) -> frozenset[Decimal]:
    """What calculations and prices may come to.

    Terms, products and sums; what any of these leaves of the query's limits, or exceeds them by; prices of one piece or
    of several, and how far two products are apart in these. ``counts`` are the numbers beside them, in which products
    may be bought or packed. Ids of other sources are passed over.
    """
    from drretail.grounding.text.numerals import steps  # only what checks reports asks for them

    ids = list(ids)
    numbers: set[Decimal] = set()
    calculations = [ledger.calculations[key] for key in ids if key in ledger.calculations]
    for calculation in calculations:
        numbers |= steps(calculation.expression) | {abs(calculation.result)}
    keys = dict.fromkeys(key.removeprefix("P:") for key in ids)
    prices = [price for key in keys if (price := ledger.price(key)) is not None]
    numbers |= _sums([*(calculation.result for calculation in calculations), *prices], (-1, 0, 1))
    # In the quantities that are named; up to a dozen of one product, or of the whole set.
    named = [*(pick.quantity for pick in ledger.picks or ()), *counts, *sorted(small_numbers(ledger.query_text))]
    times = list(dict.fromkeys(count for count in named if count > 1))[:_MOST_QUANTITIES]
    numbers |= _sums(prices, (0, 1, *times))
    numbers |= {number * count for number in (*prices, sum(prices, Decimal(0))) for count in _DOZEN}
    limits = {amount.low for amount in ledger.asked if amount.kind == "money"} | {ledger.limit or Decimal(0)}
    numbers |= {abs(limit - number) for limit in limits for number in numbers}
    pieces = {*title_numbers(keys, ledger), *map(Decimal, named)} - {Decimal(0)}
    by_price = [{price * count for count in (1, 2, *times)} | {price / piece for piece in pieces} for price in prices]
    apart = (abs(one - other) for pair in combinations(by_price, 2) for one, other in product(*pair))
    return frozenset(numbers.union(*by_price, apart))


def small_numbers(text: str) -> set[int]:
    """The whole numbers below a hundred in a text, in digits or in words."""
    whole = (amount.low for amount in find_amounts(text) if amount.kind == "number" and not amount.places)
    digits = {int(number) for number in whole if 1 < number < 100}
    return digits | {NUMBERS[word] for word in words(text) if word in NUMBERS}


def _sums(numbers: Sequence[Decimal], times: Sequence[int]) -> set[Decimal]:
    """The absolute sums of numbers, each taken so many times; with many numbers, only each alone and all together."""
    if len(numbers) > _MOST_SUMMED:
        return {*map(abs, numbers), abs(sum(numbers, Decimal(0)))}
    sums, times = {Decimal(0)}, times if len(numbers) <= _MOST_TERMS else (0, 1)
    for number in numbers:
        sums = {total + number * count for total in sums for count in times}
    return set(map(abs, sums))


def _is_near(amount: Amount, number: Decimal) -> bool:
    """True if a number is close to a limit or a range: "over $50" fits 50.90, "up to $25" not 6.05."""
    return min(abs(end - number) for end in (amount.low, amount.high)) * 10 <= number


@lru_cache(maxsize=512)
def amounts_in(text: str) -> tuple[Amount, ...]:
    """The amounts of a record, cached, since a report with many figures asks for them at each one."""
    return tuple(find_amounts(text))
