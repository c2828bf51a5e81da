"""What the shop itself calls a product: the kind that its record names, and its title as one would quote it.

No noun is made from a title's words. The name of a category, or of a ``Best Sellers Rank``, is used if its noun is in
the title, without the words that the title lacks: "gel pens" for what the shop keeps under "Gel Ink Pens".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, cast

from drretail.grounding.listing import PACKING, folded, unpacked
from drretail.grounding.text.wording import is_plural
from drretail.grounding.text.words import stem
from drretail.records.shop import Product

RANKS = "Best Sellers Rank"
_ANDS = re.compile(r"(?:(?<!\s)\s++)?(?:[,&/]|\band\b)\s*+")
GENDERS = {"Women": "women's", "Men": "men's", "Girls": "girls'", "Boys": "boys'"}
OF_WHOM = frozenset(map(stem, ("women", "men", "girls", "boys")))
# What follows these is a part of the thing, or its purpose.
_TITLE_ENDS = re.compile(
    r"[,|;(\[–—•\"“”]|\s[-+/]\s|\s-|-\s|\s(?:with|for|in|by|w/|compatible|designed|fits|made)\s", re.IGNORECASE
)
_SOLD_BY = re.compile(r"^amazon brand\s*[-–]\s*", re.IGNORECASE)
_INCHES = re.compile(r"(\d)\s*(?:\"|”|'')")
# No quote ends in these: "Lashes 2 in 1" is not cut before "in", nor "Soap and" before a dash.
_GOES_ON = re.compile(r"[\W\d_]+|an?|and|as|at|by|for|from|in|of|on|or|the|to|with|without", re.IGNORECASE)
_LEAST_QUOTED, _MOST_QUOTED = 2, 10
_ONLY_LETTERS = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_UNIT = 2
# A quote that ends in one of these does not say what the thing is.
_VAGUE = frozenset(["assortment", "gift", "gifts", "pack", "variety"])


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of product in the shop's words ("women's T-shirts"), for a question to say."""

    name: str
    """In the title's words: "T-shirts"."""
    category: str
    gender: str = ""
    """ "Women", "Men", "Girls" or "Boys" where the category says so."""

    @property
    def names(self) -> tuple[str, ...]:
        """The category, and the name that says for whom it is: "women's T-shirts"."""
        return tuple(dict.fromkeys((self.category, _whose(self.gender, self.name))))


def kind_of(product: Product) -> Kind | None:
    """The kind of a product; None if no name of the shop's has the noun of its title."""
    title, quote = set(_stems_of(product.title.split())), (quoted_title(product) or "").split()
    head = _head(quote)
    gender = next((name for name in product.categories if name in GENDERS), "")
    for name in _names(product):
        needed, parts = _parts(name)
        if not needed <= title:
            continue
        for part, last in parts:
            if last != head:
                continue
            *before, noun = part.split()
            spoken = [*(word for word in before if word == "and" or title.issuperset(stems(word))), noun]
            name, category = lowered(" ".join(spoken)), lowered(part)
            return Kind(name, _whose(gender, category), gender)
    return None


def _head(quote: Sequence[str]) -> str:
    """The stem of a quoted title's noun, its last word besides sizes, models, and how and for whom things are sold.

    A pillow's cover is no pillow, and a sauce mix no sauce.
    """
    words = [word for text in quote if _ONLY_LETTERS.fullmatch(text) for word in stems(text)]
    names = (word for word in reversed(words) if len(word) > _LONGEST_UNIT and word not in OF_WHOM | PACKING)
    return next(names, "")


def quoted_title(product: Product) -> str | None:
    """The title up to what it is for or comes with, as one would quote it; None if nothing short is left.

    It holds a word of the product's category, if there is one: "Anker Soundcore Mini" does not say what it is.
    """
    title = _INCHES.sub(r"\1-inch", _SOLD_BY.sub("", product.title).split("|")[0]).replace("®", "").replace("™", "")
    nouns = set(_stems_of((*product.categories[1:], *_names(product))))
    maker = "".join(stems(f"{product.brand or ''} {product.store or ''}"))  # "GoodCook" writes "Good Cook"
    for end in chain((match.start() for match in _TITLE_ENDS.finditer(title)), (len(title),)):
        words = title[:end].split()
        is_short = _LEAST_QUOTED <= len(words) <= _MOST_QUOTED and not set("([") & set(title[:end])
        if not is_short or words[-1].casefold() in _VAGUE:
            return None
        own_words = {word for word in _stems_of(words) if len(word) > 1 and word.isalpha() and word not in maker}
        # If no maker is known, one of the words may be its name.
        is_clear = bool(nouns & own_words) if nouns else len(own_words) >= _LEAST_QUOTED + (not maker)
        if is_clear and not _GOES_ON.fullmatch(words[-1]):
            return " ".join(words)
    return None


def _names(product: Product) -> Iterator[str]:
    """The names of ranks, narrowest first, then the leaf category; never the department's."""
    ranks = product.details.get(RANKS)
    if isinstance(ranks, Mapping):
        yield from list(cast(Mapping[str, Any], ranks))[:0:-1]
    if len(product.categories) > 1:
        yield product.categories[-1]


# Cached: thousands of products share their categories and ranks.
@lru_cache(maxsize=16_384)
def _parts(name: str) -> tuple[frozenset[str], list[tuple[str, str]]]:
    """The things that a name names, each with its noun's stem, and the stems that a title must have for them."""
    parts, needed = [part for part in _ANDS.split(name) if part.split()], frozenset[str]()
    # "Keyboard & Mouse Combos" is one thing, "Dish Cloths & Dish Towels" are two.
    if not all(is_plural(part.split()[-1]) for part in parts):
        parts, needed = [" and ".join(parts)], frozenset(stems(name)) - {"and"}
    words = filter(_ONLY_LETTERS.fullmatch, parts)
    return needed, [(part, unpacked(stems(part))[-1]) for part in words]


def _whose(gender: str, name: str) -> str:
    return name if not gender or name.startswith(GENDERS[gender]) else f"{GENDERS[gender]} {name}"


# Cached: the offers of a kind have a few values in each field.
@lru_cache(maxsize=16_384)
def lowered(text: str) -> str:
    """The text in lower case, except for words with capitals of their own: USB-C, iPhone, T-shirt."""
    return _WORD.sub(lambda word: word[0] if not word[0][1:].islower() else word[0].lower(), text)


def _stems_of(texts: Iterable[str]) -> list[str]:
    # Text by text: most have been stemmed before, unlike a whole title.
    return list(chain.from_iterable(map(stems, texts)))


# Cached: thousands of products share their categories, ranks and makers, and their titles' words.
@lru_cache(maxsize=65_536)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's words, in order."""
    return tuple(map(stem, folded(text).split()))
