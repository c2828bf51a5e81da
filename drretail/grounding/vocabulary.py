"""The words of a shop's fields: the values that its records have often enough, and that its titles say, too.

Of two such values one excludes the other: what is "Black" is not white. "Multicolor", "As shown" and names that one
product has exclude nothing: hardly any title says them, or hardly any record has them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Protocol

from drretail.grounding.text.words import RUN
from drretail.records.shop import Product

_LIST = re.compile(r"[;,/|](?!\d)|\s(?:&|and)\s", re.IGNORECASE)
_SHARE = re.compile(r"(?<![\d.])\d++(?:\.\d++)?\s?%\s?(?:of\s)?")
SAMPLE = 5_000
"""The most records that are read for a shop's vocabulary."""
# On 2,017 colors of real rows these leave the sixteen basic ones. "Multicolor" stands in 21 percent of its titles.
_LEAST_RECORDS, _LEAST_IN_LEAF, _LEAST_SHARE, _LEAST_SAID = 2, 5, 0.01, 1 / 3


class Vocabulary:
    """The vocabulary of each field of some records, read when it is first asked for; without records nothing is one."""

    def __init__(self, read: Callable[[], Iterable[Product]] = tuple) -> None:
        self._read = read

    def has(self, leaf: str, field: str, value: str) -> bool:
        """True if a value, as ``value_words`` has it, is a word of the field, in the whole shop or in a category."""
        return any(value in self._values.get((part, value_words(field)), ()) for part in ("", leaf))

    @cached_property
    def _values(self) -> Mapping[tuple[str, str], frozenset[str]]:
        counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        said: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        records = Counter[str]()
        for product in self._read():
            title = value_words(product.title)
            for name, text in ((value_words(name), text) for name, text in product.details.items()):
                records[name] += 1
                values = (
                    {value_words(value) for value in (text, *values_in(text))} if isinstance(text, str) else set[str]()
                )
                for part in ("", product.leaf_category):
                    counts[part, name].update(values)
                    said[part, name].update(value for value in values if value in title)
        return {
            (part, name): frozenset(
                value
                for value, times in of_field.items()
                if times >= (_LEAST_IN_LEAF if part else max(_LEAST_RECORDS, _LEAST_SHARE * records[name]))
                and said[part, name][value] > _LEAST_SAID * times
            )
            for (part, name), of_field in counts.items()
        }


def values_in(text: str) -> list[str]:
    """The single values of a field: two of "Red/White", and of "80% Cotton, 20% Silk" without their shares."""
    return [value for value in _LIST.split(_SHARE.sub("", text)) if RUN.search(value)]


NO_WORDS = Vocabulary()
"""No value is known to exclude another."""


# Cached: thousands of offers of a kind have a few values in a field.
@lru_cache(maxsize=16_384)
def value_words(text: str) -> str:
    """The words of a value between spaces, in one of their two spellings."""
    return f" {' '.join(RUN.findall(text.casefold()))} ".replace(" grey ", " gray ").replace("colour", "color")


class Records(Protocol):
    """The records of a shop, such as those of its store."""

    def products(self, product_ids: Sequence[str]) -> Mapping[str, Product]:
        """The products of these ids, without those that the shop lacks."""
        ...

    @property
    def vocabulary(self) -> Vocabulary: ...
