"""What a figure says of a record by the bound that a reader typed."""

from decimal import Decimal

import pytest

from drretail.records.reading import Kind, Relation
from drretail.records.shop import Policy, Product
from drretail.reports.text.amounts import find_amounts
from drretail.reports.text.numerals import find_numerals
from drretail.shopping.verify.bounds import agrees, in_days, lasts, signed
from drretail.shopping.verify.places import compare_value, value_at
from drretail.shopping.verify.records import Ledger

VARIANTS = [{"id": size, "Size": size, "price": price} for size, price in (("S", 39.95), ("M", 44.95), ("L", 49.95))]
FIELDS = {"Max pressure": "11 bar", "Weight": "2.4 kg", "Size": "183 × 51 cm", "Comfort": "-5 °C"}
MAT = Product(
    product_id="mat", title="Mat", price=33.0, currency="EUR", category="c", details=FIELDS | {"List price": 40}
)
JERSEY = Product(product_id="jersey", title="Jersey", currency="EUR", category="c", details={"Variants": VARIANTS})
SHOP = Ledger({"mat": MAT, "jersey": JERSEY}, {}, {}, {}, policy=Policy(delivery_days=(1, 3), return_days=14))
TRUE, FALSE, CONTESTED, OPEN = "verified", "contradicted", "contested", "underivable"


@pytest.mark.parametrize(
    ("kind", "of", "field", "said", "bound", "state"),
    [
        ("measure", "mat", "Max pressure", "14 bar", "at_most", FALSE),
        ("measure", "mat", "Max pressure", "11 bar", "at_most", TRUE),
        ("measure", "mat", "Weight", "2 kg", "at_most", FALSE),
        ("measure", "mat", "Weight", "2 kg", "is", CONTESTED),
        ("measure", "mat", "Weight", "2.5 kg", "about", TRUE),
        ("measure", "mat", "Weight", "3 kg", "about", FALSE),
        ("measure", "mat", "Size", "193 × 51 cm", "is", FALSE),
        ("measure", "mat", "Size", "183 × 51 cm", "is", TRUE),
        ("measure", "mat", "Comfort", "−15 °C", "at_least", FALSE),
        ("measure", "mat", "Comfort", "−5 °C", "at_least", TRUE),
        ("measure", "mat", "Comfort", "5 °C", "is", FALSE),
        ("price", "jersey", "", "€39.95", "at_least", TRUE),
        ("price", "jersey", "", "€44.95", "at_least", FALSE),
        ("price", "jersey", "", "€39.95", "is", CONTESTED),
        ("price", "jersey", "", "€29.95", "is", FALSE),
        ("list_price", "mat", "", "25 % off", "is", FALSE),
        ("list_price", "mat", "", "17 % off", "is", TRUE),
        ("policy", "", "delivery_days", "24 Stunden", "is", FALSE),
        ("policy", "", "delivery_days", "3 days", "at_most", TRUE),
        ("policy", "", "delivery_days", "1–3 days", "is", TRUE),
        ("policy", "", "return_days", "2 weeks", "at_most", TRUE),
        ("policy", "", "return_days", "1 month", "at_most", OPEN),
        ("product", "", "", "Kettle Storm", "is", CONTESTED),
    ],
)
def test_a_figure_is_held_against_the_record_by_its_bound(
    kind: Kind, of: str, field: str, said: str, bound: Relation, state: str
) -> None:
    value = value_at(kind, said, 0, len(said), of and f"P:{of}", field).model_copy(update={"bound": bound})
    found = compare_value(value, said, SHOP)
    assert (CONTESTED if found.is_contested else found.state) == state


def test_a_bound_is_told_by_words_where_nobody_typed_it() -> None:
    (most,) = find_amounts("up to 14")
    assert (agrees(most, Decimal(11), None), agrees(most, Decimal(11), "at_most")) == (True, False)
    assert [each.number for each in signed(find_numerals("-5 to 5, 3-4"), "-5 to 5, 3-4")] == [-5, 5, 3, 4]
    assert in_days([*find_numerals("2–4 weeks")]) == [14, 28]
    assert lasts([Decimal(2)], [Decimal(1), Decimal(3)], None)
