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
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

RECIPE_VERSION = 1
RECIPES = Path(__file__).parent / "recipes"


@dataclass(frozen=True, slots=True)
class Brand:
    name: str
    price: float
    rating: float


@dataclass(frozen=True, slots=True)
class Option:
    """One value of an axis. In a text it is written as its name."""

    name: str
    text: str
    price: float = 1.0
    pounds: float = 1.0
    says: str | None = None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Axis:
    name: str
    detail: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Kind:
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
    axes: tuple[Axis, ...]
    months: tuple[int, ...] = ()
    consumable: bool = False
    extra: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True, slots=True)
class CategoryRecipe:
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
    """The recipe of one category; KeyError names a field that the file lacks."""
    content = tomllib.loads((RECIPES / f"{category}.toml").read_text(encoding="utf-8"))
    return CategoryRecipe(
        category=content["category"],
        main_category=content["main_category"],
        root=content["root"],
        brands=tuple(Brand(*brand) for brand in content["brands"]),
        kinds=tuple(_kind(kind) for kind in content["kinds"]),
    )


def _kind(given: dict[str, Any]) -> Kind:
    axes = list[Axis]()
    for name, axis in given.pop("axes").items():
        options = (Option(**({"text": option["name"].lower()} | option)) for option in axis["options"])
        axes.append(Axis(name, axis["detail"], tuple(options)))
    extra = {word: tuple(texts) for word, texts in given.pop("extra", {}).items()}
    fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
    return Kind(axes=tuple(axes), extra=extra, **fields)
