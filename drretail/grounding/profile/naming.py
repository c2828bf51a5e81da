"""Which things of a shop a text names, and which purchases are hidden unless it does.

A text names a thing by its full category, or by a word that few of the shop's products have. Words are compared in the
singular, not by their stems: to "compute" a total does not name a computer.
"""

import re
from collections.abc import Callable, Collection
from functools import lru_cache
from math import log

from drretail.grounding.text.words import content_words, singular
from drretail.records.score import Statement
from drretail.records.shop import Product

ShareOfProducts = Callable[[str], float]
"""The share of a shop's products, from 0 to 1, that have a word."""

# "Coffee Cups & Mugs" names two things. "and" separates none, since it is part of departments' names.
_BORDER = re.compile(r"[,&/]")
# Shorter words are units, such as "ft" and "oz", in titles of all kinds.
_SHORTEST = 3
# On 5,647 rows of 11 Amazon departments, "tablet", "mug", "coffee", "cable" and "bottle" are below, and "order",
# "set", "pack", "need", "gift" and "kitchen" above.
RARE = 0.05
_RAREST = 0.001
"""A word that no product has counts like one that so few have."""


@lru_cache(maxsize=16_384)  # a shop has few categories and many products in each
def nouns_of(text: str) -> frozenset[str]:
    """The content words of a text, in the singular."""
    return frozenset(singular(word) for word in content_words(text) if len(word) >= _SHORTEST)


def is_named(category: str, words: Collection[str]) -> bool:
    """True if all words of one of a category's things are among ``words``, which are in the singular."""
    return any(part and part.issubset(words) for part in map(nouns_of, _BORDER.split(category)))


def bearing(statement: Statement, words: frozenset[str], share_of: ShareOfProducts) -> float:
    """How relevant a statement is to a text of these words: the rarity of each rare word in common, plus that of a word
    at the limit for each category that is named in full.
    """
    shared = {noun for name in (*statement.categories, *statement.names) for noun in nouns_of(name) if noun in words}
    shares = (max(share_of(word), _RAREST) for word in sorted(shared))
    in_full = sum(is_named(category, words) for category in statement.categories)
    return sum(-log(share) for share in shares if share <= RARE) - in_full * log(RARE)


# A category is intimate if its name has all words of an entry. The entries are from Amazon's and Google's paths.
# Below these, categories have names that other things share ("Swings", "Jeans"): a question must name the entry itself.
_NAMED_THEMSELVES = (
    "sex, sexual, erotic, adult toys, exotic apparel, condoms, contraception, vibrators, pregnancy, maternity, "
    "fertility, ovulation, family planning, menopause, home tests"
)
# Below these, categories are of the same kind ("Sinus Medicine", "Sanitary Napkins"): a question may name them instead.
_NAMED_BELOW = (
    "feminine care, feminine hygiene, menstrual care, incontinence, ostomy, laxatives, enemas, hemorrhoids, "
    "medication, antifungals, lice treatments, drug tests, diabetes, hair loss, weight loss, smoking cessation"
)


def may_be_shown(product: Product, question: str = "") -> bool:
    """False for a product of an intimate category, such as a pregnancy test, unless the question names it."""
    names = (product.category.replace("_", " "), *product.categories)
    themselves = [name for name in names if _is_of(name, _NAMED_THEMSELVES)]
    highest = next((at for at, name in enumerate(names) if _is_of(name, _NAMED_BELOW)), len(names))
    intimate = themselves or names[highest:]
    words = nouns_of(question)
    return not intimate or any(is_named(name, words) for name in intimate)


@lru_cache(maxsize=16_384)
def _is_of(category: str, kinds: str) -> bool:
    words = nouns_of(category)
    return any(nouns_of(kind) <= words for kind in kinds.split(", "))
