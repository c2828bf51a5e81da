"""What can be bought in a made-up shop (recipes/), and products drawn from it.

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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from pydantic import Field

from drretail.data_ingest.raw.products import MADE_UP_PICTURES
from drretail.records.base import Record

RECIPE_VERSION = 1
RECIPES = Path(__file__).parent / "recipes"


class Brand(NamedTuple):
    name: str
    price: float
    rating: float


class _Option(Record):
    """One value of an axis. In a text it is written as its name."""

    name: str
    text: str = Field(default_factory=lambda fields: fields["name"].lower())
    price: float = 1.0
    pounds: float = 1.0
    says: str | None = None

    def __str__(self) -> str:
        return self.name


class _Axis(Record):
    detail: str
    options: tuple[_Option, ...]


class _Kind(Record):
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
    axes: dict[str, _Axis]
    months: tuple[int, ...] = ()
    consumable: bool = False
    extra: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class CategoryRecipe(Record):
    category: str
    main_category: str
    root: str
    brands: tuple[Brand, ...]
    kinds: tuple[_Kind, ...]


@cache
def recipe_categories() -> tuple[str, ...]:
    """The categories that have a recipe, sorted."""
    return tuple(sorted(file.stem for file in RECIPES.glob("*.toml")))


@cache
def read_recipe(category: str) -> CategoryRecipe:
    """The recipe of one category; ValidationError names a field that the file lacks."""
    return CategoryRecipe.model_validate(tomllib.loads((RECIPES / f"{category}.toml").read_text(encoding="utf-8")))


ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PRICE_SPREAD = 0.16
"""Standard deviation of the logarithm of a price, beyond what brand and options explain."""
MONTHS = ("January", "March", "April", "May", "June", "August", "September", "October", "November")


@dataclass(frozen=True, slots=True)
class Article:
    """A product as a raw meta row, with what shoppers choose by."""

    row: dict[str, Any]
    category: str
    kind: _Kind
    brand: str
    price: float
    popularity: float

    @property
    def product_id(self) -> str:
        return self.row["parent_asin"]


def draw_articles(recipe: CategoryRecipe, count: int, seed: str) -> Iterator[Article]:
    """``count`` products of a category, of its kinds in turn. Product ``i`` does not depend on ``count``."""
    for index in range(count):
        random = Random(f"{seed}|product|{recipe.category}|{index}")
        kind, asin = recipe.kinds[index % len(recipe.kinds)], product_id(f"{seed}|{recipe.category}|{index}")
        brand = random.choice(recipe.brands)
        chosen = {name: random.choice(axis.options) for name, axis in kind.axes.items()}
        words: dict[str, Any] = {"brand": brand.name, **chosen}
        words |= {name: random.choice(texts) for name, texts in kind.extra.items()}
        price = kind.price * brand.price * random.lognormvariate(0, PRICE_SPREAD)
        for option in chosen.values():
            price *= option.price
        if price >= 4:
            price = int(price) + random.choice((0.99, 0.99, 0.99, 0.95, 0.49, 0.0))
        price = round(price, 2)
        title = random.choice(kind.title).format(**words)
        # Long-tailed, as in shops: most products have tens of ratings, some have thousands.
        ratings = max(1, int(random.lognormvariate(5.0, 1.6)))
        noise = random.gauss(0, 0.15 + 0.9 / ratings**0.5)
        stated = [option.says for option in chosen.values() if option.says]
        general = random.sample(kind.features, k=min(len(kind.features), random.randint(2, 4)))
        described = random.sample(kind.descriptions, k=min(len(kind.descriptions), random.randint(1, 2)))
        picture = {"thumb": f"{MADE_UP_PICTURES}{asin}/75.jpg", "large": f"{MADE_UP_PICTURES}{asin}/500.jpg"}
        row = {
            "main_category": recipe.main_category,
            "title": _capitalised(title),
            "average_rating": round(min(5.0, max(1.0, kind.rating + brand.rating + noise)), 1),
            "rating_number": ratings,
            "features": [text.format(**words) for text in (*stated, *general)],
            "description": [_capitalised(text.format(**words)) for text in described],
            "price": price,
            "images": [{**picture, "variant": "MAIN", "hi_res": None}],
            "videos": [],
            "store": brand.name,
            "categories": [recipe.root, *kind.path],
            "details": _details(recipe, kind, brand, chosen, random),
            "parent_asin": asin,
            "bought_together": None,
        }
        yield Article(row, recipe.category, kind, brand.name, price, popularity=ratings**0.5)


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:]


def product_id(key: str) -> str:
    """An id of Amazon's form, "B0" and eight characters."""
    number = int.from_bytes(sha256(key.encode()).digest()[:6])
    characters = []
    for _ in range(8):
        number, rest = divmod(number, len(ALPHABET))
        characters.append(ALPHABET[rest])
    return f"B0{''.join(characters)}"


def _details(
    recipe: CategoryRecipe, kind: _Kind, brand: Brand, chosen: dict[str, _Option], random: Random
) -> dict[str, Any]:
    pounds = kind.pounds * random.uniform(0.9, 1.1)
    for option in chosen.values():
        pounds *= option.pounds
    size = " x ".join(f"{inches * random.uniform(0.85, 1.2):.1f}" for inches in kind.inches)
    details: dict[str, Any] = {"Brand": brand.name}
    details |= {axis.detail: str(chosen[name]) for name, axis in kind.axes.items()}
    details.setdefault("Item Weight", f"{pounds:.2f} Pounds" if pounds >= 1 else f"{pounds * 16:.1f} Ounces")
    details["Package Dimensions"] = f"{size} inches"
    details["Manufacturer"] = brand.name
    details["Item model number"] = f"{brand.name[:2].upper()}-{random.randint(100, 9999)}"
    details["Warranty"] = random.choice(("30-day returns", "1-year warranty", "2-year warranty", "5-year warranty"))
    details["Date First Available"] = f"{random.choice(MONTHS)} {random.randint(1, 28)}, {random.randint(2016, 2021)}"
    details["Best Sellers Rank"] = {recipe.root: random.randint(500, 400_000), kind.path[-1]: random.randint(1, 900)}
    return details
