"""Materials, colours, sizes and models of a sentence, against the fields of a record."""

import json
from pathlib import Path

import pytest

from drretail.grounding.text.sentences import find_sentences
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
    ],
)
def test_what_a_field_has_otherwise_is_a_fault(text: str, line: str | None) -> None:
    assert list(dict.fromkeys(property_faults(text, DAYPACK))) == ([] if line is None else [line])


@pytest.mark.parametrize(
    "text",
    [
        *("It is made of aluminum.", "It's a light metal backpack.", "It is made of steel."),
        *("The lid is made of titanium.", "It isn't made of titanium.", "If you want titanium, it is not for you."),
        *("It has a titanium-look frame.", "It comes in dark green and grey."),
        *("It comes in small, medium and large.", "It fits bars of 22 to 35 mm and the iPhone 15."),
    ],
)
def test_what_the_record_bears_out_or_leaves_open_is_none(text: str) -> None:
    assert not list(property_faults(text, DAYPACK))


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
