"""What a product is called. The titles are made up; real ones were read by hand (docs/queries.md has the count)."""

import pytest

from drretail.querygen.rules.naming import name_of


@pytest.mark.parametrize(
    ("title", "path", "name"),
    [
        ("Zorblax Heavy Silicone Trivets for Hot Dishes, Red", ("Home", "Accessories", "Trivets"), "trivets"),
        ("Zorblax Retro Countertop Microwave Oven, 0.7 Cu. Ft.", ("Home", "Microwave Ovens"), "microwave oven"),
        ("40inch Foil 95 Jumbo Number Balloons, 95th Birthday", ("Home", "Decorations", "Balloons"), "balloons"),
        ("Set of 2 Nordic Horn Mug, 16 Oz", ("Home", "Drinkware", "Beer Mugs & Steins"), "mug"),
        ("Bed Sheet Set, Queen, White", ("Home", "Bedding", "Sheet & Pillowcase Sets"), "sheet set"),
        ("Floral Oil Set - 6 Bottles x 10 ml", ("Health", "Essential Oils", "Sets"), "oil set"),
        ("Outdoor Bird House for Wrens", ("Patio", "Birds", "Birdhouses"), "bird house"),
        ("4 Pack LED Light Bulbs - Soft White", ("Tools", "Light Bulbs", "LED Bulbs"), "LED light bulbs"),
    ],
)
def test_a_name_ends_in_the_titles_noun_with_the_words_of_the_path_before_it(
    title: str, path: tuple[str, ...], name: str
) -> None:
    assert name_of(title, path, "Zorblax") == name


@pytest.mark.parametrize(
    ("title", "path", "name"),
    [
        # The category's own noun, where the title has it.
        ("Steel Food Pincers, Precision Food Tongs, Long", ("Home", "Cooking Utensils", "Tongs"), "tongs"),
        ("Round Wall Clock Decorative Silent Beach", ("Home", "Clocks", "Wall Clocks"), "wall clock"),
        ("Big Rest, Spoon and Ladle Stand", ("Home", "Utensils", "Spoon Rests"), "spoon rest"),
        ("Foam Back & Leg Roll Pillow", ("Home", "Neck & Cervical Pillows"), "pillow"),
    ],
)
def test_a_category_helps_where_the_title_is_long_or_bare(title: str, path: tuple[str, ...], name: str) -> None:
    assert name_of(title, path, None) == name


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("Cherry Blossom in Glass Vase", ("Home", "Home Décor", "Vases")),
        ("Part For Fit All Vacuum Black Hose Hanger Assembly", ("Home", "Vacuum Parts", "Hoses")),
        ("Baby Bottle Holder Hands Free – One-Hand Bottle", ("Baby", "Bottle-Feeding", "Bottles")),
        ("Body Pillow Covers Cases with Zipper", ("Home", "Inserts & Covers", "Cases")),
        ("Zorblax 9000 (Deluxe)", ("Home",)),
        ("Kids Play Tray - Lap Desk", ("Baby", "Car Seats & Accessories", "Storage & Organizers")),
    ],
)
def test_what_title_and_path_do_not_agree_on_has_no_name(title: str, path: tuple[str, ...]) -> None:
    assert name_of(title, path, "Zorblax") is None


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Rosemary Candle | Scented Candle for Home", "candle"),
        ("Portable Knife Sharpener, 2-Step Manual Knife Sharpener", "knife sharpener"),
        ("Lovely Gift for Her, Candle", None),
        ("Whatever Stands Here Once", None),
    ],
)
def test_without_a_path_the_title_must_say_it_twice(title: str, name: str | None) -> None:
    assert name_of(title, (), None) == name
