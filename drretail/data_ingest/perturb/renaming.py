"""Texts with other names and product ids in them."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from drretail.data_ingest.perturb.brand_names import MAKERS, WORD, Name, name_of, names_on
from drretail.records.shop import Product

_JOINED = re.compile(r"[^\w\n,;:]{1,3}|_")
"""What may stand between two words of a name."""
SHORT = 3
"""Letters up to which a name may be anything else, such as a unit."""
LEAST_ID = 8
"""Characters from which a word that is a product's id is one, and no number."""


class Renaming:
    """Which names and ids become which.

    A name with a word that is no ordinary one is found in any text and any case. One of ordinary words alone ("Home",
    "Immune System"), or of up to three letters, is found as it is spelled, and only where the product bears it.
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
        """What a field that holds a name becomes; of one that is known as no name, the names in it."""
        return self._names.get(name_of(written)) or self.text(written)

    def text(self, text: str, own: Collection[Name] = ()) -> str:
        """The text with every name in it renamed; ``own`` are those that what it is about bears."""
        parts: list[str] = []
        end = 0
        for start, stop, new in self.found(text, own):
            parts += (text[end:start], new)
            end = stop
        return "".join([*parts, text[end:]])

    def title(self, title: str, own: Collection[Name]) -> str:
        """The same; with an own name it may begin in any case."""
        words = [*WORD.finditer(title)]
        for name in sorted(own, key=len, reverse=True):
            if tuple(word[0].casefold() for word in words[: len(name)]) == name and _is_joined(
                title, words[: len(name)]
            ):
                end = words[len(name) - 1].end()
                return title[: words[0].start()] + self._names[name] + self.text(title[end:], own)
        return self.text(title, own)

    def details(self, value: Any, own: Collection[Name], key: str = "") -> Any:
        """A product's details; their keys stay."""
        if isinstance(value, str):
            return self.name(value) if key in MAKERS else self.text(value, own)
        if isinstance(value, Mapping):
            return {at: self.details(held, own, str(at)) for at, held in value.items()}
        if isinstance(value, list | tuple):
            return [self.details(held, own) for held in value]
        return value

    def product(self, product: Product) -> Product:
        """The product under its other names and id; its price and ratings as they are."""
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
        """Where each name and id in a text begins and ends, and what stands there instead."""
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
