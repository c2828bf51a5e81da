"""Values of any reader, held against records; superlatives against all products of the kind that the run was shown."""

import tomllib
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from drretail.grounding.text.serialisation import record_text
from drretail.grounding.verify.comparisons import shown_of_kind
from drretail.grounding.verify.findings import value_findings
from drretail.grounding.verify.records import Ledger, read_ledger
from drretail.grounding.verify.values import verify
from drretail.records.query import Query
from drretail.records.reading import Pick, ReadValue
from drretail.records.shop import Money, Product
from drretail.records.wish import Demand, Want, Wish
from tests.grounding.goods import (
    EACH,
    EVIDENCE,
    FOUR,
    GOODS,
    KETTLE,
    LEFT,
    MUGS,
    PAN,
    QUERY,
    SCALE,
    TOTAL,
    TOWELS,
    WEB,
    a_ledger,
    a_product,
    recorded,
)


def verified(
    kind: str, amount: Any, *of: str, ledger: Ledger | None = None, report: str = "", words: str = "", **more: Any
) -> ReadValue:
    """The value, which the report says in these words."""
    start = report.index(words)
    place = {"start": start, "end": start + max(1, len(words))}
    value = ReadValue.model_validate({"kind": kind, "amount": amount, "of": of, **place, **more})
    (found,) = verify([value], a_ledger() if ledger is None else ledger, report)
    return found


PK, PP, PT, PM, PS = (f"P:{one.product_id}" for one in (KETTLE, PAN, TOWELS, MUGS, SCALE))

O1 = "O:1000000001"
IDS = {
    **{"KETTLE": PK, "PAN": PP, "TOWELS": PT, "MUGS": PM, "SCALE": PS, "ORDER": O1, "WEB": WEB},
    **{"TOTAL": TOTAL[1:-1], "LEFT": LEFT[1:-1], "EACH": EACH[1:-1]},
}
STATES = tomllib.loads(Path(__file__).with_name("values.toml").read_text("utf-8"))


@pytest.mark.parametrize(("state", "typed"), [(state, row) for state, rows in STATES.items() for row in rows])
def test_what_follows_from_records_is_verified_and_what_they_deny_is_contradicted_with_the_reason(
    state: str, typed: dict[str, Any]
) -> None:
    sources = {key: [name.format(**IDS) for name in typed.get(key, ())] for key in ("of", "than")}
    fields = {name: value for name, value in typed.items() if name not in ("kind", "amount", "of", "than", "why")}
    found = verified(typed["kind"], typed["amount"], *sources["of"], than=sources["than"], **fields)
    assert found.state == state
    assert typed.get("why") in (None, found.derivation)


CART = [Pick(product=KETTLE.product_id), Pick(product=TOWELS.product_id)]


@pytest.mark.parametrize(
    ("kind", "amount", "of", "why"),
    [
        ("total", "66.49", [PK, PT], "the picks cost $60.94 together"),
        ("left_over", "24.06", [], "the picks cost $60.94 together, which leaves $14.06"),
        ("left_over", "24.06", [PT, PK], "the picks cost $60.94 together, which leaves $14.06"),
        ("total", "66.49", [PK], None),
        ("total", "66.49", [], None),
        ("over_budget", "24.06", [], "the picks cost $60.94 together, which leaves $14.06"),
        ("left_over", "24.06", [PP], None),
        # with other products whose prices the report names: the pan in place of the kettle, or pan and scale
        ("left_over", "18.51", [], None),
        ("left_over", "24.01", [], None),
        ("difference", "24.06", [PK, PT], None),
    ],
)
def test_a_cart_denies_only_what_is_said_of_all_of_it(kind: str, amount: str, of: list[str], why: str | None) -> None:
    report = f"The pan is $38.50, the scale $12.49.\n\nThen ${amount}"
    found = verified(kind, amount, *of, ledger=a_ledger(CART), currency="USD", report=report, words=f"${amount}")
    assert (found.state, found.derivation) == ("underivable" if why is None else "contradicted", why)
    assert verified(kind, amount, *of, currency="USD").state == "underivable"  # nothing is declared
    from_price = KETTLE.model_copy(update={"price_from": True})
    open_cart = read_ledger(EVIDENCE, QUERY, picks=CART).with_products({**GOODS, KETTLE.product_id: from_price})
    assert verified(kind, amount, *of, ledger=open_cart, currency="USD").state == "underivable"


def test_a_total_goes_by_the_quantities_and_the_further_costs_that_the_report_names() -> None:
    def state(report: str, amount: str) -> str:
        return verified("total", amount, PK, PT, ledger=a_ledger(CART), report=report, words=amount).state

    assert state("A kettle and two packs of towels: $78.93.", "78.93") == "verified"
    assert state("A kettle and the towels: $66.49.", "66.49") == "contradicted"
    assert state("With $5.99 for shipping kettle and towels make $66.93.", "66.93") == "verified"
    assert state("Shipping is $5.99.\n\nDelivered, they make $66.93.", "66.93") == "underivable"


@pytest.mark.parametrize(
    ("report", "currency", "state"),
    [
        ("They leave $24.06.", "USD", "contradicted"),
        ("They come to $60.94 together, $24.06 less than at the mill.", "USD", "underivable"),
        ("At $85.00 it is $24.06 more than both.", "USD", "underivable"),  # 85 - 60.94
        ("They are 24.06 inches longer.", None, "underivable"),
    ],
)
def test_a_calculation_denies_no_difference_beside_its_result_apart_from_it_by_another_or_of_other_things(
    report: str, currency: str | None, state: str
) -> None:
    found = verified("difference", "24.06", TOTAL[1:-1], report=report, words="24.06", currency=currency)
    assert found.state == state


DATED = a_product("D", "Dated Tray", 9.0, 4.0, 3, "Brim", details={"Date First Available": "May 7, 2020"})


@pytest.mark.parametrize(
    ("kind", "amount", "of", "words", "sentence", "beside"),
    [
        ("price", "44.95", PK, "$44.95", "The kettle costs $42.95, not $44.95.", PK),
        ("price", "38.50", PK, "$38.50", "The kettle and a pan of $38.50.", PP),
        ("price", "6.75", PK, "$6.75", "The kettle, and mugs at $6.75 each.", PM),
        ("rating", "4.3", PK, "4.3", "The kettle beats a 4.3.", PP),
        ("date", "2020-05-07", O1, "May 7, 2020", "Bought again, and first sold on May 7, 2020.", "P:B0KITCHEND"),
        ("property", "yes", PK, "safe", "One of the two is safe.", "P:B0KITCHEND"),
        ("left_over", "1.57", LEFT[1:-1], "$1.57", "With another scale $1.57 are left.", PS),
        ("total", "26.10", FOUR[1:-1], "$26.10", "Four are $49.96, at the mill $26.10.", PS),
        ("order_status", "Cancelled", O1, "off", "The second was called off.", "O:1000000009"),
    ],
)
def test_what_its_sentence_or_another_source_beside_it_explains_is_not_denied(
    kind: str, amount: str, of: str, words: str, sentence: str, beside: str
) -> None:
    ledger = a_ledger()
    tray = DATED.model_copy(update={"details": {**DATED.details, "Is Dishwasher Safe": "Yes"}})
    records = {**ledger.records, "O:1000000009": {"order_status": "Cancelled"}}
    ledger = replace(ledger, products={**ledger.products, tray.product_id: tray}, records=records)
    more = {"field": "dishwasher safe"} if kind == "property" else {}
    start = sentence.index(words)
    value = ReadValue(kind=kind, amount=amount, of=(of,), start=start, end=start + len(words), **more)  # type: ignore[arg-type]
    assert verify([value], ledger, words)[0].state == "contradicted"
    assert verify([value], ledger, sentence, lambda _: (beside,))[0].state == "underivable"


def test_another_side_that_is_right_does_not_excuse_a_wrong_one() -> None:
    box = a_product("BOX", "Box", 19.0, 4.4, 31, "Brim", details={"Product Dimensions": "8 x 8 x 3 inches"})
    report = "It is 8 inches wide and 5 inches high."
    more: dict[str, Any] = {
        "ledger": replace(a_ledger(), products={box.product_id: box}),
        "report": report,
        "words": "5 inches",
    }
    found = verified("property", "5 inches", f"P:{box.product_id}", field="product dimensions", **more)
    assert found.state == "contradicted"


def test_a_maker_that_a_text_of_the_record_names_is_not_denied() -> None:
    bowl = a_product("BOWL", "Turned Bowl", 19.0, 4.4, 31, "Brim", features=("Fits stands by Fennick",))
    ledger = replace(a_ledger(), products={bowl.product_id: bowl})
    found = [verified("brand", name, f"P:{bowl.product_id}", ledger=ledger).state for name in ("Fennick", "Harrowgill")]
    assert found == ["underivable", "contradicted"]


@pytest.mark.parametrize(
    ("sentence", "state"),
    [
        ("The shop lists it as delivered, and you returned it.", "underivable"),
        ("It was not delivered but returned.", "contradicted"),
    ],
)
def test_a_sentence_that_tells_the_recorded_status_as_well_is_not_denied(sentence: str, state: str) -> None:
    assert verified("order_status", "Returned", O1, report=sentence, words="returned").state == state


@pytest.mark.parametrize(("cited", "state"), [(LEFT, "contradicted"), (EACH, "verified")])
def test_no_sum_of_the_picks_explains_what_cites_a_calculation_of_the_cart(cited: str, state: str) -> None:
    found = verified("left_over", "39.02", cited[1:-1], ledger=a_ledger(CART), currency="USD")  # 75 - 2 * 17.99
    assert found.state == state


@pytest.mark.parametrize(
    ("words", "amount", "state"),
    [
        ("March 14", "2022-03-14", "verified"),
        ("March 14", "2023-03-14", "underivable"),  # the year is its reader's guess
        ("in March", "2023-03", "underivable"),
        ("June 14", "2022-06-14", "contradicted"),
        ("March 14, 2023", "2023-03-14", "contradicted"),
    ],
)
def test_of_a_day_without_a_year_only_month_and_day_count(words: str, amount: str, state: str) -> None:
    report = f"You ordered the scale {words}."
    assert verified("date", amount, "O:1000000001", report=report, words=words).state == state


def test_sums_with_the_picks_explain_an_amount_with_cents_only_exactly() -> None:
    ledger = a_ledger([Pick(product=KETTLE.product_id), Pick(product=SCALE.product_id, quantity=2)])

    def state(amount: str) -> str:
        said = {"report": f"About ${amount} a towel.", "words": f"${amount}", "relation": "about"}
        return verified("per_unit", amount, EACH[1:-1], ledger=ledger, **said).state

    assert state("2.95") == "verified"  # 17.99/6
    assert state("12.49") == "verified"  # a scale
    assert state("12.20") == "contradicted"  # near a scale
    assert state("30.46") == "contradicted"  # a kettle less a scale, by chance


def test_declared_picks_explain_a_total_and_the_worlds_record_wins_over_what_was_shown() -> None:
    ledger = a_ledger([Pick(product=MUGS.product_id, quantity=3), Pick(product=KETTLE.product_id)])
    found = [verified("total", "123.95", ledger=each) for each in (None, ledger)]
    assert [(one.state, one.derivation) for one in found] == [("underivable", None), ("verified", "the picks together")]
    dearer = KETTLE.model_copy(update={"price": 50.0})
    ledger = read_ledger(EVIDENCE, QUERY).with_products({**GOODS, KETTLE.product_id: dearer})
    assert ledger.price(KETTLE.product_id) == 50


@pytest.mark.parametrize(
    ("maker", "title", "message", "state"),
    [
        ("Hewlett-Packard", "Kettle", "HP", "verified"),
        ("HP", "Kettle", "Hewlett Packard", "verified"),
        ("Tansy & Thorne Lane", "Kettle", "Tansy and Thorne", "underivable"),
        ("Hewlett-Packard", "Kettle", "Fennick", "contradicted"),
        (None, KETTLE.title, "Harrowgill", "verified"),
        (None, KETTLE.title, "Fennick", "underivable"),
    ],
)
def test_a_brand_may_be_long_or_short_and_is_looked_for_in_the_title_where_the_record_has_none(
    maker: str | None, title: str, message: str, state: str
) -> None:
    product = KETTLE.model_copy(update={"store": maker, "title": title, "brand": None})
    ledger = read_ledger(EVIDENCE, QUERY).with_products({**GOODS, KETTLE.product_id: product})
    assert verified("brand", message, PK, ledger=ledger).state == state


STEEL = a_product("STEEL", "Stainless Steel Kettle, 1.7 L", 24.99, 4.6, 812, "Harrowgill")
GLASS = a_product("GLASS", "Glass Kettle, 1.5 L", 39.5, 4.8, 95, "Harrowgill")
PLASTIC = a_product("PLASTIC", "Plastic Kettle, 1 L", 14.0, 4.1, 2210, "Harrowgill")
ENAMEL = a_product("ENAMEL", "Enamel Kettle, 2 L", None, 4.7, 40, "Harrowgill")
MUG = a_product("MUG", "Stoneware Mug", 6.0, 4.9, 5000, "Fennick").model_copy(update={"categories": ()})
SHOWN = (STEEL, GLASS, PLASTIC, ENAMEL, MUG)
A_KETTLE = Want(name="kettle", kinds=("kettle",))

KETTLES = {entry.id: entry for entry in (recorded(f"P:{one.product_id}", record_text(one)) for one in SHOWN)}


def checked(kind: str, product: Product, amount: str = "", want: Want | None = A_KETTLE, **more: Any) -> ReadValue:
    budget = more.pop("budget", None)
    wish = None if want is None else Wish(wants=(want,), budget=budget)
    query = Query(query_id="k1", user_id="A1", text="A kettle, please.", wish=wish, source="test")
    return verified(kind, amount, f"P:{product.product_id}", ledger=read_ledger(KETTLES, query), end=8, **more)


@pytest.mark.parametrize(
    ("kind", "first", "words"),
    [
        ("lowest_price", PLASTIC, "P:B0KITCHENPLASTIC was shown, too: $14.00, 4.1 of 5 (2210)"),
        ("highest_rating", GLASS, "P:B0KITCHENGLASS was shown, too: $39.50, 4.8 of 5 (95)"),
        ("most_ratings", PLASTIC, "P:B0KITCHENPLASTIC was shown, too: $14.00, 4.1 of 5 (2210)"),
    ],
)
def test_the_first_of_its_kind_contradicts_what_another_is_called(kind: str, first: Product, words: str) -> None:
    assert checked(kind, first).state == "verified"
    found = checked(kind, STEEL)
    assert (found.state, found.derivation) == ("contradicted", words)
    (finding,) = value_findings("cheapest kettle", [found])
    assert (finding.code, finding.text, finding.found) == ("superlative_wrong", "cheapest", words)


def test_what_would_not_do_for_the_shopper_contradicts_nothing_nor_does_a_wish_that_is_not_typed_or_narrower() -> None:
    steel = A_KETTLE.model_copy(update={"must": (Demand(say="stainless steel"),)})
    liked = A_KETTLE.model_copy(update={"rating_min": 4.5})
    assert checked("lowest_price", STEEL, want=steel).state == "underivable"
    assert checked("lowest_price", STEEL, want=liked).state == "underivable"
    dear = checked("highest_rating", STEEL, budget=Money.of(Decimal(30)))
    assert (dear.state, dear.derivation) == ("underivable", "P:B0KITCHENGLASS was shown, too: $39.50, 4.8 of 5 (95)")
    assert checked("lowest_price", STEEL, want=None).state == "underivable"
    assert checked("lowest_price", STEEL, "of the steel ones").state == "underivable"
    assert checked("lowest_price", ENAMEL).state == "underivable"


@pytest.mark.parametrize(
    ("product", "amount", "more", "state"),
    [
        (PLASTIC, "20", {"relation": "at_most", "currency": "USD"}, "verified"),
        (STEEL, "20", {"relation": "at_most", "currency": "USD"}, "contradicted"),
        (GLASS, "4.8", {"relation": "at_least"}, "verified"),
        (STEEL, "4.5", {"relation": "at_least"}, "contradicted"),
        (PLASTIC, "", {}, "underivable"),
    ],
)
def test_the_only_one_alone_keeps_the_limit(product: Product, amount: str, more: dict[str, Any], state: str) -> None:
    assert checked("only_one", product, amount, **more).state == state


def test_a_judge_is_shown_all_of_the_kind_by_price() -> None:
    assert shown_of_kind(STEEL, read_ledger(KETTLES)).splitlines() == [
        "P:B0KITCHENPLASTIC Plastic Kettle, 1 L: $14.00, 4.1 of 5 (2210)",
        "P:B0KITCHENSTEEL Stainless Steel Kettle, 1.7 L: $24.99, 4.6 of 5 (812)",
        "P:B0KITCHENGLASS Glass Kettle, 1.5 L: $39.50, 4.8 of 5 (95)",
        "P:B0KITCHENENAMEL Enamel Kettle, 2 L: no known price, 4.7 of 5 (40)",
    ]
