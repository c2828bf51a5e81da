"""The words of a shop: what titles call the things of a category, and the values of its fields.

A value is a word of its field if records have it often enough, and titles say it, too.

Of two such values one excludes the other: what is "Black" is not white. "Multicolor", "As shown" and names that one
product has exclude nothing: hardly any title says them, or hardly any record has them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Protocol

from drretail.records.shop import Product
from drretail.reports.text.words import RUN, stem

_LIST = re.compile(r"[;,/|](?!\d)|\s(?:&|and)\s", re.IGNORECASE)
_SHARE = re.compile(r"(?<![\d.])\d++(?:\.\d++)?\s?%\s?(?:of\s)?")
SAMPLE = 5_000
"""The most records that are read for a shop's vocabulary."""
# On 2,017 colors of real rows these leave the sixteen basic ones. "Multicolor" stands in 21 percent of its titles.
_LEAST_RECORDS, _LEAST_IN_LEAF, _LEAST_SHARE, _LEAST_SAID = 2, 5, 0.01, 1 / 3
# In 5,647 real rows what fewer titles are called is a part as often as not: a nib, among fountain pens.
_LEAST_CALLED, _LEAST_HEADS = 3, 1 / 3
_HEADS, _BELOW = ">", ">>"


class Vocabulary:
    """The words of some records, read when they are first asked for; without records there are none."""

    def __init__(self, read: Callable[[], Iterable[Product]] = tuple) -> None:
        self._read = read

    def heads(self, path: Sequence[str]) -> frozenset[str]:
        """What at least a third of the titles in a category call the things there: "machine" of sleep soothers."""
        return self._words.get((_HEADS, *path), frozenset())

    def heads_below(self, leaf: str) -> Mapping[str, frozenset[str]]:
        """The same of all categories of a name, by the department that they are in."""
        return self._below.get(stems_of(leaf), {})

    def has(self, leaf: str, field: str, value: str) -> bool:
        """True if a value, as ``value_words`` has it, is a word of the field, in the whole shop or in a category."""
        return any(value in self._words.get((part, value_words(field)), ()) for part in ("", leaf))

    @cached_property
    def _below(self) -> Mapping[tuple[str, ...], Mapping[str, frozenset[str]]]:
        """By the stems of a category's name and by department; once: it is asked of every product without a path."""
        below: dict[tuple[str, ...], dict[str, frozenset[str]]] = defaultdict(dict)
        for key, words in self._words.items():
            if key[0] == _BELOW:
                below[key[2:]][key[1]] = words
        return below

    @cached_property
    def _words(self) -> Mapping[tuple[str, ...], frozenset[str]]:
        """By the path of a category what titles call the things there, and by category and field its values."""
        counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        said: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        records = Counter[tuple[str, ...]]()
        for product in self._read():
            title, path = value_words(product.title), (_HEADS, *(product.categories[1:] or product.categories))
            called = frozenset(word for word in names_of(product) if len(word) > 1 and word.isalpha())
            of_product: list[tuple[tuple[str, ...], frozenset[str]]] = [(path, called)]
            if len(product.categories) > 1:
                of_product.append(((_BELOW, product.category, *stems_of(product.leaf_category)), called))
            for name, text in product.details.items():
                texts = (text, *values_in(text)) if isinstance(text, str) else ()
                values = frozenset(map(value_words, texts))
                of_product += [((part, value_words(name)), values) for part in ("", product.leaf_category)]
            for key, words in of_product:
                records[key] += 1
                counts[key].update(words)
                said[key].update(word for word in words if key[0] in (_HEADS, _BELOW) or word in title)
        return {
            key: frozenset(
                word
                for word, times in of_key.items()
                if times >= _least(key, records[key]) and said[key][word] > _LEAST_SAID * times
            )
            for key, of_key in counts.items()
        }


def _least(key: tuple[str, ...], records: int) -> float:
    """How many of so many records must have a word."""
    if key[0] in (_HEADS, _BELOW):
        return max(_LEAST_CALLED, _LEAST_HEADS * records)
    return _LEAST_IN_LEAF if key[0] else max(_LEAST_RECORDS, _LEAST_SHARE * records)


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


# Separates two names of the thing, or its name from its number, size and color.
BORDER = re.compile(r"[,|;:/•–—~+()\[\]]|\s-+\s|\s-|-\s|\s(?:and|&)\s")
_BESIDE = re.compile(r"\s(?:with|without|w/|from|by|of|in|on|for|fits|replaces|compatible\s+with)\s", re.IGNORECASE)
"""What follows is what it comes with, what it is made of, or what it is for."""
# How things are sold, not what they are: a bed sheet set is a bed sheet. Stems, since to load a stemmer takes long.
PACKING = frozenset(("assort", "bundl", "combo", "kit", "lot", "pack", "pair", "piec", "set"))
_SEGMENTS = 2
"""Parts of a title that name the thing; later parts praise it."""


# Cached, as what follows: each query asks it of all offers of its kinds.
@lru_cache(maxsize=65_536)
def heads_of(title: str) -> frozenset[str]:
    """The stems of the last words of a title's first parts, up to what is for or beside the thing, or its size; the
    last two also as one, since "Bird House" is a birdhouse.
    """
    heads = set[str]()
    for part in [part for part in BORDER.split(title) if part.strip()][:_SEGMENTS]:
        words = stems_of(_BESIDE.split(f" {part} ", maxsplit=1)[0])
        ends = [at for at, word in enumerate(words) if at and any(map(str.isdigit, word))]
        names = [words, *(words[:end] for end in ends)]
        called = [name for whole in names for name in (whole, without_packing(whole)) if name]
        heads.update(word for name in called for word in (name[-1], "".join(name[-2:])))
    return frozenset(heads)


def names_of(product: Product) -> frozenset[str]:
    """The same of a product's title without its maker at the beginning: "Floss & Rock" is no floss."""
    makers = (maker.casefold() for maker in (product.brand, product.store) if maker)
    maker = next((maker for maker in makers if product.title.casefold().startswith(maker)), "")
    return heads_of(product.title[len(maker) :])


def without_packing(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without packing words at the end, unless nothing else is left."""
    end = len(words)
    while end > 1 and words[end - 1] in PACKING:
        end -= 1
    return words[:end]


@lru_cache(maxsize=262_144)
def stems_of(text: str) -> tuple[str, ...]:
    folded = text.casefold().replace("’", "'").replace("'s ", " ")
    return tuple(stem(word) for word in RUN.findall(folded))


class Records(Protocol):
    """The records of a shop, such as those of its store."""

    def products(self, product_ids: Sequence[str]) -> Mapping[str, Product]:
        """The products of these ids, without those that the shop lacks."""
        ...

    @property
    def vocabulary(self) -> Vocabulary: ...
