"""What both catalogs share: which matches a search ranks, how many filters hide, and the nearest spelling of a word.

A sort by price, rating or popularity would put products first that hardly match, such as the cheapest one whose
description holds the words. So it ranks only the products on the first pages of a relevance search.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from drretail.env.catalog.base import CatalogPage, CatalogQuery, Spelling
from drretail.env.catalog.formulation import Formulation, WordForms, words

BEST = 30
"""The most products that a sort ranks: the first pages of a search by relevance."""
FIRST_PAGE = 10
"""The best matches that a sort always ranks: nobody who saw them by relevance would look for them in vain."""
LEAST_SCORE = 0.7
"""The least score of any further ranked product, as a share of the best match's. If the shop holds few products of a
kind, products that hardly match follow within a page.

Of thirty sorts over real rows, written for this, 19 had three products of the right kind among the first five (20 from
.75 on). With half the score 13 did, and 11 if a sort ranked all products that hold every word.
"""


class Index(Protocol):
    """The operations of an engine; each is one request to it."""

    @property
    def formulation(self) -> Formulation: ...

    def find(self, query: CatalogQuery, among: Sequence[str] | None = None) -> CatalogPage:
        """All matches, in the query's order; with ``among``, only of these products."""
        ...

    def count_hidden(self, query: CatalogQuery) -> int:
        """The number of further matches if products of unknown price or rating passed the filters."""
        ...

    def count_holding(self, indexed: Sequence[str]) -> Sequence[int]:
        """The number of products that hold each word; the words are in their indexed forms."""
        ...

    def words_near(self, word: str) -> Mapping[str, int]:
        """The indexed words with the same beginning and at most two typing errors, and how many products hold each."""
        ...


def search_index(index: Index, query: CatalogQuery) -> CatalogPage:
    """The answer to one search."""
    page = index.find(query) if query.sort_by == "relevance" else sorted_matches(index, query)
    return replace(page, hidden=index.count_hidden(query)) if query.filters_numbers else page


def sorted_matches(index: Index, query: CatalogQuery) -> CatalogPage:
    """The relevant matches in the order of a price, rating or popularity, and how many others are left out."""
    best = index.find(replace(query, sort_by="relevance", order=None, limit=BEST, offset=0))
    highest = best.hits[0].score if best.hits else None
    if highest is None:  # nothing found, or a query without words, whose matches are all equally good
        return index.find(query)
    # A narrow category holds one kind of product, so that nothing needs to be left out.
    least = 0.0 if query.category is not None and best.total <= BEST else LEAST_SCORE * highest
    ranked = [
        hit.product_id
        for place, hit in enumerate(best.hits)
        if place < FIRST_PAGE or (hit.score is not None and hit.score >= least)
    ]
    return replace(index.find(query, among=ranked), cut=best.total - len(ranked))


SAME_BEGINNING = 2
"""The first letters that a misspelling shares with its word: few errors are there, and fewer words are compared."""
SHORTEST = 4
"""The fewest letters of a checked word. A shorter word has too many neighbours."""
LONG = 8
"""The letters from which on a word may have two typing errors."""
MOST_HOLDING = 2
"""The most products that may hold a misspelt word, since sellers misspell too."""
MOST_ERRORS = 2
TIMES_MORE = 20
"""How many times more products must hold the correct word than the misspelt one."""
MOST_REMEMBERED = 100_000
"""The most words whose frequency, or nearest spelling, a catalog remembers: parallel runs ask for the same ones."""
FIELD = "text"


def spellings(index: Index, text: str, known: dict[str, str | None]) -> list[Spelling]:
    """The words of a query that look misspelt, in order; ``known`` remembers the result for each word."""
    if len(known) > MOST_REMEMBERED:
        known.clear()
    checked = words_to_check(index, text, known)
    counts = index.count_holding(list(checked.values())) if checked else ()
    for (word, indexed), count in zip(checked.items(), counts, strict=True):
        if count > MOST_HOLDING:  # a common word: no other can be that much more frequent
            known[word] = None
            continue
        near = {**index.words_near(word), **index.words_near(indexed)}
        most = 1 if count or len(word) < LONG else MOST_ERRORS
        # The word with the fewest errors, then the one that most products hold.
        ranked = [
            (errors, -held, other)
            for other, held in near.items()
            if other != indexed
            and other.isalpha()
            and held >= TIMES_MORE * count
            and (errors := min(typing_errors(form, other) for form in {word, indexed})) <= most
        ]
        known[word] = min(ranked)[2] if ranked else None
    return [Spelling(word, nearest) for word in dict.fromkeys(words(text)) if (nearest := known.get(word)) is not None]


def words_to_check(index: Index, text: str, known: Mapping[str, str | None]) -> dict[str, str]:
    """The words of a query whose frequency decides whether they look misspelt, with their indexed forms."""
    forms = index.formulation.forms
    return {
        word: forms.stem(word) if forms else word
        for word in dict.fromkeys(words(text))
        if word not in known
        and word.isalpha()
        and len(word) >= SHORTEST
        and not (forms or WordForms()).is_stop_word(word)
    }


def typing_errors(one: str, other: str) -> int:
    """The fewest letters to add, remove, replace, or swap with their neighbour, to turn one word into the other."""
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
