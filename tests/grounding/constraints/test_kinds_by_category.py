"""Which products are of a kind: by the leaf category, by the noun of the title, and what is near and is none."""

import pytest

from drretail.grounding.constraints.kinds import is_of_kind, shares_the_noun
from drretail.records.shop import Product


def product(title: str, *path: str) -> Product:
    return Product(product_id="B1", title=title, category="Home_and_Kitchen", categories=("Home & Kitchen", *path))


@pytest.mark.parametrize("kind", ["French Presses", "french press", "FRENCH  PRESS", "presses"])
def test_a_leaf_category_and_its_noun_are_one_kind_however_they_are_written(kind: str) -> None:
    assert is_of_kind(product("Brewhaven Caffettiera, 34 oz", "Coffee", "French Presses"), kind)


@pytest.mark.parametrize("kind", ["bird feeder", "Feeder", "window bird feeders", "feeder for birds"])
def test_the_noun_of_a_title_tells_the_kind_where_the_category_does_not(kind: str) -> None:
    feeder = product("Larkhall Window Bird Feeder for Small Birds, Clear", "Outdoor Decor")
    assert is_of_kind(feeder, kind) is (kind != "feeder for birds")


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("French Press Replacement Filter, Stainless Steel", "french press"),
        ("Ergonomic Mouse Pad with Wrist Rest for Desk Organizers", "desk organizer"),
        ("Bird Bath, Stone", "bird feeder"),
        ("Dog Bed, Washable", "bed for cats"),
    ],
)
def test_what_holds_the_words_and_is_another_thing_is_not_of_the_kind(title: str, kind: str) -> None:
    assert not is_of_kind(product(title), kind)


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        *(
            (bag, "diaper bag")
            for bag in ("Thimbletot Diaper Bag, Black, 32 L", "Diaper Bag (Grey)", "Diaper Bag Black")
        ),
        ("Women's Rain Boots", "women's rain boot"),
    ],
)
def test_number_color_packing_and_case_make_no_other_kind(title: str, kind: str) -> None:
    assert is_of_kind(product(title), kind)


def test_of_two_names_of_a_leaf_the_title_s_counts_and_what_has_the_noun_in_it_may_be_of_the_kind() -> None:
    bib = product("Silicone Bib, Grey", "Baby", "Bibs & Burp Cloths")
    assert is_of_kind(bib, "bib")
    assert not is_of_kind(bib, "burp cloth")
    pruners = product("Garden Pruners, Bypass")
    assert shares_the_noun(pruners, ("bird feeder", "hand pruner"))
    assert not shares_the_noun(pruners, ("bird feeder", "garden shears"))


@pytest.mark.parametrize("kind", ["Home & Kitchen", "", "…", "rocket"])
def test_a_department_no_word_and_an_unknown_word_are_no_kind(kind: str) -> None:
    assert not is_of_kind(product("Brewhaven French Press", "French Presses"), kind)
