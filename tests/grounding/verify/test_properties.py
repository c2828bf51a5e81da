"""Materials, colours, sizes, figures with a unit and denials of a record, and sentences that say otherwise."""

import json
from pathlib import Path

import pytest

from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.verify.measures import denial_faults, measure_faults
from drretail.grounding.verify.properties import property_faults
from drretail.records.shop import Product

DAYPACK = Product(
    product_id="pack",
    title="Lofoten Daypack",
    category="Backpacks",
    description=("Buckles of steel.", "Material: Aluminium"),
    details={
        "Compatible model": "iPhone 15",
        "Variants": [{"Color": name, "Size": size} for name, size in (("Moss", "S"), ("Rust", "M"), ("Charcoal", "L"))],
    },
)

OPEN = (
    *("It is made of aluminum.", "It's a light metal backpack.", "It is made of steel."),
    *("The lid is made of titanium.", "It isn't made of titanium.", "If you want titanium, it is not for you."),
    *("It has a titanium-look frame.", "It comes in dark green and grey."),
    *("It comes in small, medium and large.", "It fits bars of 22 to 35 mm and the iPhone 15."),
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Yes, the Lofoten Daypack is made of titanium.", "“titanium”: the record says Material: Aluminium"),
        ("It's a titanium backpack.", "“titanium”: the record says Material: Aluminium"),
        ("The Daypack comes in Moss, navy and Charcoal.", "“navy”: the record says Color: Moss, Rust, Charcoal"),
        ("The pack is bright red.", None),  # no word of its title
        ("This daypack is bright red.", "“red”: the record says Color: Moss, Rust, Charcoal"),
        ("We have it in XL.", "“XL”: the record says Size: S, M, L"),
        ("It fits the iPhone 14.", "iPhone 14: the record says iPhone 15"),
        ("It works with the Galaxy S23.", "Galaxy S23: the record says iPhone 15"),
        *((text, None) for text in OPEN),
    ],
)
def test_what_a_field_has_otherwise_is_a_fault(text: str, line: str | None) -> None:
    assert list(dict.fromkeys(property_faults(text, DAYPACK))) == ([] if line is None else [line])


def test_no_sentence_of_a_real_listing_is_called_false_by_its_own_fields(realdata: Path) -> None:
    """The fields of each listing alone, and the sentences of its seller, whom nobody told of the rules."""
    found: list[tuple[str, str]] = []
    read = 0
    path = realdata / "amazon" / "Home_and_Kitchen" / "meta_Home_and_Kitchen.hf.jsonl"
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        details = row.get("details") or {}
        fields = json.loads(details) if isinstance(details, str) else details
        item = Product(product_id="x", title=row["title"], category="c", store=row.get("store"), details=fields)
        for text in (*row["features"], *row["description"]):
            for sentence in find_sentences(text):
                read += 1
                found += [(line, text) for line in property_faults(text[sentence.start : sentence.end], item)]
    assert read > 3_000
    assert found == []


DESCRIPTION = (
    "Keeps coffee hot for 2 hours. Not for induction. 90 click settings. 650 g.",
    "Needs two AA batteries (not included).",
)
PRESS = Product(product_id="press", title="Steel Press 1 L", category="c", description=DESCRIPTION)
BAG = Product(
    product_id="bag", title="Dry Bag", category="c", description=("Has a pouch.",), details={"Capacity": "20 L"}
)
OF_SOMETHING_ELSE = (
    *("It keeps coffee hot for 2 hours.", "Grind 30 g for 1 litre.", "Delivery takes 4 hours.", "The 1 L press"),
    *("No. 7", "It weighs 100 g more.", "It doesn't weigh 600 g.", "The tray is 30 x 20 cm."),
    "Your last one, bought in 2022, had 60 click settings.",
)


@pytest.mark.parametrize(
    ("item", "text", "line"),
    [
        (PRESS, "It keeps coffee hot for 4 hours.", "4 hours: the record says 2 hours"),
        (PRESS, "Settings: 60", "Settings 60: the record says 90 click settings"),
        (PRESS, "It weighs only 560 g.", "560 g: the record says 650 g"),
        *((PRESS, text, None) for text in OF_SOMETHING_ELSE),
        # a verb stands for a field of the product itself
        (BAG, "The Dry Bag holds 30 litres.", "30 litres: the record says 20 L"),
        (BAG, "It holds 20 litres.", None),
        (BAG, "The pouch holds 5 litres.", None),
    ],
)
def test_another_number_of_the_same_thing_is_a_fault_and_of_something_else_none(
    item: Product, text: str, line: str | None
) -> None:
    assert list(measure_faults(text, item)) == ([] if line is None else [line])


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
