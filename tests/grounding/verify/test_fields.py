"""What a product's record confirms and contradicts in a text, by unit and figure."""

import pytest

from drretail.grounding.text.amounts import notation_of
from drretail.grounding.verify.fields import decided_property, field_statements
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
        ("Its weight is about 10 ounces.", "10 ounces: the record says Item Weight: 15.2 ounces"),
        *((text, None) for text in TRUE),
    ],
)
def test_a_named_fields_figure_that_no_measure_comes_to_is_a_fault(text: str, line: str | None) -> None:
    assert [
        f"{text[one.start : one.end]}: the record says {one.field}"
        for one in field_statements(text, BAG, notation_of(text))
        if one.state == "contradicted"
    ] == ([] if line is None else [line])


def test_about_a_measure_is_confirmed_within_a_twentieth_and_left_open_within_its_last_digit() -> None:
    texts = ("Its weight is about 16 oz.", "Its weight is about 20 oz.")
    assert [[one.state for one in field_statements(text, BAG)] for text in texts] == [["confirmed"], []]


TUMBLER = Product(
    product_id="tumbler",
    title="Tumbler with Straw, 2 Pack, 20 oz",
    category="c",
    features=("One charge heats for 6 hours.", "The sleeve is dishwasher safe.", "The lid holds 2 oz of sugar."),
    details={
        "Is Dishwasher Safe": "No",
        "Batteries Required?": "Yes",
        "Product Care Instructions": "Machine Wash, Freezer Safe",
        "Is Microwaveable": "Yes",
        "Lid": "No Lid Lock",
        "Material": "BPA-Free Plastic",
        "Capacity": "20 oz",
        "Item Weight": "23.4 oz",
        "Number of Items": "2",
        "Unit Count": "40 Straws",
        "Product Dimensions": "3.5 x 3.5 x 8 inches",
        "Date First Available": "May 7, 2020",
    },
)


@pytest.mark.parametrize(
    ("field", "said", "state"),
    [
        ("capacity", "20 ounces", "confirmed"),
        ("capacity", "0.6 l", "confirmed"),
        ("tumbler capacity", "20 oz", "confirmed"),
        ("capacity", "30 oz", "contradicted"),
        ("capacity", "21.5 oz", None),  # not far enough off
        ("capacity", "25 oz", "contradicted"),  # which no other field may mean, near as the weight is
        ("capacity", "40 oz", None),  # of both
        ("tumbler capacity", "30 oz", None),  # a field of another name
        ("capacity", "2 oz", None),  # a part
        ("capacity", "30 cm", None),
        ("dimensions", "3.5 x 8 inches", "confirmed"),
        ("dimensions", "3.5 x 9 inches", "contradicted"),
        ("number of items", "2", "confirmed"),
        ("number of items", "3", "contradicted"),
        ("unit count", "3 boxes", None),
        ("straws in it", "30 straws", "contradicted"),  # by what the field counts
        ("charge heats", "9 hours", "contradicted"),  # by a line that has all these words
        ("heats", "9 hours", None),
        ("batteries required", "yes", "confirmed"),
        ("batteries required", "no", "contradicted"),
        ("freezer safe", "no", "contradicted"),
        ("machine washable", "no", "contradicted"),
        ("microwave safe", "yes", "confirmed"),
        ("lid lock", "yes", "contradicted"),
        ("bpa free", "no", "contradicted"),
        ("plastic", "no", None),  # which may be a part's
        ("dishwasher safe", "no", "confirmed"),
        ("dishwasher safe", "yes", None),  # as a text of the record says
        ("oven safe", "yes", None),
        ("capacity", "ample", None),
    ],
)
def test_a_property_is_decided_by_the_name_of_its_field(field: str, said: str, state: str | None) -> None:
    decided = decided_property(field, said, "is", TUMBLER)
    assert (None if decided is None else decided[0]) == state


def test_a_limit_is_held_against_the_field() -> None:
    assert decided_property("capacity", "18 oz", "at_least", TUMBLER) == ("confirmed", "Capacity: 20 oz")
    assert decided_property("capacity", "30 oz", "at_least", TUMBLER) == ("contradicted", "Capacity: 20 oz")
    assert decided_property("capacity", "0.7 litres", "about", TUMBLER) is None
