"""Which matches a search ranks and how many its filters hide: the same for every catalog.

A sort by price, rating or popularity would put first what hardly matches. So it ranks the products that hold all words
of the query, or, where none does, the best fifty by relevance.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from drretail.env.catalog.base import CatalogPage, CatalogQuery
from drretail.env.catalog.formulation import Formulation

BEST = 50
"""Products that a sort ranks where none holds all words."""


class Index(Protocol):
    """What an engine does: one request to it each."""

    @property
    def formulation(self) -> Formulation: ...

    def find(self, query: CatalogQuery, among: Sequence[str] | None = None) -> CatalogPage:
        """All matches, sorted as asked; ``among`` leaves only these products."""
        ...

    def count_hidden(self, query: CatalogQuery) -> int:
        """How many more would match if an unknown price or rating passed the filters on it."""
        ...


def search_index(index: Index, query: CatalogQuery) -> CatalogPage:
    """The answer to one search."""
    strict = replace(query, match="all") if _ranks_relevant_only(index, query) else query
    page = index.find(strict)
    hidden = index.count_hidden(strict) if query.filters_numbers else 0
    if strict is not query and not page.total:
        page = replace(_best_sorted(index, query), loose=True)
    return replace(page, hidden=hidden) if hidden else page


def _ranks_relevant_only(index: Index, query: CatalogQuery) -> bool:
    if query.sort_by == "relevance" or query.match != "any" or not query.text.strip():
        return False
    return query.relevant_only or index.formulation.sorts_relevant


def _best_sorted(index: Index, query: CatalogQuery) -> CatalogPage:
    best = index.find(replace(query, sort_by="relevance", order=None, limit=BEST, offset=0))
    return index.find(query, among=[hit.product_id for hit in best.hits]) if best.hits else best
