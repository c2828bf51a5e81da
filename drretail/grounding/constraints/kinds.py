"""Whether a product is of a kind that a wish names: by its leaf category, or by the noun that its title is about.

A kind is a leaf category ("French Presses") or a short noun phrase ("french press"); words are compared by their
stems. All words of a kind must stand in the title or the category path, and its last word, the noun, must be what the
leaf category or a part of the title ends in: "French Press Replacement Filter" holds all words of a French press, and
is a filter. docs/statistics.md has how often a reader agrees on pairs near the border.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from drretail.grounding.constraints.demands import MATERIALS
from drretail.grounding.text.words import stem
from drretail.records.shop import Product

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# What ends one naming of the thing and begins another, or its number, size and color.
_BORDER = re.compile(r"[,|;:/•–—~+]|\s-+\s|\s-|-\s|\s(?:and|&)\s")
# Behind these words stands what the thing is for, what it comes with, or what it is made of.
_BESIDE = re.compile(
    r"\s(?:for|with|without|w/|from|by|of|in|on|to|as|that|which|compatible|compat|fits|replaces|includes?|including"
    r"|designed|made|featuring|perfect|ideal|great|suitable)(?:\s|$)",
    re.IGNORECASE,
)
# They say how things are sold, and are no part of what they are: a bed sheet set is a bed sheet.
_PACKING = frozenset(map(stem, ("assortment", "bundle", "combo", "kit", "lot", "pack", "pair", "piece", "set")))
COLORS_AND_SIZES = frozenset(
    """
    adult assorted baby beige black blue boy brown clear cream full girl gold golden gray green grey inch indoor
    ivory kid king large medium men mini multi multicolor natural navy new orange outdoor oz pink plus pro purple
    queen red silver small tan teal toddler twin unisex us white women xl yellow
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
)
"""Words that may stand behind the name of a thing: colors, sizes, whom it is for. None of them is what it is."""
# Units and plurals, which stand there in titles.
_IN_TITLES = frozenset(
    """
    boys bulk case color colors count ct dark dozen extra fl foot ft gal gallon girls gram inches kids lady lb lbs
    light mens ml multipack ounce ounces pc pcs pound pounds size sizes standard style value womens x xxl
    """.split()  # noqa: SIM905
)
_BEHIND = _PACKING | frozenset(map(stem, COLORS_AND_SIZES | _IN_TITLES | MATERIALS))
_SEGMENTS = 5
"""Parts of a title that may name the thing; what comes behind them praises it."""
_FIRST = 2
_SHORT = 2
"""Words of a part that only goes on with a list: "decal for phone, laptop, water bottle"."""


def is_of_kind(product: Product, kind: str) -> bool:
    """True when a product is of this kind."""
    wanted = _unpacked(_stems(kind))
    if not wanted or not _words(product).issuperset(wanted):
        return False
    below = product.categories[1:]
    if any(_unpacked(_stems(name)) == wanted for name in below):
        return True
    leaves = _leaf_names(below[-1]) if below else ()
    in_title = frozenset(_stems(product.title))
    # Of "Bibs & Burp Cloths" only what the title speaks of is sure.
    sure = [leaf for leaf in leaves if len(leaves) == 1 or leaf[-1] in in_title]
    if any(leaf == wanted or leaf[-1] == wanted[-1] for leaf in sure):
        return True
    # A single word is sure only in the first part; of several, one more stands in a part behind the first two.
    sure_parts = 1 if len(wanted) == 1 else _FIRST
    return any(
        wanted[-1] in (words[-1], last) and (place < sure_parts or not set(words).isdisjoint(wanted[:-1]))
        for place, (words, last) in enumerate(_parts(product.title, product.store or product.brand or ""))
    )


def could_be_of_kind(product: Product, kind: str) -> bool:
    """True when a product may be of a kind for all that its record says: it holds every word of it, or all as one."""
    wanted, words = _unpacked(_stems(kind)), _words(product)
    return bool(wanted) and (words.issuperset(wanted) or not words.isdisjoint(_stems(joined(kind))))


def shares_the_noun(product: Product, kinds: Sequence[str]) -> bool:
    """True when the title has the noun of one of the kinds: whether it is of the kind may be a matter of taste."""
    title = frozenset(_stems(product.title))
    return any(wanted[-1] in title for kind in kinds if (wanted := _unpacked(_stems(kind))))


def holds_words(text: str, kind: str) -> bool:
    """True when a text has every word of a kind, such as a search for it."""
    wanted = _unpacked(_stems(kind))
    return bool(wanted) and frozenset(_stems(text)).issuperset(wanted)


def joined(kind: str) -> str:
    """The words of a kind as one, as some write it: "head lamp" as "headlamp"; "" for a single word."""
    words = search_words(kind).split()
    return "".join(words) if len(words) > 1 else ""


def search_words(kind: str) -> str:
    """The words that whatever is of a kind holds, for a search: without those of packing at its end."""
    return " ".join(_WORD.findall(kind)[: len(_unpacked(_stems(kind)))])


def _words(product: Product) -> frozenset[str]:
    """All words of title and category path."""
    return _words_of(product.title, " ".join((*product.categories, product.category.replace("_", " "))))


@lru_cache(maxsize=262_144)
def _words_of(title: str, path: str) -> frozenset[str]:
    return frozenset((*_stems(title), *_stems(path)))


@lru_cache(maxsize=16_384)
def _leaf_names(leaf: str) -> tuple[tuple[str, ...], ...]:
    """The names in a leaf category: of "Bibs & Burp Cloths" two."""
    return tuple(_unpacked(found) for part in _BORDER.split(leaf) if (found := _stems(part)))


@lru_cache(maxsize=65_536)
def _parts(title: str, maker: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The parts of a title up to their noun, in order, each with its last word: of "Wine Glass" that is the noun,
    though glass may be a material behind one. The maker's name before them is no part of the thing's."""
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
    """The words without what says how the thing is sold, unless nothing else is left."""
    end = len(words)
    while end > 1 and words[end - 1] in _PACKING:
        end -= 1
    return words[:end]


@lru_cache(maxsize=262_144)
def _stems(text: str) -> tuple[str, ...]:
    folded = text.casefold().replace("’", "'").replace("'s ", " ")
    return tuple(stem(word) for word in _WORD.findall(folded))
