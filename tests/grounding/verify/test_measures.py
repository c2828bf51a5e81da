"""Figures with a unit, and the fields of a record that have another number."""

import pytest

from drretail.grounding.verify.measures import measure_faults
from drretail.records.shop import Product

BAG = Product(
    product_id="bag",
    title="Dry Bag with Pouch",
    category="c",
    features=("Holds its heat for 2 hours.", "Straps of 30 mm"),
    details={
        "Capacity": "20 L",
        "Item Weight": "15.2 ounces",
        "Color": "Moss",
        "Variants": [{"Size": "5 L", "id": "s"}],
    },
)
TRUE = (
    *("It holds 20 litres.", "It weighs about 15 oz.", "It comes in 5 L.", "The straps are 30 mm wide."),
    # of a part, another time, a limit, a relation, or a unit of no field
    *("The pouch holds 5 litres.", "Your last one, bought in 2022, held 30 litres.", "It holds more than 10 litres."),
    *("It weighs 3 oz more.", "If it holds 30 litres, take it.", "It holds 30 bottles.", "It doesn't hold 30 litres."),
    "It holds its heat for 4 hours.",  # which no field has
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("The Dry Bag holds 30 litres.", "30 litres: the record says Capacity: 20 L"),
        ("It weighs 12 ounces.", "12 ounces: the record says Item Weight: 15.2 ounces"),
        *((text, None) for text in TRUE),
    ],
)
def test_another_number_of_a_field_is_a_fault_and_of_something_else_none(text: str, line: str | None) -> None:
    assert list(measure_faults(text, BAG)) == ([] if line is None else [line])
