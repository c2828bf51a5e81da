"""What a question calls a product: by its category where its title bears that out, else by its shortened title.

No noun is made of a title's words. A category's name, or the name of a ``Best Sellers Rank``, is taken where its noun
stands in the title: "Lawn Mower Blades" for what the shop keeps under "Blades".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from drretail.grounding.constraints.listing import folded
from drretail.grounding.text.grammar import is_plural
from drretail.grounding.text.words import stem
from drretail.records.shop import Product

RANKS = "Best Sellers Rank"
_ANDS = re.compile(r"\s*(?:[,&/]|\band\b)\s*")
_GENDERS = {"Women": "women's", "Men": "men's", "Girls": "girls'", "Boys": "boys'"}
# What comes behind these is what a thing has, or what it is for.
_TITLE_ENDS = re.compile(
    r"[,|;:(\[–—•\"“”]|\s[-+/]\s|\s-|-\s|\s(?:with|for|in|by|w/|compatible|designed|fits|made)\s", re.IGNORECASE
)
_SOLD_BY = re.compile(r"^amazon brand\s*[-–]\s*", re.IGNORECASE)
_INCHES = re.compile(r"(\d)\s*(?:\"|”|'')")
_LEAST_QUOTED, _MOST_QUOTED = 2, 8
_LONGEST_NAME = 4
_ONLY_LETTERS = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
_WORD = re.compile(r"[^\W_]+")
# A title that ends so does not say what the thing is.
_VAGUE = frozenset(["assortment", "gift", "gifts", "pack", "variety"])


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of product under the shop's own name."""

    name: str
    """In small letters, as it stands in a sentence: "electric kettles", "women's T-shirts", "granola"."""
    gender: str | None = None
    """ "Women", "Men", "Girls" or "Boys" where the category says so."""


def kind_of(product: Product) -> Kind | None:
    """The kind of a product; None where no name of the shop's has its noun in the title."""
    title, quote = set(_stems(product.title)), _stems(quoted_title(product) or "")
    gender = next((name for name in product.categories if name in _GENDERS), None)
    for name in _names(product):
        parts = [part for part in _ANDS.split(name) if part]
        if len(parts) > 1 and set(_stems(name)) - {"and"} <= title:
            parts = [" and ".join(parts)]  # "Keyboard & Mouse Combos" is one thing
        for part in parts:
            words = _stems(part)
            # Of "Muffin & Cupcake Pans" only what the title says word for word is sure.
            borne_out = bool(words) and words[-1] in title and (len(parts) == 1 or set(words) <= title)
            # "Anchors" alone says little, unless it is what the quoted title ends in.
            is_clear = gender is not None or len(words) > 1 or quote[-1:] == words[-1:]
            # "Frames" are things, "granola" is one where the title ends in it; "Walking" and "Herbal" are none.
            is_thing = is_plural(part.split()[-1]) or (len(parts) == 1 and quote[-1:] == words[-1:])
            if borne_out and is_clear and is_thing and _ONLY_LETTERS.fullmatch(part) and len(words) <= _LONGEST_NAME:
                name = " ".join((*_modifier(product, quote, words), _WORD.sub(_lowered, part)))
                return Kind(f"{_GENDERS[gender]} {name}" if gender else name, gender)
    return None


def _modifier(product: Product, quote: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    """What the quoted title has before a single word, where the category path has it, too: "hair" before "clips"."""
    path = {word for name in product.categories[:-1] for word in folded(name).split()}
    before = [word for word, noun in pairwise(quote) if noun == words[-1] and word in path]
    return before[-1:] if len(words) == 1 else ()


def quoted_title(product: Product) -> str | None:
    """The title up to what it is for or comes with, as one would quote it; None where nothing short is left.

    Of a product with a category it goes on until a word of the category stands in it: "Anker Soundcore Mini" alone
    does not say what it is.
    """
    title = _INCHES.sub(r"\1-inch", _SOLD_BY.sub("", product.title)).replace("®", "").replace("™", "")
    nouns = {word for name in (*product.categories[1:], *_names(product)) for word in _stems(name)}
    for end in (*(match.start() for match in _TITLE_ENDS.finditer(title)), len(title)):
        words = title[:end].split()
        if not _LEAST_QUOTED <= len(words) <= _MOST_QUOTED or set("([") & set(title[:end]):
            return None
        if not nouns or nouns & set(_stems(" ".join(words))):
            return None if words[-1].casefold() in _VAGUE else " ".join(words)
    return None


def _names(product: Product) -> Iterator[str]:
    """The names of ranks, the narrowest first, then the leaf category; never the department's."""
    ranks = product.details.get(RANKS)
    if isinstance(ranks, Mapping):
        yield from list(cast(Mapping[str, Any], ranks))[:0:-1]
    if len(product.categories) > 1:
        yield product.categories[-1]


def _lowered(word: re.Match[str]) -> str:
    """A word in small letters, but for those with capitals of their own: USB, iPhone, T-shirt."""
    rest = word[0][1:]
    return word[0] if rest != rest.lower() or word[0] == "T" else word[0].lower()


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in folded(text).split())
