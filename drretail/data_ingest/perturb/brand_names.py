"""The names that a shop's products bear, and which of their words are ordinary ones."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from random import Random

from drretail.records.shop import Product

Name = tuple[str, ...]
"""A name's words, case-folded: however it is spelled and joined."""
MAKERS = ("Brand", "Brand Name", "Manufacturer")
"""Details whose value is a name as a whole."""
WORD = re.compile(r"[^\W_]+")
ORDINARY = 0.25
"""From this share of its occurrences in lower case, in features and descriptions, a word is no name of its own."""
_ONSETS = (*"bdfgjklmnprstvwz", "br", "dr", "gl", "kr", "pl", "qu", "sk", "tr")
_VOWELS = tuple("aeiou")
_ENDS = ("", "", "n", "r", "x", "l", "th", "sk")


def name_of(text: str) -> Name:
    return tuple(WORD.findall(text.casefold()))


def names_on(product: Product) -> Iterator[str]:
    """The names of its store and makers, as they are spelled there."""
    for spelling in (product.store, *(product.details.get(key) for key in MAKERS)):
        if isinstance(spelling, str) and name_of(spelling):
            yield spelling


class NamesOfShop:
    """What is gathered of a shop's products in one pass."""

    def __init__(self) -> None:
        self.spellings: dict[Name, set[Name]] = defaultdict(set)
        """By name, the words of each spelling, with their case."""
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
        """Of the words of names those that the shop's texts use as words of the language; digits are none of a name."""
        words = {word for name in self.spellings for word in name}
        return frozenset(
            each
            for each in words
            if each.isdigit() or (self._all[each] and self._lower[each] / self._all[each] >= ORDINARY)
        )

    def renamed(self, seed: str) -> dict[Name, str]:
        """Another name for each: made up, none like another, and none that is a word of the shop."""
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
    """Such as "Kriovanth": three syllables."""
    return "".join(random.choice(_ONSETS) + random.choice(_VOWELS) for _ in range(3)).capitalize() + random.choice(
        _ENDS
    )
