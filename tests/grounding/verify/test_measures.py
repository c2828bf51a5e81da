"""Figures with a unit and denials of a record, and sentences that say otherwise."""

import pytest

from drretail.grounding.verify.measures import denial_faults, measure_faults
from drretail.records.shop import Product

PRESS = Product(
    product_id="press",
    title="Steel Press 1 L",
    category="c",
    description=(
        "Keeps coffee hot for 2 hours. Not for induction. 90 click settings. 650 g.",
        "Needs two AA batteries (not included).",
    ),
)
OF_SOMETHING_ELSE = (
    *("It keeps coffee hot for 2 hours.", "Grind 30 g for 1 litre.", "Delivery takes 4 hours.", "The 1 L press"),
    *("No. 7", "It weighs 100 g more.", "It doesn't weigh 600 g.", "The tray is 30 x 20 cm."),
    "Your last one, bought in 2022, had 60 click settings.",
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("It keeps coffee hot for 4 hours.", "4 hours: the record says 2 hours"),
        ("Settings: 60", "Settings 60: the record says 90 click settings"),
        ("It weighs only 560 g.", "560 g: the record says 650 g"),
        *((text, None) for text in OF_SOMETHING_ELSE),
    ],
)
def test_another_number_of_the_same_thing_is_a_fault_and_of_something_else_none(text: str, line: str | None) -> None:
    assert list(measure_faults(text, PRESS)) == ([] if line is None else [line])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("It works on induction too.", "the record says “Not for induction”"),
        ("Batteries are included.", "the record says “Needs two AA batteries (not included)”"),
        ("It doesn't work on gas, electric and induction hobs.", None),
        ("If you have induction, take another one.", None),
        ("A lid is included.", None),
    ],
)
def test_what_the_record_denies_can_not_be_affirmed(text: str, line: str | None) -> None:
    assert list(denial_faults(text, PRESS)) == ([] if line is None else [line])


BAG = Product(
    product_id="bag", title="Dry Bag", category="c", description=("Has a pouch.",), details={"Capacity": "20 L"}
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("The Dry Bag holds 30 litres.", "30 litres: the record says 20 L"),
        ("It holds 20 litres.", None),
        ("The pouch holds 5 litres.", None),
    ],
)
def test_a_verb_stands_for_a_field_of_the_product_itself(text: str, line: str | None) -> None:
    assert list(measure_faults(text, BAG)) == ([] if line is None else [line])
