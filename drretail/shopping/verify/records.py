"""What figures are compared with: products, orders, calculations, the query's own numbers, the picks, a shop's policy;
and whether an amount with cents follows from prices, the budget or what was calculated.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, cast

from pydantic import ValidationError

from drretail.parsing import json_or_none
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.reading import Pick, ValueKind
from drretail.records.shop import USD, Offer, Policy, Product, offers_of, product_of
from drretail.remembered import remembered, remembered_by
from drretail.reports.text.amounts import ABOUT, Amount, find_amounts
from drretail.shopping.constraints import UNDECIDED, Decisions, offer_of
from drretail.shopping.vocabulary import NO_WORDS, Vocabulary

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
    limit: Decimal | None = None
    """The budget."""
    picks: tuple[Pick, ...] | None = None
    decisions: Decisions = UNDECIDED
    """Whether products keep the query's demands."""
    vocabulary: Vocabulary = NO_WORDS
    """The words of the shop's fields."""
    policy: Policy | None = None
    """Of the shop whose assistant answers, which has all that is sold and every order; None if only what a run was
    shown is known.
    """
    missing: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why ids that answers name lead to no product or order of that shop: ``GONE`` or ``UNKNOWN``."""
    evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    """What all of this was read from, with the texts of pages and files."""
    former: Mapping[str, str] = field(default_factory=dict[str, str])
    """The titles of the products that are gone, by id."""

    @cached_property
    def asked(self) -> tuple[Amount, ...]:
        """The numbers that the query names."""
        return tuple(find_amounts(self.query_text))

    def names(self, number: Decimal) -> bool:
        """True where the query itself names this number, or it is the budget, or what the shop takes for shipping."""
        shipping = () if self.policy is None else (self.policy.shipping, self.policy.free_from)
        is_asked = any(number in (amount.low, amount.high) for amount in self.asked)
        return is_asked or number == self.limit or float(number) in shipping

    @property
    def currency(self) -> str:
        return next((product.currency for product in self.products.values()), USD)

    def price(self, product_id: str) -> Decimal | None:
        return on_record("price", self.products[product_id]) if product_id in self.products else None

    def product(self, source: str) -> Product | None:
        """The product that an evidence id names, also by one of its variants."""
        return self.products.get(product_of(source.removeprefix("P:")))

    @remembered
    def offers(self, source: str) -> Sequence[Offer]:
        """The offers that an evidence id means: of "P:T/T-M" one, of "P:T" all of the product; none of other ids."""
        item, variant = self.product(source), source.partition("/")[2]
        offers = () if item is None else offers_of(item)
        return [offer for offer in offers if not variant or offer.offer_id.partition("/")[2] == variant]

    def text_of(self, source: str) -> str:
        """All that a source says, of a product its record; empty if its whole text is not known."""
        item, entry = self.product(source), self.evidence.get(source)
        if item is not None:
            return all_words_of(item)
        return "" if entry is None else "\n".join(text.text for text in entry.sources)

    @cached_property
    def all_texts(self) -> Sequence[str]:
        """All that was read, and what was asked."""
        read = (text.text for entry in self.evidence.values() for text in entry.sources)
        return [self.query_text, *read, *map(all_words_of, self.products.values())]

    def lines_of(self, order: str) -> list[str]:
        """The evidence ids of an order's lines: "O:1001-1" and "O:1001-2" of "O:1001"."""
        return [key for key in self.order_dates if key == order or key.rpartition("-")[0] == order]

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """All titles by product, also of products that are gone."""
        return {key: item.title for key, item in self.products.items()} | {**self.former}

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
        prices_known = [price for price in prices if price is not None]
        if not prices_known or len(prices_known) < len(prices):
            return None
        costs = (price * pick.quantity for price, pick in zip(prices_known, self.picks or (), strict=True))
        return sum(costs, Decimal(0))


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
        calculations={
            entry.id: calculation for entry in evidence.values() if (calculation := _calculation(entry)) is not None
        },
        records=records,
        evidence=evidence,
        query_text="" if query is None else query.text,
        limit=None if query is None or query.wish is None or query.wish.budget is None else query.wish.budget.value,
        picks=None if picks is None else tuple(picks),
        decisions=UNDECIDED if query is None else Decisions(query.gold),
    )


POLICY = "F:policy"
"""The evidence id of the shop's policy."""
UNKNOWN, GONE = "the shop has no such thing", "the shop has it no more"


def read_shop(evidence: Iterable[Evidence]) -> Ledger:
    """The ledger of what was looked up in the shop for its assistant's answers, without what the assistant's own tools
    said: that may be what the shop does not have.
    """
    looked_up = {entry.id: entry for entry in evidence if entry.looked_up}
    records = [entry for entry in looked_up.values() if entry.kind in ("product", "order")]
    lacking = [entry for entry in records if entry.problem in (GONE, UNKNOWN) or not entry.texts]
    ledger = read_ledger({key: entry for key, entry in looked_up.items() if entry not in lacking})
    policy = looked_up.get(POLICY)
    record = {} if policy is None else record_of(policy.texts[0].text) or {}
    return replace(
        ledger,
        policy=Policy.model_validate({name: value for name, value in record.items() if name != "currency"}),
        missing={entry.id: entry.problem or UNKNOWN for entry in lacking},
        former={entry.key: entry.title for entry in lacking if entry.problem == GONE},
    )


def on_record(kind: ValueKind, item: Product) -> Decimal | None:
    """The number that a product's record has for a kind of value, or None."""
    number = {"price": item.price, "rating": item.average_rating, "rating_count": item.rating_number}.get(kind)
    return None if number is None else Decimal(str(number))


def all_words_of(item: Product) -> str:
    """All texts of a product's record, in lines."""
    details = (f"{key} {value}" for key, value in item.details.items())
    return "\n".join([item.title, *item.features, *item.description, *details])


def record_of(text: str) -> dict[str, Any] | None:
    """The record in a JSON text; None for any other text."""
    value = json_or_none(text)
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


def _products(entry: Evidence) -> Iterator[Product]:
    """The product as the run was shown it, whole records last."""
    texts = sorted(entry.texts, key=lambda text: text.form == "record")
    yield from filter(None, (_product(text.text) for text in texts))


# Cached: many runs are shown the same records.
@lru_cache(maxsize=512)
def _product(text: str) -> Product | None:
    record = record_of(text) or {}
    try:
        return Product.model_validate({key: record[key] for key in Product.model_fields if record.get(key) is not None})
    except ValidationError:
        return None


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
_MOST_PIECES = 12


def equals(amount: Amount, record: Decimal | None) -> bool:
    """True if an amount equals a record's number, as exactly as it is written."""
    return record is not None and amount.agreement(record) in ("equal", "rounded", "bounded")


def is_explained(amount: Amount, ledger: Ledger, others: Iterable[str], near: Iterable[str]) -> bool:
    """True if the query names an amount, if one of the ``others`` costs it, or if it has cents and follows from prices,
    the budget, or what was calculated: its chance to do so by accident is small. Without cents it would be large
    (METRICS 0), so that nothing follows.

    ``near`` are the products that the report cites beside it.
    """
    if ledger.names(amount.low) or any(equals(amount, offer.price) for key in others for offer in ledger.offers(key)):
        return True
    if amount.places < CENTS:
        return False
    prices = [price for key in dict.fromkeys(near) if (price := ledger.price(key)) is not None]
    limits = [amount.low for amount in ledger.asked if amount.kind == "money"]
    limits += [limit for limit in (ledger.limit,) if limit is not None]
    numbers = {abs(calculation.result) for calculation in ledger.calculations.values()}
    if ledger.total is not None:  # what the picks cost, and what they leave of the budget
        numbers |= {ledger.total} if ledger.limit is None else {ledger.total, ledger.limit - ledger.total}
    # Ten times a price is one whose point slipped, more often than what ten pieces cost.
    numbers |= {price * count for price in prices for count in range(2, _MOST_PIECES + 1) if count != 10}
    numbers |= {abs(price - other) for price, other in combinations([*prices, *limits], 2)}
    numbers |= {price + other for price, other in combinations(prices, 2)}
    far = abs(amount.low) / ABOUT + Decimal(1).scaleb(-amount.places)  # as most numbers are, which is soon told
    near_it = (number for number in numbers if abs(number - amount.low) <= far)
    return any(amount.agreement(number) in ("equal", "rounded") for number in near_it)
