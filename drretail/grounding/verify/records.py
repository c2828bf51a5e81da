"""What values and picks are held against: the records of a run, the query's own numbers, the declared picks."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any, cast
from unicodedata import combining, normalize

from pydantic import ValidationError

from drretail.grounding.constraints.decisions import UNDECIDED, Decisions
from drretail.grounding.text.amounts import Amount, find_amounts
from drretail.parsing import json_or_none
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.reading import Pick, ReadValue, ValueKind, ValueState
from drretail.records.shop import ORDER_STATUSES, USD, VOID_STATUSES, Money, Product
from drretail.records.wish import Wish

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
    looked_up: frozenset[str] = frozenset()
    """The products whose records were looked up in the shop for judging."""

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
        fields = {path.replace("_", " ").strip(): value for path, value in (*single, *_counts(record))}
        title, price = f"{record.get('product_title', '')}", record.get("price")
        paid = price if isinstance(price, int | float) else None
        own = Product(product_id=source, title=title, category="", details=fields, price=paid)
        thing = self.products.get(self.ordered.get(source, source.removeprefix("P:")))
        return [item for item in (own if record else None, thing) if item is not None]

    def price(self, product_id: str) -> Decimal | None:
        return on_record("price", self.products[product_id]) if product_id in self.products else None

    @cached_property
    def total(self) -> Decimal | None:
        """What the picks cost together; None where they are not known, or a price of theirs is not."""
        prices = [self.price(pick.product) for pick in self.picks or ()]
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
    evidence: Mapping[str, Evidence],
    query: Query | None = None,
    *,
    products: Mapping[str, Product] | None = None,
    picks: Sequence[Pick] | None = None,
) -> Ledger:
    """The ledger of a run; ``products`` are the world's own records, which win over what the run was shown."""
    shown = (entry for entry in evidence.values() if entry.kind == "product")
    handed = {product.product_id: product for entry in shown for product in _products(entry)}
    internal = (entry for entry in evidence.values() if entry.kind in ("order", "user"))
    texts = ((entry.id, text.text) for entry in internal for text in entry.texts)
    records = {key: record for key, text in texts if (record := record_of(text)) is not None}
    orders = {key: record for key, record in records.items() if "order_date" in record}
    return Ledger(
        products={**handed, **(products or {})},
        order_dates={key: date.fromisoformat(str(record["order_date"])[:10]) for key, record in orders.items()},
        ordered={key: str(record.get("product_id")) for key, record in orders.items()},
        calculations={entry.id: one for entry in evidence.values() if (one := _calculation(entry)) is not None},
        records=records,
        query_text="" if query is None else query.text,
        budget=None if query is None or query.wish is None else query.wish.budget,
        picks=None if picks is None else tuple(picks),
        wish=None if query is None else query.wish,
        decisions=UNDECIDED if query is None else Decisions(query.gold),
        looked_up=frozenset(entry.key for entry in evidence.values() if entry.looked_up),
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


def _counts(record: Mapping[str, Any]) -> Iterator[tuple[str, int | str]]:
    """How many orders a list in a record counts of each brand, or of each status and year where it has all orders.

    Of a year there are two counts: who doesn't count what was sent back means the second.
    """
    yield from ((f"orders {brand['name']}", brand["orders"]) for brand in record.get("top_brands") or ())
    if record.get("orders") and record.get("total") == record.get("shown") is not None:
        years = [(order["order_date"][:4], order["order_status"]) for order in record["orders"]]
        statuses = [status for _, status in years]
        yield from ((f"orders {status}", statuses.count(status)) for status in ORDER_STATUSES)
        valid = Counter(year for year, status in years if status not in VOID_STATUSES)
        for year, count in Counter(year for year, _ in years).items():
            yield f"orders {year}", f"{count} or {valid[year]}"


def leaves(record: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, object]]:
    """The fields of a record that hold one thing, those within others with their path: "orders_by_status Shipped"."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from leaves(cast(dict[str, Any], value), f"{path} {name}")
        else:
            yield f"{path} {name}", value
