"""What a record's named fields confirm and contradict in a text."""

import pytest

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
    assert [
        f"{text[one.start : one.end]}: the record says {one.field}"
        for one in field_statements(text, BAG)
        if one.state == "contradicted"
    ] == ([] if line is None else [line])


MUG = Product(
    product_id="mug",
    title="Fennick Stoneware Coffee Mug with Lid",
    store="Fennick",
    category="c",
    features=("Comes assembled: no assembly required",),
    details={
        "Capacity": "15 Ounces",
        "Is Dishwasher Safe": "No",
        "Is Microwaveable": "Yes",
        "Batteries Included?": "No",
        "Assembly Required": "Yes",
        "Maximum Weight Recommendation": "330 Pounds",
        "Product Dimensions": "4 x 5 x 3.5 inches",
        "Number of Shelves": "3",
        "": "Is Oven Safe No",
        "Saucer": "Without Saucer",
        "Care": "Odor-Resistant",
        "Light Color": "Soft White 2700K",
    },
)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("It holds 15 ounces and is not dishwasher safe.", "confirmed"),
        ("It holds some 444 ml and is microwaveable.", "confirmed"),
        ("The mug is 5 inches tall.", "confirmed"),
        ("It holds 12 ounces.", "contradicted"),
        ("A Fennick mug, dishwasher-safe.", "contradicted"),
        ("Dishwasher safe: yes", "contradicted"),
        ("It can go in the dishwasher.", "contradicted"),
        ("Comes with batteries.", "contradicted"),
        ("It is oven safe.", "contradicted"),
        ("It comes with a saucer.", "contradicted"),
        ("It has no saucer.", "confirmed"),
        ("It isn't odor-resistant.", "contradicted"),
        ("It has 4 shelves and is 7 inches wide.", "contradicted"),
        # another thing, another's word, a condition, what no field says, and fields that the record itself denies
        ("The lid is dishwasher safe.", None),
        ("It has a dishwasher-safe lid.", None),
        ("Reviewers call it dishwasher safe.", None),
        ("Nothing says that it is dishwasher safe.", None),
        ("If it is dishwasher safe, take it.", None),
        ("It is lighter than the 12-ounce one.", None),
        ("It weighs 2 pounds.", None),
        ("It needs no assembly.", None),
        ("It fits in the microwave.", None),
        ("Any saucer fits.", None),
        ("Soft White 2700K.", None),
        ("It weighs 330 pounds at most, has 3.1 shelves, and a suction depth of 7 inches.", None),
        ("It holds 15 ounces and stays hot for 3 hours.", None),  # a part of it is open
    ],
)
def test_a_named_field_alone_decides(text: str, state: str | None) -> None:
    assert decided_by_field(text, MUG) == state
