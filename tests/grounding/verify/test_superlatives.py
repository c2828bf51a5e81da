"""Superlatives of a typed reading, held against all products of the kind that the run was shown."""

from decimal import Decimal
from typing import Any

import pytest

from drretail.grounding.text.serialisation import record_text
from drretail.grounding.verify.findings import value_findings
from drretail.grounding.verify.records import read_ledger
from drretail.grounding.verify.superlatives import shown_of_kind
from drretail.grounding.verify.values import verify
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.reading import ReadValue
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish
from tests.grounding.kitchen import a_product, an_entry

STEEL = a_product("STEEL", "Stainless Steel Kettle, 1.7 L", 24.99, 4.6, 812, "Harrowgill")
GLASS = a_product("GLASS", "Glass Kettle, 1.5 L", 39.5, 4.8, 95, "Harrowgill")
PLASTIC = a_product("PLASTIC", "Plastic Kettle, 1 L", 14.0, 4.1, 2210, "Harrowgill")
ENAMEL = a_product("ENAMEL", "Enamel Kettle, 2 L", None, 4.7, 40, "Harrowgill")
MUG = a_product("MUG", "Stoneware Mug", 6.0, 4.9, 5000, "Fennick").model_copy(update={"categories": ()})
SHOWN = (STEEL, GLASS, PLASTIC, ENAMEL, MUG)
WANT = Want(name="kettle", kinds=("kettle",))

EVIDENCE = {
    entry.id: entry for entry in (an_entry(f"P:{one.product_id}", "product", record_text(one)) for one in SHOWN)
}


def checked(kind: str, product: Product, amount: str = "", want: Want | None = WANT, **more: Any) -> ReadValue:
    budget = more.pop("budget", None)
    wish = None if want is None else Wish(wants=(want,), budget=budget)
    query = Query(query_id="k1", user_id="A1", text="A kettle, please.", wish=wish, source="test")
    value = {"kind": kind, "amount": amount, "of": [f"P:{product.product_id}"], "start": 0, "end": 8, **more}
    (found,) = verify([ReadValue.model_validate(value)], read_ledger(EVIDENCE, query))
    return found


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
    steel = WANT.model_copy(update={"must": ("stainless steel",)})
    liked = WANT.model_copy(update={"rating_min": 4.5})
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
    assert shown_of_kind(STEEL, read_ledger(EVIDENCE)).splitlines() == [
        "P:B0KITCHENPLASTIC Plastic Kettle, 1 L: $14.00, 4.1 of 5 (2210)",
        "P:B0KITCHENSTEEL Stainless Steel Kettle, 1.7 L: $24.99, 4.6 of 5 (812)",
        "P:B0KITCHENGLASS Glass Kettle, 1.5 L: $39.50, 4.8 of 5 (95)",
        "P:B0KITCHENENAMEL Enamel Kettle, 2 L: no known price, 4.7 of 5 (40)",
    ]
