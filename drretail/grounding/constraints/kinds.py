"""Whether a product is of a kind that a wish names: by its leaf category, or by the noun that its title is about.

A kind is a leaf category ("French Presses") or a short noun phrase ("french press"); words are compared by their stems.
All words of a kind must be in the title or the category path, and the leaf category, or a part of the title, must end
in its last word, the noun: "French Press Replacement Filter" has all words of a French press, and is a filter.
docs/scores.md says how often a reader agrees on pairs near the border.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from drretail.grounding.constraints.demands import MATERIALS
from drretail.grounding.text.words import RUN, stem
from drretail.records.shop import Product

_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# Separates two names of the thing, or its name from its number, size and color.
_BORDER = re.compile(r"[,|;:/•–—~+]|\s-+\s|\s-|-\s|\s(?:and|&)\s")
# After these words: what the thing is for, what it comes with, or what it is made of.
_BESIDE = re.compile(
    r"\s(?:for|with|without|w/|from|by|of|in|on|to|as|that|which|compatible|compat|fits|replaces|includes?|including"
    r"|designed|made|featuring|perfect|ideal|great|suitable)(?:\s|$)",
    re.IGNORECASE,
)
# How things are sold, not what they are: a bed sheet set is a bed sheet.
_PACKING = frozenset(map(stem, ("assortment", "bundle", "combo", "kit", "lot", "pack", "pair", "piece", "set")))
COLORS_AND_SIZES = frozenset(
    """
    adult assorted baby beige black blue boy brown clear cream full girl gold golden gray green grey inch indoor
    ivory kid king large medium men mini multi multicolor natural navy new orange outdoor oz pink plus pro purple
    queen red silver small tan teal toddler twin unisex us white women xl yellow
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
)
"""Words that may follow the name of a thing without being what it is: colors, sizes, whom it is for."""
# Units and plurals, which follow the name in titles.
_IN_TITLES = frozenset(
    """
    boys bulk case color colors count ct dark dozen extra fl foot ft gal gallon girls gram inches kids lady lb lbs
    light mens ml multipack ounce ounces pc pcs pound pounds size sizes standard style value womens x xxl
    """.split()  # noqa: SIM905
)
_BEHIND = _PACKING | frozenset(map(stem, COLORS_AND_SIZES | _IN_TITLES | MATERIALS))
_SEGMENTS = 5
"""Parts of a title that may name the thing; later parts praise it."""
_FIRST = 2
_SHORT = 2
"""The longest part, in words, that may continue a list: "decal for phone, laptop, water bottle"."""


def is_of_kind(product: Product, kind: str) -> bool:
    """True if a product is of this kind."""
    return _is_in_category(product, kind) or is_in_title(product, kind)


def is_named_by_both(product: Product, kinds: Sequence[str]) -> bool:
    """True if nobody needs to look whether a product is of one of the kinds.

    Its leaf category has the whole name of one, and its title says so. A part of the name is not enough: pet brushes
    and makeup "Brush Sets" are both brushes.
    """
    is_leaf = any(_stems(product.leaf_category) == _stems(kind) for kind in kinds)
    return is_leaf and any(is_in_title(product, kind) for kind in kinds)


def _is_in_category(product: Product, kind: str) -> bool:
    """True if the product's categories say that it is of this kind."""
    wanted = _unpacked(_stems(kind))
    if not wanted or not _words(product).issuperset(wanted):
        return False
    below = product.categories[1:]
    if any(_unpacked(_stems(name)) == wanted for name in below):
        return True
    leaves = _leaf_names(below[-1]) if below else ()
    in_title = frozenset(_stems(product.title))
    # Of "Bibs & Burp Cloths", only the name that the title has is certain.
    sure = [leaf for leaf in leaves if len(leaves) == 1 or leaf[-1] in in_title]
    return any(leaf == wanted or leaf[-1] == wanted[-1] for leaf in sure)


def is_in_title(product: Product, kind: str) -> bool:
    """True if the product's title says that it is of this kind."""
    wanted = _unpacked(_stems(kind))
    if not wanted or not _words(product).issuperset(wanted):
        return False
    # A single word counts in the first part only; of several, a later part must contain one more.
    sure_parts = 1 if len(wanted) == 1 else _FIRST
    return any(
        wanted[-1] in (words[-1], last) and (place < sure_parts or not set(words).isdisjoint(wanted[:-1]))
        for place, (words, last) in enumerate(_parts(product.title, product.store or product.brand or ""))
    )


def could_be_of_kind(product: Product, kind: str) -> bool:
    """True if a product may be of a kind by its record: it has every word of it, or all written as one."""
    wanted, words = _unpacked(_stems(kind)), _words(product)
    return bool(wanted) and (words.issuperset(wanted) or not words.isdisjoint(_stems(joined(kind))))


def shares_the_noun(product: Product, kinds: Sequence[str]) -> bool:
    """True if the title has the noun of one of the kinds: whether it is of the kind may be debatable."""
    title = frozenset(_stems(product.title))
    return any(wanted[-1] in title for kind in kinds if (wanted := _unpacked(_stems(kind))))


def holds_words(text: str, kind: str) -> bool:
    """True if a text, such as a search, has every word of a kind."""
    wanted = _unpacked(_stems(kind))
    return bool(wanted) and frozenset(_stems(text)).issuperset(wanted)


def joined(kind: str) -> str:
    """The words of a kind as one: "headlamp" for "head lamp"; "" for a single word."""
    words = search_words(kind).split()
    return "".join(words) if len(words) > 1 else ""


def search_words(kind: str) -> str:
    """The words that every product of a kind has, for a search: without packing words at its end."""
    return " ".join(RUN.findall(kind)[: len(_unpacked(_stems(kind)))])


def _words(product: Product) -> frozenset[str]:
    """All words of title and category path."""
    return _words_of(product.title, " ".join((*product.categories, product.category.replace("_", " "))))


# Each entry is two kilobytes: no more than the offers of a few kinds, which are asked for more than once in a row.
@lru_cache(maxsize=16_384)
def _words_of(title: str, path: str) -> frozenset[str]:
    return frozenset((*_stems(title), *_stems(path)))


@lru_cache(maxsize=16_384)
def _leaf_names(leaf: str) -> tuple[tuple[str, ...], ...]:
    """The names in a leaf category: "Bibs & Burp Cloths" has two."""
    return tuple(_unpacked(names) for part in _BORDER.split(leaf) if (names := _stems(part)))


@lru_cache(maxsize=65_536)
def _parts(title: str, maker: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The parts of a title up to their noun, in order, each with its last word. In "Wine Glass" that is the noun,
    though glass may be a material after one. The maker's name at the beginning is left out.
    """
    is_named = maker and title.casefold().startswith(maker.casefold())
    naming_parts = _IN_BRACKETS.sub(" , ", title[len(maker) :] if is_named else title)
    segments = [part for part in _BORDER.split(naming_parts) if part.strip()]
    parts: list[tuple[tuple[str, ...], str]] = []
    is_list = False
    for segment in segments[:_SEGMENTS]:
        naming, *beside = _BESIDE.split(f" {segment} ", maxsplit=1)
        words = list(_stems(naming))
        is_list = bool(beside) or (is_list and len(words) <= _SHORT)
        last = words[-1] if words else ""
        while len(words) > 1 and (words[-1] in _BEHIND or words[-1][0].isdigit()):
            words.pop()
        if words and (beside or not is_list):
            parts.append((tuple(words), last))
    return tuple(parts)


def _unpacked(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without packing words at the end, unless nothing else is left."""
    end = len(words)
    while end > 1 and words[end - 1] in _PACKING:
        end -= 1
    return words[:end]


@lru_cache(maxsize=262_144)
def _stems(text: str) -> tuple[str, ...]:
    folded = text.casefold().replace("’", "'").replace("'s ", " ")
    return tuple(stem(word) for word in RUN.findall(folded))
