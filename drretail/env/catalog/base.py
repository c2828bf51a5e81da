"""The contract of every catalog; which matches a search ranks, and how many filters hide."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, Protocol

Match = Literal["any", "all", "phrase"]
SortBy = Literal["relevance", "price", "rating", "popularity"]
SortOrder = Literal["asc", "desc"]
Language = Literal[
    "arabic", "armenian", "basque", "catalan", "chinese", "czech", "danish", "dutch", "english", "esperanto",
    "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian",
    "japanese", "korean", "lithuanian", "nepali", "norwegian", "persian", "polish", "portuguese", "romanian",
    "russian", "serbian", "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
]  # fmt: skip
"""The languages that Snowball stems, and three whose texts are cut into pairs of characters."""
Analyzer = Literal["standard"] | Language
"""How words of products and queries are compared: unchanged, or by their stems in a language."""
DEFAULT_ANALYZER: Analyzer = "english"
DEFAULT_ORDER: dict[SortBy, SortOrder] = {"relevance": "desc", "price": "asc", "rating": "desc", "popularity": "desc"}


@dataclass(frozen=True, slots=True)
class CatalogQuery:
    """One product search (paper Table 3). An empty ``text`` matches every product that passes the filters."""

    text: str
    category: str | None = None
    price_min: float | None = None
    price_max: float | None = None
    rating_min: float | None = None
    sort_by: SortBy = "relevance"
    order: SortOrder | None = None
    match: Match = "any"
    limit: int = 10
    offset: int = 0

    @property
    def filters_numbers(self) -> bool:
        """True if products of unknown price or rating are left out."""
        return any(bound is not None for bound in (self.price_min, self.price_max, self.rating_min))


@dataclass(frozen=True, slots=True)
class Hit:
    """A product that a search found; ``score`` is BM25's, None unless sorted by relevance."""

    product_id: str
    score: float | None


@dataclass(frozen=True, slots=True)
class CatalogPage:
    """The hits asked for, of ``total`` matches. Ties are in order of product id; products without a price come last."""

    total: int
    hits: tuple[Hit, ...]
    hidden: int = 0
    """The matches that were left out because the query filters by a price or rating that they lack."""


class Catalog(Protocol):
    """BM25 search. Synchronous and safe to use from several threads."""

    def search(self, query: CatalogQuery) -> CatalogPage:
        """The matches of a query. Raises ToolError("invalid_argument") with the names near an unknown category."""
        ...

    def matching(self, query: CatalogQuery) -> list[str]:
        """The ids of all products that match, in order of id; ``sort_by``, ``limit`` and ``offset`` are ignored."""
        ...

    def categories(self) -> list[str]:
        """Every name that a category filter accepts, as the products write it, sorted."""
        ...

    def close(self) -> None: ...


# Thousands of products share a category.
@lru_cache(maxsize=16_384)
def fold_category(name: str) -> str:
    """The form in which category names are compared: case, "_", and "&" for "and" make no difference."""
    return " ".join(name.casefold().replace("_", " ").replace("&", " and ").split())


BEST = 30
"""The most products that a sort ranks: the first pages of a search by relevance.

A sort of all matches would put products first that hardly match, such as the cheapest one whose
description holds the words.
"""
FIRST_PAGE = 10
"""The best matches that a sort always ranks: nobody who saw them by relevance would look for them in vain."""
LEAST_SCORE = 0.7
"""The least score of any further ranked product, as a share of the best match's. If the shop holds few products of a
kind, products that hardly match follow within a page.

Of thirty sorts over real rows, written for this, 19 had three products of the right kind among the first five (20 from
.75 on). With half the score 13 did, and 11 if a sort ranked all products that hold every word.
"""


class Index(Protocol):
    """The operation of an engine: one request to it."""

    def find(self, query: CatalogQuery, among: Sequence[str] | None = None) -> CatalogPage:
        """All matches, in the query's order, and the number of matches that its filters hide.

        With ``among``, only these products in the query's order: they are known to match, and nothing is hidden.
        """
        ...


def search_index(index: Index, query: CatalogQuery) -> CatalogPage:
    """The answer to one search; a sort ranks the relevant matches only."""
    if query.sort_by == "relevance":
        return index.find(query)
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
    return replace(index.find(query, among=ranked), hidden=best.hidden)
