"""What the shop itself calls a product: the kind that its leaf category names, and its title as one would quote it.

No noun is made from a title's words. The name of a category is used if its noun is in the title, without the words that
the title lacks: "gel pens" for what the shop keeps under "Gel Ink Pens".
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from drretail.grounding.listing import folded
from drretail.grounding.text.words import PAIRS, singular, stem
from drretail.grounding.vocabulary import heads_of, without_packing
from drretail.records.shop import Product

_ANDS = re.compile(r"(?:(?<!\s)\s++)?(?:[,&/]|\band\b)\s*+")
_WHOSE = {"Women": "women's", "Men": "men's", "Girls": "girls'", "Boys": "boys'"}
OF_WHOM = frozenset(map(stem, map(str.lower, _WHOSE)))
# What follows these is a part of the thing, or its purpose.
_TITLE_ENDS = re.compile(
    r"[,|;(\[–—•\"“”]|\s[-+/]\s|\s-|-\s|\s(?:with|for|in|by|w/|compatible|designed|fits|made)\s", re.IGNORECASE
)
_INCHES = re.compile(r"(\d)\s*(?:\"|”|'')")
# No quote ends in these: "Lashes 2 in 1" is not cut before "in", nor "Soap and" before a dash.
_GOES_ON = re.compile(r"[\W\d_]+|an?|and|as|at|by|for|from|in|of|on|or|the|to|with|without", re.IGNORECASE)
_LEAST_QUOTED, _MOST_QUOTED = 2, 10
_ONLY_LETTERS = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
_WORD = re.compile(r"[^\W_]+")
# Words that begin with a vowel letter but a consonant sound, and vice versa.
_CONSONANT_SOUND = re.compile(r"(?i:u[bns][eiu]|one|eu)|U[A-Z]")
_SPELLED_VOWEL = re.compile(r"(?:[AEFHILMNORSX](?:[A-Z]|\d)|hour|heir|honest)")


def kinds_of(product: Product) -> tuple[str, ...]:
    """The names of a product's kind: its category, and that in the words of its title ("gel pens") with whom it is for.

    Empty if the category does not name the noun of the title.
    """
    title, heads = {*_stems_of(product.title.split())}, heads_of(quoted_title(product) or "")
    whose = next((_WHOSE[name] for name in product.categories if name in _WHOSE), "")
    for part in _things(product.categories[-1]) if len(product.categories) > 1 else ():
        if without_packing(stems(part))[-1] in heads:
            *before, noun = part.split()
            spoken = [*(word for word in before if word == "and" or title.issuperset(stems(word))), noun]
            names = (lowered(name) for name in (part, " ".join(spoken)))
            return tuple(dict.fromkeys(name if name.startswith(whose) else f"{whose} {name}" for name in names))
    return ()


def quoted_title(product: Product) -> str | None:
    """The title up to what it is for or comes with, as one would quote it; None if nothing short is left.

    It holds a word of the product's category, if there is one: "Anker Soundcore Mini" does not say what it is.
    """
    title = _INCHES.sub(r"\1-inch", product.title.split("|")[0])
    nouns = set(_stems_of(product.categories[1:]))
    maker = "".join(stems(f"{product.brand or ''} {product.store or ''}"))  # "GoodCook" writes "Good Cook"
    for end in chain((match.start() for match in _TITLE_ENDS.finditer(title)), (len(title),)):
        words = title[:end].split()
        if not _LEAST_QUOTED <= len(words) <= _MOST_QUOTED or set("([") & set(title[:end]):
            return None
        own_words = {word for word in _stems_of(words) if len(word) > 1 and word.isalpha() and word not in maker}
        # If no maker is known, one of the words may be its name.
        is_clear = bool(nouns & own_words) if nouns else len(own_words) >= _LEAST_QUOTED + (not maker)
        if is_clear and not _GOES_ON.fullmatch(words[-1]):
            return " ".join(words)
    return None


# Cached: thousands of products share their categories.
@lru_cache(maxsize=16_384)
def _things(category: str) -> list[str]:
    """The things that a category names: two in "Dish Cloths & Dish Towels", none in "Muffin & Cupcake Pans"."""
    parts = [part for part in _ANDS.split(category) if _ONLY_LETTERS.fullmatch(part)]
    return parts if len(parts) == 1 or all(is_plural(part.split()[-1]) for part in parts) else []


def article(text: str) -> str:
    """ "a" or "an", by sound."""
    if _SPELLED_VOWEL.match(text):
        return "an"
    return "an" if text[:1].casefold() in "aeiou" and not _CONSONANT_SOUND.match(text) else "a"


def is_plural(word: str) -> bool:
    folded = word.casefold()
    return folded in PAIRS or singular(folded) != folded


# Cached: the offers of a kind have a few values in each field.
@lru_cache(maxsize=16_384)
def lowered(text: str) -> str:
    """The text in lower case, except for words with capitals of their own: USB-C, iPhone, T-shirt."""
    return _WORD.sub(lambda word: word[0] if not word[0][1:].islower() else word[0].lower(), text)


def _stems_of(texts: Iterable[str]) -> list[str]:
    # Text by text: most have been stemmed before, unlike a whole title.
    return list(chain.from_iterable(map(stems, texts)))


# Cached: thousands of products share their categories and makers, and their titles' words.
@lru_cache(maxsize=65_536)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's words, in order."""
    return tuple(map(stem, folded(text).split()))
