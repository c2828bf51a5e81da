"""Which products are of a kind. The titles are those of the demo shop, or made like them."""

import pytest

from drretail.grounding.constraints.kinds import is_of_kind
from drretail.records.shop import Product


def product(title: str, *path: str) -> Product:
    return Product(product_id="P1", title=title, categories=("Everything", *path), category="Everything")


@pytest.mark.parametrize(
    ("title", "path", "kind"),
    [
        ("Scrivenhall Gel Pen Set, 24 Pack, 0.7 mm Point", ("Office", "Gel Ink Pens"), "gel pen set"),
        ("Boltwick Wall Anchor Kit with Stainless Steel Screws", ("Hardware", "Anchors"), "wall anchor kit"),
        ("Tansy Essential Oil Set – Herbal Scents", ("Oils", "Sets"), "essential oil set"),
        ("Crystal Wine Glasses, Set of 4", ("Kitchen", "Drinkware"), "wine glass"),
        ("Dewmarsh Raised Planter Box 4 x 2 ft – 17 inch", ("Garden", "Raised Beds"), "raised planter box"),
    ],
)
def test_what_stands_behind_the_noun_makes_no_other_kind(title: str, path: tuple[str, ...], kind: str) -> None:
    assert is_of_kind(product(title, *path), kind)


def test_a_set_of_one_thing_is_no_set_of_another() -> None:
    sheets = product("Quarryspoon Bed Sheet Set, Twin, Brushed Microfiber", "Bedding", "Sheet & Pillowcase Sets")
    assert is_of_kind(sheets, "bed sheet set")
    assert not is_of_kind(sheets, "Brush Sets")


def test_a_part_of_a_thing_is_not_the_thing() -> None:
    filters = product("French Press Replacement Filter, Stainless Steel", "Kitchen", "Coffee Filters")
    assert not is_of_kind(filters, "french press")
