"""Every recipe, as data: whatever is drawn from it must read well."""

from itertools import chain

import pytest

from drretail.data_ingest.synth.recipe import Kind, category_names, read_recipe

RECIPES = [read_recipe(name) for name in category_names()]
ALL_KINDS = list(chain.from_iterable(recipe.kinds for recipe in RECIPES))


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.name)
def test_every_text_of_a_kind_can_be_filled(kind: Kind) -> None:
    words = {"brand": "Brand"} | {axis.name: axis.options[0] for axis in kind.axes}
    words |= {name: texts[0] for name, texts in kind.extra.items()}
    for text in chain(kind.title, kind.features, kind.descriptions):
        assert "{" not in text.format(**words)
    statements = [option.says for axis in kind.axes for option in axis.options if option.says]
    assert all("{" not in text.format(**words) for text in statements)
