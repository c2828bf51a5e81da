"""What records say of typed places: right, denied or open."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.verify.places import Passage, compare_value, figures_at, value_at, would_be_caught
from drretail.grounding.verify.records import GONE, UNKNOWN, Calculation, Ledger, derived
from drretail.records.reading import CART, Kind, Pick, ReadValue
from drretail.records.shop import Money, Policy
from tests.grounding.goods import product

INK = {"id": "ink", "Color": "Ink", "Size": "M", "price": 20, "stock": 0}
SAND = {"id": "sand", "Color": "Sand", "Size": "L", "price": 27.5, "stock": 3}
SHOP_HAS = (
    product("kettle", 64.9, currency="EUR", average_rating=4.6, rating_number=1843).model_copy(
        update={
            "title": "Nordby Kettle, 1.2 L",
            "details": {"List price": 79.0, "Stock": 5, "Weight": "1240 g", "Lid Weight": "90 g", "Pieces": "4"},
        }
    ),
    product("rug", 249.0, currency="EUR", details={"Stock": 0, "Size": "160 x 230 cm"}),
    product("bag", 20.0, currency="EUR", details={"Variants": [INK, SAND]}),
    product("pan", 38.5, average_rating=4.3, rating_number=512),
)
ORDERS = {"O:7": "Shipped", "O:9-1": "Delivered", "O:9-2": "Processing"}
SHOP = Ledger(
    products={item.product_id: item for item in SHOP_HAS},
    order_dates=dict.fromkeys(ORDERS, date(2024, 3, 14)),
    ordered=dict.fromkeys(ORDERS, "bag"),
    calculations={"C:left": Calculation("120-2*48.99", (Decimal(120), Decimal(2), Decimal("48.99")), Decimal("22.02"))},
    records={key: {"order_status": status, "price": 20.0} for key, status in ORDERS.items()},
    policy=Policy(shipping=4.9, free_from=50, delivery_days=(2, 4), return_days=30),
    missing={"O:99": UNKNOWN, "P:jug": GONE},
    picks=(Pick(product="kettle"), Pick(product="bag", variant="sand", quantity=2)),
)
GERMAN = (
    "Die Auswahl ist nach den Angaben im Laden und nach den früheren Bestellungen getroffen, und alle Preise gelten "
    "ohne Versand; geprüft wurde außerdem, ob die Bewertungen von vielen Käufern stammen und ob der Hersteller schon "
    "bekannt ist, denn das war in der Frage gewünscht."
)
RUN = Ledger(SHOP.products, {}, {}, {})
"""A run that was shown these products, and nothing of the shop's policy."""


Rows = list[tuple[Kind, str, str, str, str]]
"""Kind, source, text with its place, field; the state, and behind a colon words of the record's line."""


def typed(kind: Kind, of: str, marked: str, field: str = "") -> tuple[ReadValue, str]:
    """The value at «the place» of a text, and the text without these signs."""
    before, _, rest = marked.partition("«")
    place, _, behind = rest.partition("»")
    text = f"{before}{place}{behind}"
    return value_at(kind, text, len(before), len(before) + len(place), of, field), text


def states(rows: Rows, ledger: Ledger = SHOP) -> list[str]:
    """The rows whose state is not the one given, or whose record's line lacks the words behind a colon."""
    wrong: list[str] = []
    for kind, of, marked, field, expected in rows:
        found = compare_value(*typed(kind, of, marked, field), ledger)
        state, _, record = expected.partition(": ")
        if found.state != state or record not in (found.derivation or ""):
            wrong.append(f"{marked} ({kind} of {of}): {found.state}: {found.derivation}")
    return wrong


VERIFIED, FALSE, OPEN = "verified", "contradicted", "underivable"


def test_one_right_figure_settles_a_place_and_only_a_single_wrong_one_is_denied() -> None:
    rows: Rows = [
        ("price", "P:kettle", "It costs «€64.90».", "", f"{VERIFIED}: €64.90"),
        ("price", "P:kettle", "It is «€64.90, was €79.00».", "", VERIFIED),
        ("price", "P:kettle", "It costs «about €65».", "", VERIFIED),
        ("price", "P:kettle", "It costs «€59.90».", "", f"{FALSE}: €64.90"),
        ("price", "P:kettle", "«€59.90» or «", "", FALSE),
        ("price", "P:kettle", "It is «€59.90 or €49.90».", "", OPEN),
        ("price", "P:kettle", "It costs «from €59 to €62».", "", OPEN),
        ("price", "P:kettle", "It costs «$64.90».", "", OPEN),
        ("price", "P:kettle", "Two are «€129.80».", "", FALSE),  # as a price; nothing follows from others
        ("price", "P:lamp", "It costs «€59.90».", "", OPEN),
        ("price", "", "It costs «€59.90».", "", OPEN),
        ("list_price", "P:kettle", "It was «€79».", "", VERIFIED),
        ("list_price", "P:kettle", "It was «€89».", "", f"{FALSE}: €79.00"),
        ("list_price", "P:rug", "It was «€299».", "", f"{FALSE}: no list price"),
        # A sale needs no figure, and "15 % off" says more than that there is one.
        ("list_price", "P:rug", "It is «on sale».", "", f"{FALSE}: no list price"),
        ("list_price", "P:kettle", "It is «reduced this week».", "", VERIFIED),
        ("list_price", "P:kettle", "It is «15 % off».", "", OPEN),
        ("list_price", "P:rug", "It is «um 15 % reduziert».", "", FALSE),
        ("rating", "P:kettle", "It has «4.6 of 5».", "", VERIFIED),
        ("rating", "P:kettle", "It has «4.6» of 5.", "", VERIFIED),
        ("rating", "P:kettle", "It has «4.9» of 5.", "", f"{FALSE}: 4.6"),
        ("rating_count", "P:kettle", "rated by «1,843 buyers»", "", VERIFIED),
        ("rating_count", "P:kettle", "rated by «1,348 buyers»", "", f"{FALSE}: 1843 ratings"),
        ("rating_count", "P:kettle", "rated by «over 1,800 buyers»", "", VERIFIED),
        ("rating", "P:rug", "It has «4.9» of 5.", "", OPEN),  # the record has none
        # A text may be too short to tell its language by.
        ("rating_count", "P:kettle", "«1.843 Bewertungen»", "", VERIFIED),
        ("rating", "P:kettle", "«4,6» von 5", "", VERIFIED),
    ]
    assert states(rows) == []


def test_a_figure_belongs_to_one_offer_and_no_union_of_variants_confirms_it() -> None:
    rows: Rows = [
        ("price", "P:bag/sand", "in Sand «€27.50»", "", VERIFIED),
        ("price", "P:bag/sand", "in Sand «€20»", "", f"{FALSE}: €27.50"),  # that of the other one
        ("price", "P:bag", "The bag is «€20».", "", OPEN),
        ("price", "P:bag", "The bag is «€50».", "", OPEN),
        ("price", "P:bag/red", "in Red «€27.50»", "", OPEN),  # the option is false, the price of nothing
        ("stock", "P:bag/ink", "Ink is «in stock».", "in stock", f"{FALSE}: 0 in stock"),
        ("stock", "P:bag/sand", "Sand: «3 pieces».", "", VERIFIED),
        ("stock", "P:bag/sand", "Sand: «18 pieces».", "", FALSE),
        ("stock", "P:bag", "The bag is «in stock».", "in stock", OPEN),
        ("stock", "P:rug", "Der Teppich ist «ausverkauft».", "sold out", VERIFIED),
        ("stock", "P:rug", "Der Teppich ist «auf Lager».", "in stock", FALSE),
        ("stock", "P:kettle", "There are «some».", "", OPEN),
        ("option", "P:bag", "It comes in «Sand».", "Color", VERIFIED),
        ("option", "P:bag", "It comes in «Red».", "color", f"{FALSE}: Color: Ink, Sand"),
        ("option", "P:bag", "It comes in «XL».", "Fit", OPEN),  # it has no such option
        ("option", "P:bag", "It comes in «L».", "Size", VERIFIED),
        ("option", "P:bag/ink", "Ink comes in «L», too.", "Size", f"{FALSE}: Size (Ink): M"),
        ("option", "P:bag/sand", "Sand comes in «L».", "Size", VERIFIED),
        # Without figures only this is said; a size is no count.
        ("stock", "P:bag/sand", "Of Sand «three are left».", "in stock", VERIFIED),
        ("stock", "P:bag/ink", "Of Ink «three are left».", "in stock", FALSE),
        ("stock", "P:bag/ink", "Ink is «sold out in 44».", "sold out", OPEN),
        ("stock", "P:bag/sand", "Sand: «3 left».", "in stock", VERIFIED),
        ("option", "P:kettle", "It comes in «Red».", "Color", OPEN),
        ("product", "P:kettle", "We sell «the kettle».", "", OPEN),
        ("product", "P:jug", "We sell «the jug».", "", f"{FALSE}: {GONE}"),
        ("stock", "P:jug", "«Sold out».", "sold out", OPEN),
    ]
    assert states(rows) == []
    of_run: Rows = [("list_price", "P:rug", "It was «€299».", "", OPEN)]
    assert states(of_run, RUN) == []  # a run is shown no list prices: that is no proof


def test_orders_sums_and_the_shop_s_policy() -> None:
    rows: Rows = [
        ("order_date", "O:7", "of «March 14, 2024»", "", VERIFIED),
        ("order_date", "O:7", "vom «14. März»", "", VERIFIED),
        ("order_date", "O:7", "of «03/04/2024»", "", OPEN),  # a day of March or of April
        ("order_date", "O:7", "of «March 15»", "", f"{FALSE}: 2024-03-14"),
        ("order_date", "O:7", "of «March 15 or March 16»", "", OPEN),
        ("order_date", "O:99", "of «March 15»", "", f"{FALSE}: {UNKNOWN}"),
        ("order_date", "O:9", "of «March 14»", "", VERIFIED),  # of its lines
        ("order_status", "O:9-1", "It «has been shipped».", "Shipped", OPEN),  # and has come since
        ("order_status", "O:7", "It «has been shipped».", "Shipped", VERIFIED),
        ("order_status", "O:7", "It «was delivered».", "Delivered", f"{FALSE}: Shipped"),
        ("order_status", "O:9", "It «was delivered».", "Delivered", OPEN),  # one line of it
        ("order_status", "O:9-2", "The mug «was delivered».", "Delivered", FALSE),
        ("order_status", "O:99", "It «was delivered».", "Delivered", f"{FALSE}: {UNKNOWN}"),
        ("price", "O:7", "You paid «€20».", "", VERIFIED),
        ("total", "C:left", "«$22.02» are left", "", VERIFIED),
        ("total", "C:left", "«$97.98» for both", "", VERIFIED),  # a term, told by its cents
        ("total", "C:left", "«$120» in all", "", FALSE),
        ("total", "C:left", "«$24.06» are left", "", f"{FALSE}: 120-2*48.99 = 22.02"),
        ("total", CART, "Together «€119.90».", "", f"{VERIFIED}: the picks cost"),
        ("total", CART, "Together «€114.90».", "", FALSE),
        ("total", "P:kettle", "Together «€114.90».", "", OPEN),
        ("policy", "", "Shipping is «€4.90».", "shipping", VERIFIED),
        ("policy", "", "Versand: «5,95 €».", "shipping", f"{FALSE}: shipping: 4.9"),
        # Of a product it is what holds for one piece of it: free from €50.
        ("policy", "P:kettle", "Shipping is «€4.90».", "shipping", f"{FALSE}: shipping costs 0"),
        ("policy", "P:kettle", "It «ships free».", "free", VERIFIED),
        ("policy", "P:bag/sand", "It «ships free».", "free", f"{FALSE}: shipping costs 4.9"),
        ("policy", "P:bag/sand", "Shipping is «€4.90».", "shipping", VERIFIED),
        ("policy", "", "We «ship free».", "free", OPEN),
        ("policy", "", "It takes «2–4 days».", "delivery_days", VERIFIED),
        ("policy", "", "It takes «3 days».", "delivery_days", VERIFIED),
        # A shorter span may begin or end with the shop's.
        ("policy", "", "It takes «2–3 days».", "delivery_days", VERIFIED),
        ("policy", "", "It takes «3–4 days».", "delivery_days", VERIFIED),
        ("policy", "", "It takes «4–6 days».", "delivery_days", FALSE),
        ("policy", "", "It takes «9 days».", "delivery_days", f"{FALSE}: 2 to 4"),
        ("policy", "", "Return it within «14 days».", "return_days", f"{FALSE}: return days: 30"),
        ("policy", "", "Return it «for long».", "return_days", OPEN),
    ]
    assert states(rows) == []
    of_run: Rows = [
        ("policy", "", "Shipping is «€5.95».", "shipping", OPEN),
        ("total", CART, "Together «€114.90».", "", OPEN),
        ("order_date", "O:99", "of «March 15»", "", OPEN),
    ]
    assert states(of_run, RUN) == []


def test_a_measure_is_held_against_the_field_that_is_named_in_any_unit_and_in_the_notation_of_its_language() -> None:
    rows: Rows = [
        ("measure", "P:kettle", "It weighs «1.24 kg».", "Weight", f"{VERIFIED}: Weight: 1240 g"),
        ("measure", "P:kettle", "It weighs «1,240 g».", "weight", VERIFIED),
        ("measure", "P:kettle", "Der Kessel wiegt «1.240 g».", "Weight", VERIFIED),
        ("measure", "P:kettle", f"Der Kessel wiegt «1.420 g». {GERMAN}", "Weight", FALSE),
        ("measure", "P:kettle", "It weighs «2.7 lb».", "Weight", VERIFIED),
        ("measure", "P:kettle", "It weighs «1.4 kg».", "Weight", f"{FALSE}: Weight: 1240 g"),
        ("measure", "P:kettle", "It weighs «90 g».", "Weight", FALSE),  # as its lid does
        ("measure", "P:kettle", "It weighs «1.4 kg».", "", OPEN),
        ("measure", "P:kettle", "It weighs «1.4 kg».", "Shipping Weight", OPEN),
        ("measure", "P:kettle", "It holds «1.2 L».", "Capacity", VERIFIED),  # as its title says
        ("measure", "P:kettle", "It holds «1.5 L».", "Capacity", OPEN),
        ("measure", "P:kettle", "It weighs «3 cm».", "Weight", OPEN),
        ("measure", "P:kettle", "It has «4 pieces».", "Pieces", VERIFIED),
        ("measure", "P:kettle", "It holds «4 L».", "Pieces", OPEN),  # a number of pieces is no volume
        ("measure", "P:rug", "It is «160 x 230 cm».", "Size", VERIFIED),
        ("measure", "P:rug", "It is «150 x 230 cm».", "Size", OPEN),  # two figures
        ("measure", "P:rug", "It is «150 cm» wide.", "Size", OPEN),  # of two on record
        ("measure", "P:lamp", "It weighs «1.4 kg».", "Weight", OPEN),
    ]
    assert states(rows) == []


def test_a_value_has_the_figure_of_its_place_and_none_where_several_stand() -> None:
    value, text = typed("price", "P:kettle", "It «costs €64.90 now».")
    assert (value.amount, text[value.start : value.end]) == ("64.90", "€64.90")
    assert typed("order_date", "O:7", "«on 14 March, early»")[0].amount == "--03-14"
    assert typed("measure", "P:kettle", "«1.24 kg heavy»")[0].amount == "1.24 kg"
    value, text = typed("price", "P:kettle", "«€64.90 or €79»")
    assert (value.amount, text[value.start : value.end]) == ("€64.90 or €79", "€64.90 or €79")
    for kind, words in (("price", "cheap"), ("rating", "4,612"), ("rating_count", "4.5"), ("order_date", "in May")):
        assert not figures_at(kind, Passage.of(words, 0, len(words))), (kind, words)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "of", "marked", "field", "is_caught"),
    [
        ("price", "P:kettle", "«€64.90»", "", True),
        ("rating", "P:kettle", "«4.6» of 5", "", True),
        ("rating_count", "P:kettle", "«1,843» buyers", "", True),
        ("order_date", "O:7", "«March 14, 2024»", "", True),
        ("measure", "P:kettle", "«1240 g»", "Weight", True),
        ("measure", "P:kettle", "«1.2 L»", "Capacity", False),  # of the title: nothing denies another
        ("price", "P:kettle", "«€64.90, was €79.00»", "", False),  # of several figures none is denied
        ("price", "P:kettle", "«€59.90»", "", None),
        ("option", "P:bag", "«Sand»", "Color", None),
    ],
)
def test_power_is_whether_a_right_figure_is_found_once_another_digit_stands_there(
    kind: Kind, of: str, marked: str, field: str, is_caught: bool | None
) -> None:
    value, text = typed(kind, of, marked, field)
    found = would_be_caught(compare_value(value, text, SHOP), text, SHOP)
    assert (found.state == VERIFIED, found.is_caught) == (is_caught is not None or kind == "option", is_caught)


@given(st.text(alphabet="€$1234.,- x(%)kg\n", max_size=40), st.data())
def test_any_place_is_compared_and_stays_within_what_was_typed(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for kind in ("price", "rating_count", "measure", "order_date", "total"):
        value = compare_value(value_at(kind, text, start, end, "P:kettle", "Weight"), text, SHOP)
        assert start <= value.start <= value.end <= end


def test_shipping_is_free_from_the_limit_on_and_open_where_the_policy_or_a_price_is() -> None:
    goods = (product("at", 50.0), product("below", 49.99), product("unpriced", None))
    shop = replace(SHOP, products={item.product_id: item for item in goods})
    free: Rows = [
        ("policy", "P:at", "It «ships free».", "free", VERIFIED),
        ("policy", "P:below", "It «ships free».", "free", f"{FALSE}: shipping costs 4.9"),
        ("policy", "P:unpriced", "It «ships free».", "free", OPEN),
        ("policy", "P:below", "Shipping «costs little».", "shipping", OPEN),
        ("policy", "P:below", "Shipping is «€4.90».", "shipping", VERIFIED),
    ]
    assert states(free, shop) == []
    for policy, expected in (
        (Policy(shipping=0), VERIFIED),
        (Policy(shipping=0, free_from=50), VERIFIED),
        (Policy(shipping=3), f"{FALSE}: 3"),
        (Policy(), OPEN),
    ):
        for of in ("P:at", "P:unpriced", ""):
            row: Rows = [("policy", of, "It «ships free».", "free", expected)]
            assert states(row, replace(shop, policy=policy)) == [], (policy, of)


def test_what_offers_or_lines_of_an_order_have_unlike_each_other_is_open() -> None:
    days = {"O:9-1": date(2024, 3, 14), "O:9-2": date(2024, 3, 20)}
    records = {"O:9-1": {"order_status": "Shipped"}, "O:9-2": {"order_status": "Shipped", "price": "20"}}
    shop = replace(SHOP, order_dates=days, records=records)
    rows: Rows = [
        ("order_date", "O:9", "of «March 14»", "", VERIFIED),
        ("order_date", "O:9", "of «March 15»", "", OPEN),
        ("order_date", "O:9-2", "of «March 15»", "", f"{FALSE}: order date: 2024-03-20"),
        ("order_status", "O:9", "It «has been shipped».", "Shipped", f"{VERIFIED}: order status: Shipped"),
        ("order_status", "O:9", "It «is cancelled».", "Cancelled", f"{FALSE}: order status: Shipped"),
        ("price", "O:9-2", "You paid «€20».", "", OPEN),  # its record has no number
        ("list_price", "P:bag", "It is «reduced».", "", f"{FALSE}: it has no list price"),
        ("price", "P:pan", "It costs «38.50».", "", VERIFIED),
        ("price", "P:pan", "It costs «$38.50 to $40».", "", OPEN),
    ]
    assert states(rows, shop) == []


def test_thousands_are_read_in_either_notation_and_only_a_figure_of_the_kind_is_compared() -> None:
    sofa = product("sofa", 1240.0, currency="EUR", average_rating=4.5, rating_number=900)
    rows: Rows = [
        ("price", "P:sofa", "It costs «€1.240».", "", VERIFIED),
        ("price", "P:sofa", "It costs «€1,240».", "", VERIFIED),
        ("price", "P:sofa", "It costs «€1.250».", "", FALSE),
        ("price", "P:sofa", "«3 seats for €1,250».", "", f"{FALSE}: €1,240.00"),
        ("rating", "P:sofa", "It has «4.5 of 5, for €4».", "", VERIFIED),
        ("rating", "P:sofa", "It has «4.1, for €4».", "", f"{FALSE}: 4.5"),
        ("rating_count", "P:sofa", "«900 ratings, 20% of them» bad.", "", VERIFIED),
        ("rating_count", "P:sofa", "«800 ratings, 20% of them» bad.", "", f"{FALSE}: 900 ratings"),
    ]
    assert states(rows, replace(SHOP, products={"sofa": sofa})) == []


def test_a_list_price_that_is_the_price_is_no_sale() -> None:
    lid = product("lid", 9.0, currency="EUR", details={"List price": 9.0})
    rows: Rows = [("list_price", "P:lid", "It is «on sale».", "", f"{FALSE}: its list price is not above its price")]
    assert states(rows, replace(SHOP, products={"lid": lid})) == []


def test_an_amount_with_cents_follows_from_prices_beside_it_the_budget_the_cart_and_what_was_calculated() -> None:
    goods = {"a": product("a", 12.4), "b": product("b", 30.15), "c": product("c", 7.77), "d": product("d", None)}
    calculations = {"C:1": Calculation("3-9.99", (Decimal(3), Decimal("9.99")), Decimal("-6.99"))}
    picks = (Pick(product="a", quantity=2), Pick(product="c"))
    ledger = Ledger(goods, {}, {}, calculations, query_text="I have $60.", budget=Money.of(80), picks=picks)
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
        assert derived(amount, ledger, ["a", "b", "d", "a"]) == follows, words
    assert ledger.total == Decimal("32.57")
    assert replace(ledger, picks=(*picks, Pick(product="d"))).total is None, "a price of theirs is not known"
    assert (replace(ledger, picks=()).total, replace(ledger, picks=None).of_cart) == (None, set())
    assert replace(ledger, budget=None).of_cart == {Decimal("32.57")}
    ranged = replace(ledger, query_text="It may cost $20 to $45.")
    assert [ranged.names(Decimal(number)) for number in (20, 45, 80, 30)] == [True, True, True, False]


def test_a_variant_without_a_price_has_no_price_of_its_product() -> None:
    bag = product("bag", 20.0, currency="EUR", details={"Variants": [INK | {"price": None}, SAND]})
    shop = replace(SHOP, products={"bag": bag})
    prices = [shop.price_of(Pick(product="bag", variant=variant)) for variant in ("ink", "sand")]
    assert prices == [None, Decimal("27.5")]


def test_a_field_within_another_is_not_the_field_of_its_own_name() -> None:
    pot = product("pot", details={"Weight": "1240 g", "Lid": {"Weight": "90 g"}})
    rows: Rows = [
        ("measure", "P:pot", "It weighs «90 g».", "Weight", f"{FALSE}: Weight: 1240 g"),
        ("measure", "P:pot", "Its lid weighs «90 g».", "Lid Weight", f"{VERIFIED}: Lid Weight: 90 g"),
    ]
    assert states(rows, replace(SHOP, products={"pot": pot})) == []
