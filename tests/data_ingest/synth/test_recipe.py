"""Every recipe, as data: whatever is drawn from it must read well."""

from itertools import chain

import pytest

from drretail.data_ingest.plan import PAPER
from drretail.data_ingest.synth.recipe import CategoryRecipe, Kind, category_names, read_recipe

RECIPES = [read_recipe(name) for name in category_names()]
ALL_KINDS = list(chain.from_iterable(recipe.kinds for recipe in RECIPES))


def test_every_category_of_the_paper_has_its_kinds() -> None:
    assert {recipe.category for recipe in RECIPES} == {*PAPER}
    assert len({kind.name for kind in ALL_KINDS}) == 50


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
