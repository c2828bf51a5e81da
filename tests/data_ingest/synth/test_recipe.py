"""Every recipe, as data: whatever is drawn from it must read well."""

from itertools import chain

import pytest

from drretail.data_ingest.synth.recipe import CategoryRecipe, Kind, category_names, read_recipe

KINDS = {
    "Baby_Products": [
        "diaper bag", "swaddle blanket", "silicone bib", "baby bottle", "crib sheet", "white noise machine",
    ],
    "Beauty_and_Personal_Care": [
        "facial moisturizer", "vitamin c serum", "shampoo", "makeup brush set", "hair clips", "electric shaver",
    ],
    "Health_and_Household": [
        "essential oil set", "magnesium supplement", "vitamin d3", "pill organizer", "blood pressure monitor",
        "laundry detergent sheets",
    ],
    "Home_and_Kitchen": [
        "weighted blanket", "cast iron skillet", "coffee grinder", "food storage containers", "bed sheet set",
        "humidifier",
    ],
    "Office_Products": ["gel pen set", "desk organizer", "ergonomic mouse pad", "planner", "label maker", "desk lamp"],
    "Patio_Lawn_and_Garden": [
        "bird feeder", "birdhouse", "bird bath", "raised garden bed", "solar path lights", "garden hose",
        "pruning shears", "wildflower seeds",
    ],
    "Pet_Supplies": [
        "dog bed", "cat litter mat", "dog harness", "slow feeder bowl", "cat scratching post", "pet grooming brush",
    ],
    "Tools_and_Home_Improvement": [
        "cordless drill", "led light bulbs", "tape measure", "headlamp", "smoke detector", "wall anchor kit",
    ],
}  # fmt: skip
RECIPES = [read_recipe(name) for name in category_names()]
ALL_KINDS = list(chain.from_iterable(recipe.kinds for recipe in RECIPES))


def test_every_category_of_the_paper_has_its_kinds() -> None:
    assert {recipe.category: [kind.name for kind in recipe.kinds] for recipe in RECIPES} == KINDS


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.category)
def test_brands_are_many_and_differ_in_price_and_rating(recipe: CategoryRecipe) -> None:
    assert len({brand.name for brand in recipe.brands}) >= 8
    assert all(0.6 <= brand.price <= 1.5 and abs(brand.rating) <= 0.3 for brand in recipe.brands)


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.name)
def test_every_text_of_a_kind_can_be_filled(kind: Kind) -> None:
    words = {"brand": "Brand"} | {axis.name: axis.options[0] for axis in kind.axes}
    words |= {name: texts[0] for name, texts in kind.extra.items()}
    for text in chain(kind.title, kind.features, kind.descriptions):
        assert "{" not in text.format(**words)
    statements = [option.says for axis in kind.axes for option in axis.options if option.says]
    assert all("{" not in text.format(**words) for text in statements)


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.name)
def test_a_kind_has_enough_to_say_and_to_choose_from(kind: Kind) -> None:
    assert len(kind.features) >= 4
    assert len(kind.descriptions) >= 2
    assert len(kind.praise) >= 3
    assert len(kind.complaints) >= 3
    assert len(kind.axes) >= 3
    assert all(len(axis.options) >= 2 and axis.detail for axis in kind.axes)
    assert kind.price > 0
    assert 3.5 <= kind.rating <= 4.8
