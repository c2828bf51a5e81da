"""Whether a product is of a kind that a wish names: by its leaf category, or by the noun that its title is about.

A kind is a leaf category ("French Presses") or a short noun phrase ("french press"); words are compared by their
stems. All words of a kind must stand in the title or the category path, and its last word, the noun, must be what the
leaf category or a part of the title ends in: "French Press Replacement Filter" holds all words of a French press, and
is a filter. Measured beside a reader's judgement of pairs near the border: docs/metrics.md.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from drretail.grounding.constraints.materials import MATERIALS
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
# They may stand behind the noun: colors, sizes, people, packing. None of them is what a thing is.
_BEHIND = frozenset(
    stem(word)
    for word in """
    adult assorted assortment baby beige black blue boy boys brown bulk bundle case clear color colors combo count cream
    ct dark dozen extra fl foot full ft gal gallon girl girls gold golden gram gray green grey inch inches indoor ivory
    kid kids king kit lady large lb lbs light lot medium men mens mini ml multi multicolor multipack natural navy new
    orange ounce ounces outdoor oz pack packs pair pairs pc pcs piece pieces pink plus pound pounds pro purple queen red
    set sets silver size sizes small standard style tan teal toddler twin unisex us value white women womens xl xxl
    yellow
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
) | frozenset(map(stem, MATERIALS))
_SEGMENTS = 5
"""Parts of a title that may name the thing; what comes behind them praises it."""
_SHORT = 2
"""Words of a part that only goes on with a list: "decal for phone, laptop, water bottle"."""


@dataclass(frozen=True, slots=True)
class _Named:
    """How a record names its product, in stems."""

    path: frozenset[tuple[str, ...]]
    """The names of its categories, the root's left out."""
    leaves: frozenset[tuple[str, ...]]
    """The names in its leaf category: of "Bibs & Burp Cloths" those of the two that its title speaks of."""
    words: frozenset[str]
    """All words of title and category path."""
    ends: tuple[tuple[str, ...], ...]
    """The parts of its title, up to their noun, in order."""


def is_of_kind(product: Product, kind: str) -> bool:
    """True when a product is of this kind."""
    wanted, named = _stems(kind), _named(product.title, product.categories, product.category)
    if not wanted:
        return False
    if wanted in named.path or wanted in named.leaves:
        return True
    if not named.words.issuperset(wanted):
        return False
    by_leaf = any(leaf[-1] == wanted[-1] for leaf in named.leaves)
    return by_leaf or any(_is_about(part, wanted) for part in named.ends[: 1 if len(wanted) == 1 else None])


def shares_a_word(product: Product, kinds: Sequence[str]) -> bool:
    """True when the record has any word of the kinds: then whether it is of the kind may be a matter of taste."""
    words = _named(product.title, product.categories, product.category).words
    return any(words.intersection(_stems(kind)) for kind in kinds)


def leaf_of(product: Product) -> str:
    """The last category of its path, else that of its file."""
    return product.categories[-1] if product.categories else product.category


def _is_about(part: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """True when a part of a title ends in the noun of the kind, and of several words has one more before it."""
    return part[-1] == wanted[-1] and (len(wanted) == 1 or bool(set(part[:-1]) & set(wanted[:-1])))


@lru_cache(maxsize=100_000)
def _named(title: str, categories: tuple[str, ...], category: str) -> _Named:
    below, in_title = categories[1:], frozenset(_stems(title))
    parts = [found for name in below[-1:] for part in _BORDER.split(name) if (found := _stems(part))]
    return _Named(
        path=frozenset(filter(None, map(_stems, below))),
        leaves=frozenset(it for it in parts if len(parts) == 1 or it[-1] in in_title),
        words=in_title | frozenset(_stems(" ".join((*categories, category.replace("_", " "))))),
        ends=tuple(_ends(title)),
    )


def _ends(title: str) -> Iterator[tuple[str, ...]]:
    segments = [it for it in _BORDER.split(_IN_BRACKETS.sub(" , ", title)) if it.strip()]
    is_list = False
    for segment in segments[:_SEGMENTS]:
        naming, *beside = _BESIDE.split(f" {segment} ", maxsplit=1)
        words = list(_stems(naming))
        is_list = bool(beside) or (is_list and len(words) <= _SHORT)
        while len(words) > 1 and (words[-1] in _BEHIND or words[-1][0].isdigit()):
            words.pop()
        if words and (beside or not is_list):
            yield tuple(words)


@lru_cache(maxsize=65_536)
def _stems(text: str) -> tuple[str, ...]:
    folded = text.casefold().replace("’", "'").replace("'s ", " ")
    return tuple(stem(word) for word in _WORD.findall(folded))
