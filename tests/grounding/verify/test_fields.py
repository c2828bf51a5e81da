"""What a product's record confirms and contradicts in a text, by unit and figure."""

import pytest

from drretail.grounding.text.amounts import notation_of
from drretail.grounding.verify.fields import decided_by_field, field_statements
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
    *("It holds 20 litres.", "It weighs about 15 oz, or 430 g.", "It comes in 5 L.", "The straps are 3 cm wide."),
    *("The two hold 40 l.", "The bag takes 25 l with its pouch.", "It keeps for 4 days.", "It holds 30 bottles."),
    # figures of parts, and of fields without their name
    *("It has a 5 lb plate in its base.", "The Dry Bag holds 30 litres.", "It weighs 12 ounces."),
    # a limit, a relation, a condition, a denial, one of several sides, a range
    *("It holds more than 10 litres.", "It weighs 3 oz more.", "If it holds 30 litres, take it."),
    *("It doesn't hold 30 litres.", "Er fasst keine 30 Liter.", "A pocket of 4 x 6 in.", "It holds 28 to 30 litres."),
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("The Dry Bag has a capacity of 30 litres.", "30 litres: the record says Capacity: 20 L"),
        ("Its weight is 12 ounces.", "12 ounces: the record says Item Weight: 15.2 ounces"),
        ("Capacity: 30 Liter.", "30 Liter: the record says Capacity: 20 L"),
        *((text, None) for text in TRUE),
    ],
)
def test_a_named_fields_figure_that_no_measure_comes_to_is_a_fault(text: str, line: str | None) -> None:
    assert [
        f"{text[one.start : one.end]}: the record says {one.field}"
        for one in field_statements(text, BAG, notation_of(text))
        if one.state == "contradicted"
    ] == ([] if line is None else [line])


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("It has a capacity of 20 litres.", "confirmed"),
        ("Item weight: 431 g", "confirmed"),
        ("It has a capacity of 30 litres.", "contradicted"),
        ("It holds 20 litres.", None),  # which names no field
        ("It has a capacity of 20 litres and 3 pockets.", None),
        ("It is waterproof.", None),
    ],
)
def test_a_field_that_a_text_names_confirms_it_if_no_figure_is_left(text: str, state: str | None) -> None:
    assert decided_by_field(text, BAG) == state
