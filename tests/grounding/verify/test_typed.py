"""What a model typed of an answer, beside the shop's records: code says whether it is so, or leaves it open."""

from typing import Any

import pytest

from drretail.grounding.text.layout import read_layout
from drretail.grounding.verify.product_statements import GONE, UNKNOWN, Records
from drretail.grounding.verify.turns import read_answers
from drretail.grounding.verify.typed import Typed, statement_of
from drretail.records.run import Turn
from drretail.records.shop import Policy, Product


def product(key: str, title: str, price: float, **details: Any) -> Product:
    return Product(product_id=key, title=title, price=price, currency="EUR", category="Home", details=details)


KETTLE = product("k", "Nordby Kettle", 64.9, **{"List price": 79.0, "Stock": 5, "Weight": "980 g", "Whistle": "No"})
BAG = product(
    "b",
    "Fjell Bag",
    20,
    Variants=[{"Color": "Ink", "price": 20, "stock": "0"}, {"Color": "Sand", "price": 24, "stock": "3"}],
)
SHOP = Records(
    {"k": KETTLE, "b": BAG},
    {
        "7-1": {"order_status": "Shipped", "order_date": "2024-03-14T09:00:00", "product_id": "b", "quantity": 2},
        "7-2": {"order_status": "Shipped", "order_date": "2024-03-14T09:00:00", "product_id": "gone", "quantity": 1},
        "9-1": {"order_status": "Delivered", "product_id": "b"},
        "9-2": {"order_status": "Processing", "product_id": "k"},
    },
    missing={"gone": GONE, "t-9": UNKNOWN},
    former={"gone": "Fjell Rug"},
    policy=Policy(shipping=4.9, free_from=50, delivery_days=(2, 4), return_days=30),
    currency="EUR",
)


def said(kind: str, of: str, amount: str, text: str = "It is so.", **fields: Any) -> Any:
    money = "EUR" if kind in ("price", "list_price", "total") else ""
    names = tuple(of.split("+")) if of else ()
    typed = {"kind": kind, "of": names, "amount": amount, "currency": money, "start": 0, "end": len(text), **fields}
    return statement_of(Typed.model_validate(typed), text, (), SHOP)


@pytest.mark.parametrize(
    ("kind", "of", "amount", "fields", "expected"),
    [
        # denied, with what the record says
        ("price", "P:k", "59.9", {}, "€64.90"),
        ("price", "P:k", "79", {}, "€64.90"),  # its list price
        ("price", "P:b#2", "20", {}, "€24.00"),
        ("price", "P:gone", "20", {}, GONE),
        ("price", "P:t-9", "9", {}, UNKNOWN),
        ("list_price", "P:k", "89", {}, "list price: €79.00"),
        ("stock", "P:b#1", "yes", {}, "0 in stock of Ink"),
        ("stock", "P:k", "9", {}, "5 in stock"),
        ("property", "P:k", "1.4 kg", {"field": "Weight"}, "Weight: 980 g"),
        ("property", "P:k", "yes", {"field": "Whistle"}, "Whistle: No"),
        ("total", "P:k+P:b#2+P:b#2", "105", {}, "Nordby Kettle + 2 × Fjell Bag = €112.90"),
        ("total", "P:b#1+shipping", "28", {}, "Fjell Bag + shipping = €24.90"),
        ("order_status", "O:7", "not Shipped", {}, "order status: Shipped"),
        ("order_status", "O:9+P:k", "Delivered", {}, "order status: Processing"),
        ("order_date", "O:7", "03-15", {}, "order date: 2024-03-14"),
        ("order_line", "O:7+P:k", "", {}, "order of 2 × Fjell Bag, 1 × Fjell Rug"),
        ("order_line", "O:7+P:b", "3", {}, "order of 2 × Fjell Bag, 1 × Fjell Rug"),
        ("policy", "", "3.9", {"field": "shipping"}, "shipping: €4.90"),
        ("policy", "", "14", {"field": "return_days"}, "returns within 30 days"),
        # confirmed
        ("price", "P:k", "65", {}, True),
        ("price", "P:b#2", "24", {}, True),
        ("list_price", "P:k", "79", {}, True),
        ("stock", "P:b", "yes", {}, True),
        ("stock", "P:b#2", "3", {}, True),
        ("property", "P:k", "0.98 kg", {"field": "Weight"}, True),
        ("property", "P:k", "no", {"field": "Whistle"}, True),
        ("total", "P:k+P:b#1", "84.90", {}, True),
        ("total", "P:b#1+P:b#1+shipping", "44.9", {}, True),
        ("total", "P:k+P:b#1+shipping", "84.90", {}, True),  # which is above €50
        ("order_status", "O:7", "Shipped", {}, True),
        ("order_date", "O:7", "2024-03-14", {}, True),
        ("order_line", "O:7+P:gone", "1", {}, True),
        ("policy", "", "50", {"field": "free_from"}, True),
        ("policy", "", "2", {"field": "delivery_days", "amount_to": "4", "relation": "range"}, True),
        # what may be meant otherwise is open
        ("price", "P:k", "129.8", {"text": "Two are €129.80."}, None),  # of two pieces
        ("price", "P:k", "69.8", {"text": "You pay €69.80."}, None),  # with shipping
        ("price", "P:k", "50", {"text": "It is €50 net, €64.90 with tax."}, None),
        ("price", "P:k", "50", {"text": "From €50.", "relation": "at_least"}, None),
        ("price", "P:k", "60", {"text": "Some €60.", "relation": "about"}, None),
        ("price", "P:k", "50", {"text": "It is $50.", "currency": "USD"}, None),
        ("price", "P:a spare bulb", "5", {"text": "A spare bulb is €5."}, None),
        ("list_price", "P:b#1", "30", {"text": "It was €30."}, None),  # the shop knows none
        ("property", "P:k", "12 cm", {"text": "The cable is 12 cm.", "field": "cable length"}, None),
        ("property", "P:gone", "yes", {"text": "It was washable.", "field": "washable"}, None),
        ("stock", "P:gone", "no", {"text": "We have it no more."}, None),
        ("total", "P:k+P:a spare bulb", "70", {"text": "Together €70."}, None),
        ("total", "P:k+P:b#1", "89.80", {"text": "€89.80 in all."}, None),  # shipping is not said to be in it
        ("order_status", "O:9", "Delivered", {"text": "Order 9 was delivered."}, None),  # one line of it
        ("order_status", "O:8", "Shipped", {"text": "Order 8 was shipped."}, None),
        ("order_line", "O:7+P:a spare bulb", "", {"text": "A spare bulb is in it."}, None),
        ("policy", "", "3", {"text": "Within 3 days.", "field": "delivery_days", "relation": "at_most"}, None),
        ("policy", "", "0", {"text": "It ships free.", "field": "shipping"}, None),  # as orders from €50 do
    ],
)
def test_the_record_denies_confirms_or_leaves_open_what_is_said(
    kind: str, of: str, amount: str, fields: dict[str, str], expected: str | bool | None
) -> None:
    found = said(kind, of, amount, **fields)
    assert (found if found is None else found.is_true or found.record) == expected


def test_a_models_reading_goes_first_and_rules_are_heard_on_what_it_leaves_open() -> None:
    text = "The Nordby Kettle costs €59.90. The Nordby Kettle weighs 980 g, its cable 75 cm."
    turn = Turn(question="The kettle?", start=0, end=len(text))
    price = {"kind": "price", "amount": "59.9", "currency": "EUR", "start": 24, "end": 30}
    cable = {"kind": "property", "of": ("P:k",), "field": "cable length", "amount": "75 cm", "start": 72, "end": 77}

    def read(*typed: dict[str, Any]) -> Any:
        return read_answers(read_layout(text, {}), [turn], (), {}, SHOP, [Typed.model_validate(one) for one in typed])

    by_rules = [(one.record, one.is_true) for one in read().statements]
    assert by_rules == [("€64.90", False), ("Weight: 980 g", True)]
    same, other = read({**price, "of": ("P:k",)}, cable), read({**price, "of": ("P:a spare lid",)})
    assert [(one.record, one.is_true) for one in same.statements] == by_rules  # each once
    assert [one.record for one in other.statements] == ["Weight: 980 g"]  # rules took it for the kettle's
    assert (same.numerals, len(same.unread)) == (3, 1)
