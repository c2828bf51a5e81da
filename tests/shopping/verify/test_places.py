"""What records say of typed places: right, denied or open. beside: tests/shopping/verify/test_form.py."""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from drretail.records.reading import Kind, Pick, ReadValue
from drretail.records.shop import Policy
from drretail.shopping.verify.places import compare_value, value_at, would_be_caught
from drretail.shopping.verify.records import GONE, UNKNOWN, Calculation, Ledger
from tests.goods import product

INK = {"id": "ink", "Color": "Ink", "Size": "M", "price": 20, "stock": 0}
SAND = {"id": "sand", "Color": "Sand", "Size": "L", "price": 27.5, "stock": 3}
OF_KETTLE = {"List price": 79.0, "Stock": 5, "Weight": "1240 g", "Lid Weight": "90 g", "Pieces": "4"}
SHOP_HAS = (
    product("kettle", 64.9, currency="EUR", average_rating=4.6, rating_number=1843, details=OF_KETTLE).model_copy(
        update={"title": "Nordby Kettle, 1.2 L"}
    ),
    product("rug", 249.0, currency="EUR", details={"Stock": 0, "Size": "160 x 230 cm"}),
    product("bag", 20.0, currency="EUR", details={"Variants": [INK, SAND]}),
    product("pan", 38.5, average_rating=4.3, rating_number=512),
    product("sofa", 1240.0, currency="EUR", average_rating=4.5, rating_number=900),
    product("lid", 9.0, currency="EUR", details={"List price": 9.0}),
    product("pot", details={"Weight": "1240 g", "Lid": {"Weight": "90 g"}}),
    *(product("at", 50.0), product("below", 49.99), product("unpriced", None)),
)
ORDERS = {"O:7": "Shipped", "O:9-1": "Delivered", "O:9-2": "Processing", "O:5-1": "Shipped", "O:5-2": "Shipped"}
SHOP = Ledger(
    products={item.product_id: item for item in SHOP_HAS},
    order_dates=dict.fromkeys(ORDERS, date(2024, 3, 14)) | {"O:5-2": date(2024, 3, 20)},
    ordered=dict.fromkeys(ORDERS, "bag"),
    calculations={"C:left": Calculation("120-2*48.99", (), Decimal("22.02"))},
    records={key: {"order_status": status, "price": 20.0} for key, status in ORDERS.items() if key != "O:5-2"}
    | {"O:5-2": {"order_status": "Shipped", "price": "20"}},
    policy=Policy(shipping=4.9, free_from=50, delivery_days=(2, 4), return_days=30),
    missing={"O:99": UNKNOWN, "P:jug": GONE},
    picks=(Pick(product="kettle"), Pick(product="bag", variant="sand", quantity=2)),
)
RUN = Ledger(SHOP.products, {}, {}, {})
"""A run that was shown these products, and nothing of the shop's policy."""
STATES = {"+": "verified", "-": "contradicted", "?": "underivable"}


def typed(kind: str, of: str, marked: str, field: str = "") -> tuple[ReadValue, str]:
    """The value at «the place» of a text, and the text without these signs; without them, all of it is the place."""
    before, _, rest = marked.rpartition("«")
    place, _, behind = rest.partition("»")
    text = f"{before}{place}{behind}"
    start, end = len(before), len(before) + len(place)
    return value_at(cast(Kind, kind), text, start, end, "" if of == "." else of, field), text


def check(table: str, ledger: Ledger = SHOP) -> None:
    """Every place has the state, and its record's line the words, that the table says: kind, source, field, state,
    places with bars between them, and the record's words behind an arrow. A line without the first three is of those
    above; + is right, - is wrong, ? is open.
    """
    wrong: list[str] = []
    about = ""
    for line in table.strip().splitlines():
        subject, sign, rest = re.split(r"\s?([+?-])\s", line, maxsplit=1)
        about = subject.strip() or about
        places, _, words = rest.partition(" → ")
        kind, of, field = (*about.split(maxsplit=2), "")[:3]
        for place in places.split(" | "):
            found = compare_value(*typed(kind, of, place.strip(), field), ledger)
            if found.state != STATES[sign] or words.strip() not in (found.derivation or ""):
                wrong.append(f"{place} ({kind} of {of}): {found.state}: {found.derivation}")
    assert wrong == []


def test_one_right_figure_settles_a_place_and_only_a_single_wrong_one_is_denied() -> None:
    check("""
price P:kettle      + It costs «€64.90». | €64.90, was €79.00 | about €65 → €64.90
                    - €59.90 | «€59.90» or | Two are «€129.80». → €64.90
price P:pan         ? $38.50 to $40
price P:sofa        + €1.240 | €1,240
                    - €1.250 | 3 seats for €1,250 → €1,240.00
list_price P:kettle + €79 | reduced this week
                    - €89 → €79.00
list_price P:rug    - €299 | on sale | um 15 % reduziert → no list price
rating P:kettle     + 4.6 of 5 | It has «4.6» of 5. | «4,6» von 5 | a «4.6»-star kettle
                    - 4.9 | a «4.9»-star kettle → 4.6
list_price P:bag    - reduced → it has no list price
list_price P:lid    - on sale → its list price is not above its price
rating P:rug        ? 4.9
rating P:sofa       - 4.1, for €4 → 4.5
rating_count P:sofa - 800 ratings, 20% of them → 900 ratings
rating_count P:kettle + 1,843 buyers | over 1,800 buyers | 1.843 Bewertungen
                    - 1,348 buyers → 1843 ratings
""")


def test_a_figure_belongs_to_one_offer_and_no_union_of_variants_confirms_it() -> None:
    check("""
price P:bag/sand    + €27.50
                    - €20 → €27.50
stock P:bag/ink in stock - «in stock» | three are left → 0 in stock
stock P:bag/ink sold out ? sold out in 44
stock P:bag/sand    + 3 pieces
                    - 18 pieces
stock P:bag/sand in stock + three are left | 3 left
stock P:rug in stock - auf Lager
option P:bag Color  + Sand
option P:bag color  - Red → Color: Ink, Sand
option P:bag Fit    ? XL
option P:bag/ink Size - L → Size (Ink): M
""")
    check("list_price P:rug ? €299", RUN)  # a run is shown no list prices: that is no proof


def test_orders_sums_and_the_shop_s_policy() -> None:
    check("""
order_date O:7      + March 14, 2024 | 14. März
                    - March 15 → 2024-03-14
order_date O:99     - March 15 → the shop has no such thing
order_date O:5      + March 14
order_date O:5-2    - March 15 → order date: 2024-03-20
order_status O:9-1 Shipped ? has been shipped
order_status O:7 Delivered - was delivered → Shipped
order_status O:9 Delivered ? was delivered
order_status O:99 Delivered - was delivered → the shop has no such thing
order_status O:5 Shipped + has been shipped → order status: Shipped
price O:7           + €20
price O:5-2         ? €20
total C:left        + $22.02 | «$97.98» for both
                    - $120 | $24.06 → 120-2*48.99 = 22.02
total cart          + €119.90 → the picks cost
policy . shipping   + €4.90
                    - 5,95 € → shipping: 4.9
policy P:kettle shipping - €4.90 → shipping costs 0
policy . free       ? ship free
policy . delivery_days + 2–4 days | 3 days | 2–3 days | 3–4 days
                    - 4–6 days | 9 days → 2 to 4
policy . return_days - 14 days → return days: 30
""")
    check("""
policy . shipping   ? €5.95
total cart          ? €114.90
order_date O:99     ? March 15
""", RUN)  # fmt: skip


def test_a_measure_is_held_against_the_field_that_is_named_in_any_unit_and_in_the_notation_of_its_language() -> None:
    check("""
measure P:kettle Weight + 1.24 kg | 1,240 g | Der Kessel wiegt «1.240 g». | 2.7 lb → Weight: 1240 g
measure P:kettle Capacity + 1.2 L → 1.2 L
measure P:kettle Pieces + 4 pieces
                    ? 4 L
measure P:rug Size  + 160 x 230 cm
measure P:lamp Weight ? 1.4 kg
measure P:pot Weight - 90 g → Weight: 1240 g
""")


def test_shipping_is_free_from_the_limit_on_and_open_where_the_policy_or_a_price_is() -> None:
    check("""
policy P:at free    + ships free
policy P:unpriced free ? ships free
""")
    for policy, expected in (
        (Policy(shipping=0), "+ «ships free»"),
        (Policy(shipping=0, free_from=50), "+ «free»"),
        (Policy(shipping=3), "- «free» → 3"),
        (Policy(), "? «free»"),
    ):
        for of in ("P:at", "P:unpriced", "."):
            check(f"policy {of} free {expected}", replace(SHOP, policy=policy))


def test_power_is_how_often_a_right_figure_is_found_once_it_is_changed_at_random() -> None:
    rows = [
        ("measure", "P:kettle", "1240 g", "Weight", 10),
        ("measure", "P:kettle", "1.2 L", "Capacity", 0),  # of the title: nothing denies another
        ("price", "P:kettle", "€64.90, was €79.00", "", 0),  # of several figures none is denied
        ("price", "P:kettle", "€59.90", "", None),
        ("option", "P:bag", "Sand", "Color", None),
    ]
    for kind, of, marked, field, caught in rows:
        value, text = typed(kind, of, marked, field)
        found = would_be_caught(compare_value(value, text, SHOP), text, SHOP)
        is_right = caught is not None or kind == "option"
        assert (found.state == "verified", found.caught) == (is_right, caught), marked


@given(st.text(alphabet="€$1234.,- x(%)kg\n", max_size=40), st.data())
def test_any_place_is_compared_and_stays_within_what_was_typed(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for kind in ("price", "rating_count", "measure", "order_date", "total"):
        value = compare_value(value_at(kind, text, start, end, "P:kettle", "Weight"), text, SHOP)
        assert start <= value.start <= value.end <= end
