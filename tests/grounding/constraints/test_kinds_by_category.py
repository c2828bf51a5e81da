"""Which products are of a kind: by the leaf category, by the noun of the title, and what is near and is none."""

import pytest

from drretail.grounding.constraints.kinds import is_of_kind, shares_the_noun
from drretail.records.shop import Product


def product(title: str, *path: str) -> Product:
    return Product(product_id="B1", title=title, category="Home_and_Kitchen", categories=("Home & Kitchen", *path))


COFFEE = product("Brewhaven Caffettiera, 34 oz", "Coffee", "French Presses")
FEEDER = product("Larkhall Window Bird Feeder for Small Birds, Clear", "Outdoor Decor")
FILTER = product("French Press Replacement Filter, Stainless Steel")
PAD = product("Ergonomic Mouse Pad with Wrist Rest for Desk Organizers")
BAGS = map(product, ("Thimbletot Diaper Bag, Black, 32 L", "Diaper Bag (Grey)", "Diaper Bag Black"))


@pytest.mark.parametrize(
    ("item", "kind", "is_one"),
    [
        # a leaf category and its noun, however they are written
        *((COFFEE, kind, True) for kind in ("French Presses", "french press", "FRENCH  PRESS", "presses")),
        # the noun of the title, where the category does not tell
        *((FEEDER, kind, True) for kind in ("bird feeder", "Feeder", "window bird feeders")),
        (FEEDER, "feeder for birds", False),
        # what holds the words and is another thing
        *((FILTER, "french press", False), (PAD, "desk organizer", False)),
        *((product("Bird Bath, Stone"), "bird feeder", False), (product("Dog Bed, Washable"), "bed for cats", False)),
        # number, color, packing and case make no other kind
        *((bag, "diaper bag", True) for bag in BAGS),
        (product("Women's Rain Boots"), "women's rain boot", True),
        # a department, no word and an unknown word
        *((COFFEE, kind, False) for kind in ("Home & Kitchen", "", "…", "rocket")),
    ],
)
def test_a_kind_is_told_by_leaf_category_or_the_noun_of_the_title(item: Product, kind: str, is_one: bool) -> None:
    assert is_of_kind(item, kind) is is_one


def test_of_two_names_of_a_leaf_the_title_s_counts_and_what_has_the_noun_in_it_may_be_of_the_kind() -> None:
    bib = product("Silicone Bib, Grey", "Baby", "Bibs & Burp Cloths")
    assert is_of_kind(bib, "bib")
    assert not is_of_kind(bib, "burp cloth")
    pruners = product("Garden Pruners, Bypass")
    assert shares_the_noun(pruners, ("bird feeder", "hand pruner"))
    assert not shares_the_noun(pruners, ("bird feeder", "garden shears"))
