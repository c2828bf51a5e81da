"""The ledger that figures are compared with, and what follows from its prices."""

from dataclasses import replace
from decimal import Decimal

from drretail.records.reading import Pick
from drretail.records.shop import Policy
from drretail.reports.text.amounts import find_amounts
from drretail.shopping.verify.records import (
    GONE,
    POLICY,
    UNKNOWN,
    Calculation,
    Ledger,
    is_explained,
    read_ledger,
    read_shop,
)
from tests import build
from tests.goods import product, recorded


def test_an_amount_with_cents_follows_from_prices_beside_it_the_budget_the_cart_and_what_was_calculated() -> None:
    goods = {"a": product("a", 12.4), "b": product("b", 30.15), "c": product("c", 7.77), "d": product("d", None)}
    calculations = {"C:1": Calculation("3-9.99", (), Decimal("-6.99"))}
    picks = (Pick(product="a", quantity=2), Pick(product="c"))
    ledger = Ledger(goods, {}, {}, calculations, query_text="I have $60.", limit=Decimal(80), picks=picks)
    rows = {
        "$24.80": True, "$148.80": True, "$161.20": False,  # two to twelve pieces
        "$12.40": False, "$42.55": True, "$17.75": True,  # one, the sum of two and their difference
        "$47.60": True, "$67.60": True, "$49.85": True,  # what one leaves of $60 and of $80
        "$20.17": False,  # of c, which does not stand near
        "$32.57": True, "$47.43": True, "$6.99": True,  # the cart, what it leaves, what was calculated
        "$24.8": False, "$25": False, "$24.81": False,
    }  # fmt: skip
    for words, follows in rows.items():
        (amount,) = find_amounts(words)
        assert is_explained(amount, ledger, (), ["a", "b", "d", "a"]) == follows, words
    assert ledger.total == Decimal("32.57")
    assert replace(ledger, picks=(*picks, Pick(product="d"))).total is None, "a price of theirs is not known"
    assert replace(ledger, picks=()).total is None
    ranged = replace(ledger, query_text="It may cost $20 to $45.")
    assert [ranged.names(Decimal(number)) for number in (20, 45, 80, 30)] == [True, True, True, False]


def test_a_variant_without_a_price_has_no_price_of_its_product() -> None:
    variants = [{"id": "ink", "Color": "Ink", "price": None}, {"id": "sand", "Color": "Sand", "price": 27.5}]
    shop = Ledger({"bag": product("bag", 20.0, details={"Variants": variants})}, {}, {}, {})
    assert [shop.price_of(Pick(product="bag", variant=key)) for key in ("ink", "sand")] == [None, Decimal("27.5")]


def test_what_is_no_record_of_a_product_an_order_or_a_calculation_is_left_out() -> None:
    rows = {
        "P:1": '{"product_id": "1"}',
        "P:2": "no record",
        "C:1": "1 / x = nothing",
        "C:2": "1,200 - 0.5 = 1199.5",
        "O:1": '["order_date"]',
    }
    read = read_ledger({key: recorded(key, text) for key, text in rows.items()})
    assert (read.products, read.order_dates, read.records) == ({}, {}, {})
    (calculation,) = read.calculations.values()
    assert (calculation.expression, calculation.operands) == ("1,200-0.5", (Decimal(1200), Decimal("0.5")))


def test_the_shops_records_are_those_that_were_looked_up_and_an_id_may_lead_to_nothing() -> None:
    texts = (f'{{"product_id":"mug","title":"Fjell Mug","price":{price},"category":"x"}}' for price in (18.0, 12.0))
    own = build.evidence("P:mug", *map(build.text, texts, ("record", "card")), looked_up=True)
    shown = build.evidence("P:4711", build.text('{"product_id":"4711","title":"Fjell Jug","category":"x"}'))
    nothing = build.evidence("P:jug", looked_up=True)
    gone = build.evidence("P:old", build.text("{}"), title="Fjell Pan", problem=GONE, looked_up=True)
    policy = build.evidence(POLICY, build.text('{"shipping":4.9,"currency":"EUR"}'), looked_up=True)
    shop = read_shop([own, shown, nothing, gone, policy])
    assert {key: item.price for key, item in shop.products.items()} == {"mug": 18.0}, "by the record, not by a card"
    assert (shop.missing, shop.former) == ({"P:jug": UNKNOWN, "P:old": GONE}, {"old": "Fjell Pan"})
    assert shop.policy == Policy(shipping=4.9)
