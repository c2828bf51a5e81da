"""What a product's record confirms and contradicts in a text, by unit and figure."""

import pytest

from drretail.grounding.text.amounts import notation_of
from drretail.grounding.verify.fields import decided_property, field_statements, has_figures
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


@pytest.mark.parametrize(
    ("text", "confirmed"),
    [
        ("It holds 20 litres.", ["20 litres"]),
        ("It weighs about 15 oz, or 430 g.", ["15 oz", "430 g"]),
        ("Its weight is about 20 oz.", []),
        ("Die Riemen sind 3 cm breit.", ["3 cm"]),
        ("It keeps for 4 days, in a capacity of 30 litres, with a 5 lb plate.", []),
        ("It holds more than 10 litres.", []),
    ],
)
def test_a_measure_in_a_text_is_confirmed_in_any_unit(text: str, confirmed: list[str]) -> None:
    found = field_statements(text, BAG, notation_of(text))
    assert [text[start:end] for start, end, _ in found] == confirmed


TUMBLER = Product(
    product_id="tumbler",
    title="Tumbler with Straw, 2 Pack, 20 oz",
    category="c",
    features=("One charge heats for 6 hours.", "The sleeve is dishwasher safe.", "The lid holds 2 oz of sugar."),
    details={
        "Is Dishwasher Safe": "No",
        "Batteries Required?": "Yes",
        "Product Care Instructions": "Machine Wash, Freezer Safe, Hand Wash Only",
        "Is Microwaveable": "Yes",
        "Lid": "No Lid Lock",
        "Material": "BPA-Free Plastic",
        "Capacity": "20 oz",
        "Number of Items": "2",
        "Unit Count": "40 Straws",
        "Product Dimensions": "3.5 x 3.5 x 8 inches",
        "Date First Available": "May 7, 2020",
    },
)


RUG = Product(
    product_id="rug",
    title="Rug, 20 cm Fringe, 3 Pack",
    category="c",
    features=("The fringe weighs 3 oz, its knots 5 oz.", "Not for puddles, outdoor rain or damp cellars"),
    details={
        "Is Discontinued By Manufacturer": "No",
        "Care": "Do not bleach, tumble dry",
        "Water Resistant": "No",
        "Special Feature": "Water resistant backing",
        "Outdoor Rain": "Yes",
        "Item Weight": "10 oz",
    },
)


@pytest.mark.parametrize(
    ("item", "field", "said", "state"),
    [
        (TUMBLER, "capacity", "20 ounces", "confirmed"),
        (TUMBLER, "capacity", "0.6 l", "confirmed"),
        (TUMBLER, "tumbler capacity", "20 oz", "confirmed"),
        (TUMBLER, "capacity", "30 oz", "contradicted"),
        (TUMBLER, "capacity", "21.5 oz", None),  # not far enough off
        (TUMBLER, "capacity", "40 oz", None),  # of both
        (TUMBLER, "tumbler capacity", "30 oz", None),  # a field of another name
        (TUMBLER, "capacity", "2 oz", None),  # a part
        (TUMBLER, "capacity", "30 cm", None),
        (TUMBLER, "dimensions", "3.5 x 8 inches", "confirmed"),
        (TUMBLER, "dimensions", "3.5 x 9 inches", "contradicted"),
        (TUMBLER, "number of items", "2", "confirmed"),
        (TUMBLER, "number of items", "3", "contradicted"),
        (TUMBLER, "unit count", "3 boxes", None),
        (TUMBLER, "straws in it", "30 straws", "contradicted"),  # by what the field counts
        (TUMBLER, "charge heats", "9 hours", "contradicted"),  # by a line that has all these words
        (TUMBLER, "heats", "9 hours", None),
        (TUMBLER, "batteries required", "yes", "confirmed"),
        (TUMBLER, "batteries required", "no", "contradicted"),
        (TUMBLER, "freezer safe", "no", "contradicted"),
        (TUMBLER, "machine washable", "no", None),  # by hand only, says the same field
        (TUMBLER, "microwave safe", "yes", "confirmed"),
        (TUMBLER, "hand wash only", "no", "contradicted"),
        (TUMBLER, "lid lock", "yes", "contradicted"),
        (TUMBLER, "bpa free", "no", "contradicted"),
        (TUMBLER, "plastic", "no", None),  # which may be a part's
        (TUMBLER, "dishwasher safe", "no", "confirmed"),
        (TUMBLER, "dishwasher safe", "yes", None),  # as a text of the record says
        (TUMBLER, "oven safe", "yes", None),
        (TUMBLER, "capacity", "ample", None),
        # other fields and texts that agree leave a property open, and others together do not
        (RUG, "discontinued", "yes", "contradicted"),
        (RUG, "tumble dry", "yes", "confirmed"),
        (RUG, "tumble dry", "no", None),  # the negation may reach it
        (RUG, "outdoor rain", "no", None),
        (RUG, "water resistant", "yes", None),  # as another field says
        (RUG, "item weight", "15 oz", None),  # with its knots
        (RUG, "item weight", "30 oz", None),  # three
        (RUG, "item weight", "8 oz", "contradicted"),  # of two others
        (RUG, "item weight", "200 oz", "contradicted"),  # 20 cm are no count
    ],
)
def test_a_property_is_decided_by_its_fields_name(item: Product, field: str, said: str, state: str | None) -> None:
    decided = decided_property(field, said, "is", item)
    assert (None if decided is None else decided[0]) == state


def test_what_a_field_says_is_not_excused_by_another_field_that_is_near() -> None:
    cups = Product(product_id="cups", title="C", category="c", details={"Capacity": "12 oz", "Item Weight": "17.6 oz"})
    assert decided_property("capacity", "16 oz", "is", cups) == ("contradicted", "Capacity: 12 oz")


def test_a_word_more_makes_another_count_of_a_users_record() -> None:
    orders = Product(product_id="U:orders", title="", category="", details={"orders with unknown price": 4})
    assert decided_property("orders with a price", "16", "is", orders) is None
    assert decided_property("orders with unknown price", "5", "is", orders) is not None


def test_a_limit_is_held_against_the_field() -> None:
    assert decided_property("capacity", "18 oz", "at_least", TUMBLER) == ("confirmed", "Capacity: 20 oz")
    assert decided_property("capacity", "30 oz", "at_least", TUMBLER) == ("contradicted", "Capacity: 20 oz")
    assert decided_property("capacity", "0.7 litres", "about", TUMBLER) is None


SCREEN = Product(
    product_id="screen",
    title="Screen Wipes, Dozen",
    category="c",
    features=("Hand wash only", "Lasts 18, 000 hours", "Folded: 41.5 L x 25.5 W x 23 H Inches", 'Bag:9.5"X6.8"X2"'),
    details={
        "Is Dishwasher Safe": "Yes",
        "Display Resolution Maximum": "1920 x 1080 Pixels",
        "Maximum Weight": "33 Pounds",
        "Number of Items": "1",
    },
)


def test_what_the_record_answers_both_ways_is_open_and_a_maximum_is_a_figure_itself() -> None:
    assert decided_property("dishwasher safe", "no", "is", SCREEN) is None
    assert decided_property("maximum weight", "45 pounds", "at_most", SCREEN) == (
        "contradicted",
        "Maximum Weight: 33 Pounds",
    )


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("1920 x 1080", True),
        ("1080 x 1200", False),
        ("12 pack", True),
        ("41.5 inches", True),
        ("18,000 hours", True),  # written "18, 000"
        ("6.8 inches", True),
        ("41.5 hours", False),
    ],
)
def test_a_figure_stands_in_a_record_as_it_is_written_as_a_word_or_before_its_side(said: str, stands: bool) -> None:
    assert has_figures([SCREEN], said, is_about=False) == stands


def test_a_no_behind_a_colon_is_that_fields_answer_in_texts_too() -> None:
    text = "A pot of 5 l. Induction: yes. Dishwasher safe: no."
    pot = Product(product_id="p", title="Pot", category="Pots", description=(text,), details={"Dishwasher safe": "no"})
    assert decided_property("Dishwasher safe", "yes", "is", pot) == ("contradicted", "Dishwasher safe: no")


def test_a_number_of_a_field_that_could_be_a_year_is_a_number() -> None:
    ranks = {"Best Sellers Rank": {"Electronics": 73000, "Portable Speakers": 2006}}
    speaker = Product(product_id="s", title="Speaker", category="c", details=ranks)
    decided = decided_property("best sellers rank", "2,006", "is", speaker)
    assert decided is not None
    assert decided[0] == "confirmed"
