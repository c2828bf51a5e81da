"""The recipe of the made-up shop: what can be bought, in one TOML file per category (``recipes/``).

    category, main_category, root     the file's stem, Amazon's label, the first part of every category path
    brands = [[name, price level, rating shift], …]
    [[kinds]]                          name, path (below root), price (centre, USD), rating (mean), pounds,
                                       inches [l, w, h], months (in which it sells twice as well), consumable,
                                       title, features, descriptions, praise, complaints: lists of texts
    extra = { word = [texts] }         a word of the texts that is drawn and changes nothing else
    [kinds.axes.NAME]                  what varies: detail (the key under which the details name it) and options, each
                                       { name, text?, price? (factor), pounds? (factor), says? (a feature sentence) }

In texts ``{axis}`` is an option's name as a title writes it, ``{axis.text}`` as a sentence does.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from drretail.records.base import Record

RECIPE_VERSION = 1
RECIPES = Path(__file__).parent / "recipes"


class Brand(NamedTuple):
    name: str
    price: float
    rating: float


class Option(Record):
    """One value of an axis. In a text it is written as its name."""

    name: str
    text: str = Field(default_factory=lambda fields: fields["name"].lower())
    price: float = 1.0
    pounds: float = 1.0
    says: str | None = None

    def __str__(self) -> str:
        return self.name


class Axis(Record):
    detail: str
    options: tuple[Option, ...]


class Kind(Record):
    """One kind of product; prices in USD, weights in pounds, lengths in inches."""

    name: str
    path: tuple[str, ...]
    price: float
    rating: float
    pounds: float
    inches: tuple[float, ...]
    title: tuple[str, ...]
    features: tuple[str, ...]
    descriptions: tuple[str, ...]
    praise: tuple[str, ...]
    complaints: tuple[str, ...]
    axes: dict[str, Axis]
    months: tuple[int, ...] = ()
    consumable: bool = False
    extra: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class CategoryRecipe(Record):
    category: str
    main_category: str
    root: str
    brands: tuple[Brand, ...]
    kinds: tuple[Kind, ...]


@cache
def category_names() -> tuple[str, ...]:
    """The categories that have a recipe, sorted."""
    return tuple(sorted(file.stem for file in RECIPES.glob("*.toml")))


@cache
def read_recipe(category: str) -> CategoryRecipe:
    """The recipe of one category; ValidationError names a field that the file lacks."""
    return CategoryRecipe.model_validate(tomllib.loads((RECIPES / f"{category}.toml").read_text(encoding="utf-8")))
