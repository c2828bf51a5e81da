"""What a model typed of an answer, beside the record.

The model writes down what is said, never whether it is so. A statement is false only if the record has the very thing
and nothing else that is said beside it explains the figure.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal, cast

from drretail.grounding.text.amounts import Amount, find_money
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.fields import yes_or_no
from drretail.grounding.verify.product_statements import (
    GONE,
    Kind,
    Records,
    Statement,
    availability_of,
    days_statement,
    fits,
    shipping_statement,
)
from drretail.grounding.verify.values import verify
from drretail.records.base import Record
from drretail.records.reading import ReadValue, Relation
from drretail.records.shop import Offer, may_share_a_sign, offers_of

TypedKind = Literal[
    "price",
    "list_price",
    "total",
    "stock",
    "property",
    "order_status",
    "order_date",
    "order_line",
    "policy",
    "sold",
]
SHIPPING = "shipping"
"""The name of what shipping costs, among the things that a total counts, and as a field of the shop's policy."""
DENIED = "not "
"""The beginning of a status that is denied."""
NUMBER = r"\d+(?:\.\d+)?"
_STOPS = ("\n", ". ", "! ", "? ")
_MOST_SUMS, _MOST_PIECES = 200, 12
_NEAR = Decimal("0.2")
"""How far something may be from what is about that."""


class Typed(Record):
    """``text[start:end]`` says that the field of these things is this amount."""

    kind: TypedKind
    of: tuple[str, ...] = ()
    """Evidence ids, with "#2" for a product's second variant, or names that a product without one has in the text. A
    total has each as often as it counts it.
    """
    field: str = ""
    amount: str = ""
    amount_to: str = ""
    currency: str = ""
    relation: Relation = "is"
    start: int
    end: int

    @property
    def keys(self) -> tuple[str, ...]:
        """The ids without their variants."""
        return tuple(name.partition("#")[0] for name in self.of)

    @property
    def as_kind(self) -> Kind:
        """The kind of a statement that it becomes, if its things are the shop's."""
        own: dict[TypedKind, Kind] = {"list_price": "price", "property": "field", "sold": "unknown"}
        return own.get(self.kind) or cast(Kind, self.kind.partition("_")[0])


def statement_of(typed: Typed, text: str, beside: Collection[str], shop: Records) -> Statement | None:
    """The statement with what the record says; None where the record leaves it open.

    ``beside`` are the ids of the products that its sentence names.
    """
    compared = _Comparison(typed, text, [name for name in beside if f"P:{name}" not in typed.keys], shop)
    why = shop.why_missing(typed.keys[0][2:]) if typed.keys and typed.kind in ("price", "stock", "sold") else None
    if why is not None:
        is_offered = yes_or_no(typed.amount) is not False
        return compared.statement("gone" if why == GONE else "unknown", False, why) if is_offered else None
    of_kind = {
        "price": compared.price,
        "list_price": compared.list_price,
        "stock": compared.stock,
        "total": compared.total,
        "property": compared.of_record,
        "order_status": compared.status,
        "order_date": compared.of_record,
        "order_line": compared.line,
        "policy": compared.policy,
    }
    return of_kind[typed.kind]() if typed.kind in of_kind else None


@dataclass(frozen=True)
class _Comparison:
    typed: Typed
    text: str
    beside: Sequence[str]
    shop: Records

    def statement(self, kind: Kind, is_true: bool | None, record: str, of: str = "") -> Statement | None:
        if is_true is None:
            return None
        return Statement(self.typed.start, self.typed.end, kind, is_true, of or self.typed.keys[0], record)

    @cached_property
    def offers(self) -> Sequence[Offer]:
        """The variants of the one thing that it is said of, whose price is known; empty for several things."""
        return self._offers(self.typed.of[0]) if len(self.typed.of) == 1 else ()

    @cached_property
    def amount(self) -> Amount | None:
        typed = self.typed
        if not re.fullmatch(NUMBER, typed.amount):
            return None
        low, high = Decimal(typed.amount), Decimal(typed.amount_to or typed.amount)
        places = max(0, -int(low.as_tuple().exponent))
        return Amount("money", low, high, typed.start, typed.end, typed.currency or None, typed.relation, places)

    def price(self) -> Statement | None:
        prices = _prices(self.offers)
        is_true = self._agrees(prices)
        if is_true is False:
            # Its sentence may name the right price as well, or the figure may be that of another product there, of
            # several pieces, or with shipping.
            others = [price for name in self.beside for price in _prices(self._offers(f"P:{name}"))]
            pieces = [price * number for price in prices for number in range(2, _MOST_PIECES)]
            begin = max(self.text.rfind(stop, 0, self.typed.start) for stop in _STOPS)
            ends = (self.text.find(stop, self.typed.end) for stop in _STOPS)
            end = min((place for place in ends if place >= 0), default=len(self.text))
            written = {amount.low for amount in find_money(self.text[begin + 1 : end])}
            shipped = (price + self._shipping for price in prices)
            if not written.isdisjoint(prices) or self._agrees([*others, *pieces, *shipped]) is not False:
                return None
        return self.statement("price", is_true, self._money(prices))

    def list_price(self) -> Statement | None:
        lists = [offer.list_price for offer in self.offers if offer.list_price is not None]
        is_true = self._agrees(lists)
        is_open = is_true is False and self._agrees(_prices(self.offers)) is not False
        return None if is_open else self.statement("price", is_true, f"list price: {self._money(lists)}")

    def stock(self) -> Statement | None:
        item = self.shop.products.get(self.typed.keys[0][2:]) if self.offers else None
        known = None if item is None else availability_of(self.offers, item)
        if known is None:
            return None
        answer = yes_or_no(self.typed.amount)
        if answer is not None:
            return self.statement("stock", known.has_any if answer else not known.has_all, known.record)
        return self.statement("stock", self._agrees(map(Decimal, known.counts)), known.record)

    def total(self) -> Statement | None:
        """The sum of all that it counts, each at the price of any variant that may be meant."""
        things = [self._offers(name) for name in self.typed.of if name != SHIPPING]
        prices = [_prices(offers) for offers in things]
        is_shipped = SHIPPING in self.typed.of
        if len(self.typed.of) < 2 or not all(prices) or (is_shipped and self.shop.policy.shipping is None):
            return None
        sums = {total + self._shipping * is_shipped for total in _sums(prices)}
        if is_shipped and (free_from := self.shop.policy.free_from) is not None:
            sums |= {total for total in _sums(prices) if total >= Decimal(str(free_from))}
        with_lists = [
            {*own, *(offer.list_price for offer in of if offer.list_price)}
            for own, of in zip(prices, things, strict=True)
        ]
        others = {*_sums(with_lists), *(total + self._shipping for total in sums)}
        is_true = self._agrees(sums)
        if is_true is False and self._agrees(others) is not False:
            return None
        counts = Counter(self.shop.titles.get(name[2:], name) for name in self.typed.keys)
        shown = " + ".join(f"{count} × {name}" if count > 1 else name for name, count in counts.items())
        return self.statement("total", is_true, f"{shown} = {self._money(sorted(sums))}")

    def of_record(self) -> Statement | None:
        """A field of a product or the day of an order, as values of research reports are compared."""
        typed, is_day = self.typed, self.typed.kind == "order_date"
        of = self._orders[:1] if is_day else typed.keys
        amount = f"--{typed.amount}" if is_day and len(typed.amount) == 5 else typed.amount
        value = ReadValue(
            kind="date" if is_day else "property",
            amount=(amount, typed.amount_to) if typed.amount_to else amount,
            field=typed.field or None,
            relation=typed.relation,
            of=tuple(of),
            start=typed.start,
            end=typed.end,
        )
        (verified,) = verify([value], self.shop.ledger, self.text, lambda _: [f"P:{name}" for name in self.beside])
        if verified.state == "underivable" or not of:
            return None
        record = (verified.derivation or "").removeprefix("the record says ")
        if is_day:
            record = f"order date: {self.shop.ledger.order_dates[of[0]].isoformat()}"
        return self.statement("order" if is_day else "field", verified.state == "verified", record, of[0])

    def status(self) -> Statement | None:
        amount = self.typed.amount.casefold()
        is_denied, status = amount.startswith(DENIED), amount.removeprefix(DENIED)
        products = {name[2:] for name in self.typed.keys}
        own = [line for key, lines in self.shop.ordered(self.typed.keys).items() if key in products for line in lines]
        held, record = self.shop.status_of(own or self._orders, status)
        return None if held is None else self.statement("order", held != is_denied, record, (own or self._orders)[0])

    def line(self) -> Statement | None:
        """Whether an order has a product, and how many pieces of it."""
        lines = [self.shop.ledger.records[name] for name in self._orders]
        of = [name[2:] for name in self.typed.keys if name[2:] in (*self.shop.products, *self.shop.former)]
        if not lines or len(of) != 1:
            return None
        pieces = {f"{line.get('product_id')}": int(line.get("quantity") or 1) for line in lines}
        is_true = of[0] in pieces and (self.amount is None or self.amount.low == pieces[of[0]])
        shown = ", ".join(f"{number} × {self.shop.titles.get(key, key)}" for key, number in pieces.items())
        return self.statement("order", is_true, f"order of {shown}", self._orders[0])

    def policy(self) -> Statement | None:
        amount, field = self.amount, self.typed.field
        if amount is None or self.typed.relation == "about":
            return None
        if field in (SHIPPING, "free_from"):
            statements = shipping_statement(amount, self.shop.policy, self.shop.currency, is_free=field == "free_from")
        elif field in ("delivery_days", "return_days"):
            days = sorted({int(amount.low), int(amount.high)})
            is_within = self.typed.relation == "at_most" and field == "delivery_days"
            span = (self.typed.start, self.typed.end)
            statements = days_statement(
                span, days, self.shop.policy, of_returns=field == "return_days", is_within=is_within
            )
        else:
            return None
        return next(statements, None)

    @cached_property
    def _orders(self) -> Sequence[str]:
        return [f"O:{key}" for name in self.typed.of if name[:2] == "O:" for key in self.shop.lines_of(name[2:])]

    def _offers(self, name: str) -> Sequence[Offer]:
        key, _, number = name.partition("#")
        item = self.shop.products.get(key[2:])
        offers = () if item is None else offers_of(item)
        return offers[int(number) - 1 : int(number)] if number.isdecimal() else offers

    @property
    def _shipping(self) -> Decimal:
        return Decimal(str(self.shop.policy.shipping or 0))

    @property
    def _currency(self) -> str:
        items = (self.shop.products.get(key[2:]) for key in self.typed.keys)
        return next((item.currency for item in items if item is not None), self.shop.currency)

    def _money(self, numbers: Iterable[Decimal]) -> str:
        return " or ".join(format_money(number, self._currency) for number in dict.fromkeys(numbers))

    def _agrees(self, numbers: Iterable[Decimal]) -> bool | None:
        """Whether the amount is one of these numbers; None where it may be, as "from €50" may be €64."""
        amount, known, currency = self.amount, [*numbers], self.typed.currency
        if amount is None or not known or (currency and not may_share_a_sign(currency, self._currency)):
            return None
        if fits(amount, known):
            return True if amount.relation in ("is", "about") else None
        slack = amount.low * _NEAR if amount.relation == "about" else 0
        is_near = any(abs(number - amount.low) <= slack for number in known)
        return None if is_near or any(amount.agreement(number) == "bounded" for number in known) else False


def _prices(offers: Iterable[Offer]) -> list[Decimal]:
    return [offer.price for offer in offers if offer.price is not None]


def _sums(prices: Iterable[Iterable[Decimal]]) -> set[Decimal]:
    """What one of each may cost together; empty for more sums than would prove anything."""
    sums = {Decimal(0)}
    for of_thing in prices:
        sums = {total + price for total in sums for price in {*of_thing}}
        if len(sums) > _MOST_SUMS:
            return set()
    return sums
