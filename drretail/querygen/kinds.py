"""What the shop itself calls a product: the kind that its leaf category names.

No noun is made from a title's words. The name of a category is used if its noun is in the title, without the words that
the title lacks: "gel pens" for what the shop keeps under "Gel Ink Pens".
"""

import re
from functools import lru_cache
from itertools import chain

from drretail.records.shop import Product
from drretail.reports.text.words import PAIRS, singular, stem
from drretail.shopping.listing import folded
from drretail.shopping.vocabulary import names_of, without_packing

_ANDS = re.compile(r"(?:(?<!\s)\s++)?(?:[,&/]|\band\b)\s*+")
_WHOSE = {"Women": "women's", "Men": "men's", "Girls": "girls'", "Boys": "boys'"}
OF_WHOM = frozenset(map(stem, map(str.lower, _WHOSE)))
_ONLY_LETTERS = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
_WORD = re.compile(r"[^\W_]+")
# Words that begin with a vowel letter but a consonant sound, and vice versa.
_CONSONANT_SOUND = re.compile(r"(?i:u[bns][eiu]|one|eu)|U[A-Z]")
_SPELLED_VOWEL = re.compile(r"(?:[AEFHILMNORSX](?:[A-Z]|\d)|hour|heir|honest)")


def kinds_of(product: Product) -> tuple[str, ...]:
    """The names of a product's kind: its category, and that in the words of its title ("gel pens") with whom it is for.

    Empty if the category does not name the noun of the title.
    """
    # Word by word: most have been stemmed before, unlike a whole title.
    title, heads = {*chain.from_iterable(map(stems, product.title.split()))}, names_of(product)
    whose = next((_WHOSE[name] for name in product.categories if name in _WHOSE), "")
    for part in _things(product.categories[-1]) if len(product.categories) > 1 else ():
        if without_packing(stems(part))[-1] in heads:
            *before, noun = part.split()
            spoken = [*(word for word in before if word == "and" or title.issuperset(stems(word))), noun]
            names = (lowered(name) for name in (part, " ".join(spoken)))
            return tuple(dict.fromkeys(name if name.startswith(whose) else f"{whose} {name}" for name in names))
    return ()


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


# Cached: thousands of products share their categories and makers, and their titles' words.
@lru_cache(maxsize=65_536)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's words, in order."""
    return tuple(map(stem, folded(text).split()))
