import pytest

from drretail.querygen.knowledge import choices, kinds, projects
from drretail.querygen.things import thing_named, thing_of, titles_name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Nail Clipper Set, VORUNI Luxury 18 in 1 Steel Kit, Pedicure Tools with Case", "nail clipper set"),
        ("Wingsong Squirrel-Proof Bird Feeder - Holds 4 lb of Seed, Copper", "bird feeder"),
        ("12 Pack Claw Clips for Thick Hair", "hair clips"),
        ("QUELLO Vitamin C Serum | 20% | 1 fl oz", "vitamin C serum"),
        ("Tallow LED Nail Lamp, 72W", "LED nail lamp"),
        ("Hard Plastic Recipe Box with Dividers", "plastic recipe box"),
        # what it is, not what qualifies it
        ("Panamaro Sunscreen Lip Balm, SPF 45", "lip balm"),
        ("Glimmer Crystal Liquid Eyeshadow Set - 4 Pack", "eyeshadow"),
        ("Tweezers for Eyebrows with Nail File", "tweezers"),
        # a refill pouch holds the thing itself
        ("Lane Shampoo for Dry Hair, Silicone Free, 12 fl oz Refill Pouch", "shampoo"),
        # containers contain nothing here
        ("Hearthlow Plastic Food Storage Containers with Lids - 5 Pack", "food storage containers"),
    ],
)
def test_a_long_title_becomes_a_short_everyday_phrase(title: str, name: str) -> None:
    thing = thing_of(title)
    assert thing is not None
    assert thing.name == name


@pytest.mark.parametrize(
    "title",
    [
        "Zorblax 9000 (Deluxe)",
        "☆",
        "",
        "Replacement Filter for Humidifier",
        "Gel Pen Set Refills",
        "Shampoo Bottle Sticker Labels",
        "Red Carpet Starter Collection",
        # what only comes with it, or what it is made for
        "Discovery Collection Set with Face Cleanser, Toning Serum, Night Moisturizer",
        "Nail Polish Clips",
        "Zorblax Kids Spa with Nail Kit",
    ],
)
def test_a_title_without_a_good_phrase_gives_none(title: str) -> None:
    assert thing_of(title) is None


@pytest.mark.parametrize(
    ("title", "wrong"),
    [
        ("Nail Polish Remover Clips", "nail polish remover"),
        ("Wig Stand, Foldable", "wig"),
        ("Oatmeal Dog Shampoo, 16 oz", "shampoo"),
        ("Shampoo for Dogs and Cats", "shampoo"),
        ("Anti Frizz Hair Serum", "face serum"),
        ("Makeup Brush Holder with Lid", "makeup brush set"),
    ],
)
def test_a_word_run_inside_something_else_does_not_make_it_that_kind(title: str, wrong: str) -> None:
    thing = thing_of(title)
    assert thing is None or thing.name != wrong


def test_the_leaf_of_a_path_counts_only_when_the_title_bears_it_out() -> None:
    path = ("Home & Kitchen", "Bedding", "Throw Pillow Covers")
    velvet = thing_of("Ambrelia Velvet Throw Pillow Covers, Set of 2", path)
    other = thing_of("Sunny Felt Garland, 3 m", path)
    assert velvet is not None
    assert velvet.name == "throw pillow covers"
    assert other is None


def test_the_end_of_a_path_names_a_kind_that_the_title_leaves_unsaid() -> None:
    path = ("Patio, Lawn & Garden", "Birds", "Feeders")
    feeder = thing_of("Larkham 2 lb Tube Feeder for Wild Birds", path)
    assert feeder is not None
    assert feeder.name == "bird feeder"


def test_things_for_babies_are_known_but_not_taken_for_a_grown_ups_toiletries() -> None:
    bib, shampoo = thing_of("Tallow Baby Silicone Bib"), thing_of("Tallow Baby Shampoo")
    assert bib is not None
    assert bib.name == "silicone bib"
    assert shampoo is None or shampoo.kind is None


def test_a_path_that_only_repeats_the_file_is_no_leaf() -> None:
    assert thing_of("Sunny Felt Garland", ("All_Beauty",)) is None


@pytest.mark.parametrize("name", list(kinds()))
def test_every_kind_is_recognised_by_its_own_name_and_titles(name: str) -> None:
    kind = kinds()[name]
    for title in (name, *kind.titles):
        thing = thing_of(f"Tallow {title.title()}, Blue")
        assert thing is not None
        assert thing.name == name, title


def test_choices_and_projects_speak_of_kinds_that_there_are() -> None:
    in_projects = {name for project in projects() for name in project.things}
    assert {name for choice in choices() for name in choice.kinds} <= set(kinds())
    assert set(kinds()) - in_projects == {"laundry detergent sheets"}


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("Lash Curler and Mascara Value Set", True),
        ("MASCARAS for Every Day", True),
        ("Make Up Organizer with Mirror", False),
        ("", False),
    ],
)
def test_a_title_names_a_thing_whatever_it_sells(title: str, named: bool) -> None:
    assert titles_name(thing_named("mascara"), [title]) is named
