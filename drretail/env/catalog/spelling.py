"""The nearest spelling of a word that the products hardly hold, out of the words that they do hold."""

from collections.abc import Mapping
from typing import Protocol

from drretail.env.catalog.analysis import WordForms, words
from drretail.env.catalog.base import Spelling
from drretail.env.catalog.formulation import Formulation

SAME_BEGINNING = 2
"""Letters that a misspelling shares with its word: few are mistyped there, and all others need not be compared."""
SHORTEST = 4
"""Letters. Shorter words are near too many others."""
LONG = 8
"""Letters from which on a word may have two typing errors."""
MOST_HOLDING = 2
"""Products that hold a word which may be a seller's own misspelling."""
MOST_ERRORS = 2
TIMES_MORE = 20
"""How many times more products hold the word that such a one is taken for."""
FIELD = "text"


class Words(Protocol):
    """What an engine knows of single words."""

    @property
    def formulation(self) -> Formulation: ...

    def count_holding(self, word: str) -> int:
        """How many products hold a word, as it is indexed."""
        ...

    def words_near(self, word: str) -> Mapping[str, int]:
        """The indexed words that begin as this one, with two typing errors at most, and how many products hold each."""
        ...


def spellings(index: Words, text: str, known: dict[str, str | None] | None = None) -> list[Spelling]:
    """The words of a query that look misspelt, in order; ``known`` keeps what was found of each word."""
    known = {} if known is None else known
    found = dict.fromkeys(words(text))
    for word in found:
        if word not in known:
            known[word] = _nearest_spelling(index, word)
    return [Spelling(word, nearest) for word in found if (nearest := known[word]) is not None]


def _nearest_spelling(index: Words, word: str) -> str | None:
    forms = index.formulation.forms
    if not word.isalpha() or len(word) < SHORTEST or (forms or WordForms()).is_stop_word(word):
        return None
    indexed = forms.stem(word) if forms else word
    count = index.count_holding(indexed)
    # Most words are common, and no other is held so much oftener.
    if count > MOST_HOLDING:
        return None
    return _nearest(word, indexed, count, {**index.words_near(word), **index.words_near(indexed)})


def _nearest(word: str, indexed: str, count: int, near: Mapping[str, int]) -> str | None:
    """The word with the fewest errors, then the one that most products hold; None where none is near."""
    most = 1 if count or len(word) < LONG else MOST_ERRORS
    ranked = [
        (errors, -held, other)
        for other, held in near.items()
        if other != indexed
        and other.isalpha()
        and held >= TIMES_MORE * count
        and (errors := min(typing_errors(form, other) for form in {word, indexed})) <= most
    ]
    return min(ranked)[2] if ranked else None


def typing_errors(one: str, other: str) -> int:
    """Letters to add, remove, replace, or swap with their neighbour, to make one word of the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, start=1):
        earlier, before = before, row
        row = [place]
        for at, wanted in enumerate(other, start=1):
            errors = min(before[at] + 1, row[-1] + 1, before[at - 1] + (letter != wanted))
            if at > 1 and place > 1 and letter == other[at - 2] and one[place - 2] == wanted:
                errors = min(errors, earlier[at - 2] + 1)
            row.append(errors)
    return row[-1]
