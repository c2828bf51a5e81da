"""The names on a shop's products, new names for them, and texts with the new names and product ids."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from drretail.records.shop import Product

Name = tuple[str, ...]
"""A name's case-folded words. All spellings with the same words are one name."""
MAKERS = ("Brand", "Brand Name", "Manufacturer")
"""Details whose whole value is a name."""
WORD = re.compile(r"[^\W_]+")
ORDINARY = 0.25
"""A word is ordinary, and not a name by itself, if at least this share of its occurrences in features and descriptions
is in lower case.
"""
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
    return "".join(random.choice(_ONSETS) + random.choice(_VOWELS) for _ in range(3)).capitalize() + random.choice(
        _ENDS
    )


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
        """The text with every name and id in it replaced. ``own`` are the names of the product that
        the text is about.
        """
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
