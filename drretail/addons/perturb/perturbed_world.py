"""``perturb_world``: the same shop with other names and prices; ``carried``: queries carried over into it. The names on
products, new names for them, and texts with the new names and product ids.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any

from pydantic import Field, ValidationError

from drretail.data_ingest.recipe import product_id
from drretail.env.copying import writer_to
from drretail.env.folder import rows_of
from drretail.env.manifest import Manifest, OrderRow, check_is_ours
from drretail.env.servers.naming import ServerSettings
from drretail.errors import UserError
from drretail.files import read_json, write_json
from drretail.progress import Progress
from drretail.records.base import Document
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.records.wish import Demand, Wish

Name = tuple[str, ...]
"""A name's case-folded words. All spellings with the same words are one name."""
MAKERS = ("Brand", "Brand Name", "Manufacturer")
"""Details whose whole value is a name."""
WORD = re.compile(r"[^\W_]+")
ORDINARY = 0.25
"""A word is ordinary, and no name by itself, if this share of it in features and descriptions is in lower case."""
_ONSETS = (*"bdfgjklmnprstvwz", "br", "dr", "gl", "kr", "pl", "qu", "sk", "tr")
_VOWELS = tuple("aeiou")
_ENDS = ("", "", "n", "r", "x", "l", "th", "sk")
_JOINED = re.compile(r"[^\w\n,;:]{1,3}|_")
"""Characters that may separate two words of a name."""
SHORT = 3
"""Names of at most this many letters may mean anything else, such as a unit."""
LEAST_ID = 8
"""Product ids with fewer characters are not replaced in texts, since they may be numbers."""


def name_of(text: str) -> Name:
    return tuple(WORD.findall(text.casefold()))


def names_on(product: Product) -> Iterator[str]:
    """The names of the product's store and makers, as spelled there."""
    for spelling in (product.store, *(product.details.get(key) for key in MAKERS)):
        if isinstance(spelling, str) and name_of(spelling):
            yield spelling


class NamesOfShop:
    """The names and words of a shop's products, gathered in one pass."""

    def __init__(self) -> None:
        self.spellings: dict[Name, set[Name]] = defaultdict(set)
        """By name, the words of each spelling in their own case."""
        self._lower: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
        self._words: set[str] = set()

    def take(self, product: Product) -> None:
        for spelling in names_on(product):
            self.spellings[name_of(spelling)].add(tuple(WORD.findall(spelling)))
        self._words.update(WORD.findall(product.title.casefold()))
        for text in (*product.features, *product.description):
            for word in WORD.findall(text):
                folded = word.casefold()
                self._all[folded] += 1
                self._lower[folded] += word == folded

    def ordinary(self) -> frozenset[str]:
        """The words of names that the shop's texts use as ordinary words. Numbers are always ordinary."""
        words = {word for name in self.spellings for word in name}
        return frozenset(
            each
            for each in words
            if each.isdigit() or (self._all[each] and self._lower[each] / self._all[each] >= ORDINARY)
        )

    def renamed(self, seed: str) -> dict[Name, str]:
        """A new name for each: made up, all different, and no word of the shop."""
        taken = {*self._words, *self._all, *(word for name in self.spellings for word in name)}
        made: dict[Name, str] = {}
        for name in sorted(self.spellings):
            random = Random(f"{seed}|brand|{' '.join(name)}")
            new = made_up(random)
            while new.casefold() in taken:
                new = made_up(random)
            taken.add(new.casefold())
            made[name] = new
        return made


def made_up(random: Random) -> str:
    """A name of three syllables, such as "Krivanoth"."""
    syllables = "".join(random.choice(_ONSETS) + random.choice(_VOWELS) for _ in range(3))
    return syllables.capitalize() + random.choice(_ENDS)


class Renaming:
    """Replaces names and ids in texts and products.

    A name with a word that is not ordinary is found in any text and in any case. A name of ordinary words only ("Home",
    "Immune System"), or of up to three letters, is found only as it is spelled, and only where the product bears it.
    """

    def __init__(
        self,
        names: Mapping[Name, str],
        spellings: Mapping[Name, Collection[Name]],
        ordinary: Collection[str],
        ids: Mapping[str, str],
    ) -> None:
        self._names, self._spellings, self.ids = names, spellings, ids
        self._by_first: dict[str, list[Name]] = defaultdict(list)
        self._common = {each for each in names if len("".join(each)) <= SHORT or all(word in ordinary for word in each)}
        for name in sorted(names, key=len, reverse=True):
            self._by_first[name[0]].append(name)

    def name(self, written: str) -> str:
        """The new value of a field that holds a name. If the name is unknown, the known names in it are replaced."""
        return self._names.get(name_of(written)) or self.text(written)

    def text(self, text: str, own: Collection[Name] = ()) -> str:
        """The text with every name and id in it replaced. ``own`` are the names of the product that it is about."""
        parts: list[str] = []
        end = 0
        for start, stop, new in self.found(text, own):
            parts += (text[end:start], new)
            end = stop
        return "".join([*parts, text[end:]])

    def title(self, title: str, own: Collection[Name]) -> str:
        """Like ``text``, but an own name at the beginning is found in any case."""
        words = [*WORD.finditer(title)]
        for name in sorted(own, key=len, reverse=True):
            if tuple(word[0].casefold() for word in words[: len(name)]) == name and _is_joined(
                title, words[: len(name)]
            ):
                end = words[len(name) - 1].end()
                return title[: words[0].start()] + self._names[name] + self.text(title[end:], own)
        return self.text(title, own)

    def details(self, value: Any, own: Collection[Name], key: str = "") -> Any:
        """A product's details with new names. Their keys stay."""
        if isinstance(value, str):
            return self.name(value) if key in MAKERS else self.text(value, own)
        if isinstance(value, Mapping):
            return {at: self.details(held, own, str(at)) for at, held in value.items()}
        if isinstance(value, list | tuple):
            return [self.details(held, own) for held in value]
        return value

    def product(self, product: Product) -> Product:
        """The product with its new names and id. Its price and ratings stay."""
        own = {name_of(spelling) for spelling in names_on(product)}
        return product.model_copy(
            update={
                "product_id": self.ids[product.product_id],
                "title": self.title(product.title, own),
                "features": tuple(self.text(feature, own) for feature in product.features),
                "description": tuple(self.text(each, own) for each in product.description),
                "store": None if product.store is None else self.name(product.store),
                "details": self.details(product.details, own),
            }
        )

    def found(self, text: str, own: Collection[Name] = ()) -> Iterator[tuple[int, int, str]]:
        """Yields the start, end and replacement of each name and id in a text."""
        words = [*WORD.finditer(text)]
        at = 0
        while at < len(words):
            word = words[at][0]
            if len(word) >= LEAST_ID and word.upper() in self.ids:
                yield *words[at].span(), self.ids[word.upper()]
                at += 1
                continue
            name = next(
                (each for each in self._by_first.get(word.casefold(), ()) if self._is(each, text, words, at, own)), None
            )
            if name is not None:
                yield words[at].start(), words[at + len(name) - 1].end(), self._names[name]
            at += 1 if name is None else len(name)

    def _is(self, name: Name, text: str, words: Sequence[re.Match[str]], at: int, own: Collection[Name]) -> bool:
        here = words[at : at + len(name)]
        words_here = tuple(match[0] for match in here)
        if tuple(each.casefold() for each in words_here) != name or not _is_joined(text, here):
            return False
        return name not in self._common or (name in own and words_here in self._spellings[name])


def _is_joined(text: str, words: Sequence[re.Match[str]]) -> bool:
    gaps = (text[one.end() : other.start()] for one, other in pairwise(words))
    return all(_JOINED.fullmatch(gap) for gap in gaps)


MAPPING = "perturbed.json"
"""The file beside the generations of the world; no tool reads it."""
RULE = 1
"""The version of the rules, counted up when the same world and seed give another result."""
FROM = "perturbed_from"
"""The manifest's parameter with the fingerprint of the original world."""
PRICE = (1.15, 1.6)
"""The least and the greatest factor by which a price moves, up or down."""
RATING = (0.3, 0.9)
"""The least and the greatest number of stars by which a rating moves."""
COUNT = (1.25, 2.5)
"""The least and the greatest factor by which a number of ratings moves, up or down."""
WHOLE_FROM = 20
"""From this amount on, a price without cents stays without cents."""


class Perturbation(Document):
    """perturbed.json: the new brand or id for each old one."""

    rule: int
    seed: str
    perturbed_from: str
    """Fingerprint of the original world."""
    fingerprint: str = ""
    """Fingerprint of the perturbed world."""
    brands: dict[str, str] = Field(default_factory=dict[str, str])
    """The new name for each spelling in stores and makers."""
    ordinary: tuple[str, ...] = ()
    """Words of names that the shop's texts also use as ordinary words."""
    ids: dict[str, str] = Field(default_factory=dict[str, str])
    """The new product id for each old one."""

    def renaming(self) -> Renaming:
        spellings: dict[Name, set[Name]] = {}
        names: dict[Name, str] = {}
        for spelled, new in self.brands.items():
            names[name_of(spelled)] = new
            spellings.setdefault(name_of(spelled), set()).add(tuple(spelled.split()))
        return Renaming(names, spellings, frozenset(self.ordinary), self.ids)


def perturb_world(
    source: str | Path,
    folder: Path,
    seed: str,
    *,
    servers: ServerSettings | None = None,
    progress: Progress | None = None,
) -> tuple[Manifest, Perturbation]:
    """Makes the world at ``source`` live in ``folder`` with other brands, ids, prices and ratings.

    Users, profiles, orders, dates and categories stay the same. The same source and seed give the same world. Raises
    UserError if there is no source, or if the folder is the source or holds something else.
    """
    check_is_ours(folder)
    if str(source) == str(folder) or Path(source).absolute() == folder.absolute():
        raise UserError(f"{folder} is the world itself: give the perturbed one a folder of its own with --to.")
    names = NamesOfShop()
    ids: list[str] = []
    with rows_of(source, servers) as rows:
        for product in rows.products:
            names.take(product)
            ids.append(product.product_id)
        fingerprint = rows.expected
    new = names.renamed(seed)
    # New ids of Amazon's form sort like the old ones, so that products can be written in the order they are read.
    taken, made = {*ids}, set[str]()
    number = 0
    while len(made) < len(ids):
        made |= {product_id(f"{seed}|perturbed|{number}")} - taken
        number += 1
    mapping = Perturbation(
        rule=RULE,
        seed=seed,
        perturbed_from=fingerprint,
        brands={" ".join(spelled): new[name] for name in sorted(new) for spelled in sorted(names.spellings[name])},
        ordinary=tuple(sorted(names.ordinary())),
        ids=dict(zip(ids, sorted(made), strict=True)),
    )
    renaming = mapping.renaming()
    with rows_of(source, servers) as rows, writer_to(folder) as write:
        perturbed = {FROM: rows.expected, "perturbed_by_seed": seed, "perturbed_by_rule": RULE}
        other = replace(
            rows,
            products=(renaming.product(moved(product, seed)) for product in rows.products),
            orders=_orders(rows.orders, mapping.ids, seed),
            origin={**rows.origin, "parameters": {**(rows.origin.get("parameters") or {}), **perturbed}},
            expected="",
        )
        manifest = write(other, progress)
        made = mapping.model_copy(update={"fingerprint": manifest.fingerprint})
        write_json(folder / MAPPING, made.model_dump(mode="json"))
    return manifest, made


def read_perturbation(folder: Path) -> Perturbation:
    """The mapping beside a perturbed world. Raises UserError for a world without one."""
    path = folder / MAPPING
    if not path.is_file():
        raise UserError(f"{folder} is no perturbed world: it has no {MAPPING}. drretail world perturb makes one.")
    try:
        return Perturbation.model_validate(read_json(path))
    except ValidationError as problem:
        raise UserError(f"{path} is damaged: drretail world perturb makes it again.") from problem


def _orders(orders: Iterable[OrderRow], ids: Mapping[str, str], seed: str) -> Iterator[OrderRow]:
    """The orders with the new product ids; one is made up if the shop lacks its product."""
    return (
        row._replace(product_id=ids.get(row.product_id) or product_id(f"{seed}|{row.product_id}")) for row in orders
    )


def moved(product: Product, seed: str) -> Product:
    """The product with other values, drawn by the seed and its id. Unknown values stay unknown."""
    random = Random(f"{seed}|values|{product.product_id}")
    ups = [random.random() < 0.5 for _ in range(3)]
    price, rating, count = (random.uniform(log(low), log(high)) for low, high in (PRICE, RATING, COUNT))
    known: dict[str, float] = {}
    if product.price:
        digits = 0 if product.price == int(product.price) and product.price >= WHOLE_FROM else 2
        known["price"] = max(0.01, round(product.price * exp(price if ups[0] else -price), digits))
    if product.average_rating is not None:
        # The other way if it would leave 1 to 5 stars.
        by, old = exp(rating) if ups[1] else -exp(rating), product.average_rating
        known["average_rating"] = round(next((way for way in (old + by, old - by) if 1 <= way <= 5), old), 1)
    if product.rating_number:
        known["rating_number"] = max(1, round(product.rating_number * exp(count if ups[2] else -count)))
    return product.model_copy(update=known)


def carried(queries: Iterable[Query], mapping: Perturbation) -> list[Query]:
    """The same queries of the same users, with the products and brands of the perturbed world.

    Query ids, users, budgets and categories stay. What was decided by records of the first world does not.
    """
    renaming, made = mapping.renaming(), list[Query]()
    for query in queries:
        wants = () if query.wish is None else query.wish.wants
        own = {name_of(brand) for want in wants for brand in (*want.brands_wanted, *want.brands_unwanted)}
        old = {name: getattr(query, name) for name in ("text", "persona", "context", "rationale")}
        new: dict[str, Any] = {name: None if text is None else renaming.text(text, own) for name, text in old.items()}
        new["wish"] = None if query.wish is None else _wish(query.wish, renaming, own)
        made.append(query.model_copy(update={**new, "world_fingerprint": mapping.fingerprint, "gold": None}))
    return made


def _wish(wish: Wish, renaming: Renaming, own: Collection[Name]) -> Wish:
    def texts(old: Iterable[str]) -> tuple[str, ...]:
        return tuple(renaming.text(text, own) for text in old)

    def demand(old: Demand) -> Demand:
        words = {"say": renaming.text(old.say, own), "any_of": texts(old.any_of), "none_of": texts(old.none_of)}
        return old.model_copy(update=words)

    wants = (
        want.model_copy(
            update={
                "name": renaming.text(want.name, own),
                "kinds": texts(want.kinds),
                **{name: tuple(map(demand, getattr(want, name))) for name in ("must", "must_not")},
                "brands_wanted": tuple(map(renaming.name, want.brands_wanted)),
                "brands_unwanted": tuple(map(renaming.name, want.brands_unwanted)),
            }
        )
        for want in wish.wants
    )
    owned = tuple(renaming.ids.get(product_id, product_id) for product_id in wish.owned)
    return wish.model_copy(update={"wants": tuple(wants), "owned": owned})
