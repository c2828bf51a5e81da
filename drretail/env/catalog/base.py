"""The contract of every catalog."""

import re
from dataclasses import dataclass
from typing import Literal, Protocol

Match = Literal["any", "all", "phrase"]
SortBy = Literal["relevance", "price", "rating", "popularity"]
SortOrder = Literal["asc", "desc"]
Analyzer = Literal["english", "standard"]
"""How the words of products and queries are compared: by their English stems, or as they stand."""
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
    relevant_only: bool = False
    """Another sort than by relevance ranks relevant matches only; with the analyzer ``english`` it always does."""

    @property
    def filters_numbers(self) -> bool:
        """Whether products of unknown price or rating are left out."""
        return any(bound is not None for bound in (self.price_min, self.price_max, self.rating_min))


@dataclass(frozen=True, slots=True)
class Hit:
    """A product found; ``score`` is BM25's, None unless sorted by relevance."""

    product_id: str
    score: float | None


@dataclass(frozen=True, slots=True)
class CatalogPage:
    """``total`` matches in all, and the hits asked for. Ties are in order of product id; no price sorts last."""

    total: int
    hits: tuple[Hit, ...]
    hidden: int = 0
    """Matches that were left out because their price or rating, by which the query filters, is unknown."""
    loose: bool = False
    """True of a sort for which no match holds all words of the query: it ranks the best of those that hold some."""


class Catalog(Protocol):
    """BM25 search. Synchronous and safe to use from several threads."""

    def search(self, query: CatalogQuery) -> CatalogPage:
        """Raises ToolError("invalid_argument") with the nearest names for an unknown category."""
        ...

    def matching(self, query: CatalogQuery) -> list[str]:
        """The ids of all products that match, in order of id; ``sort_by``, ``limit`` and ``offset`` count nothing."""
        ...

    def categories(self) -> list[str]:
        """Every name that a category filter accepts, as it is written in the products, sorted."""
        ...

    def close(self) -> None: ...


def fold_category(name: str) -> str:
    """The form in which category names are compared: case, "_", and "&" against "and" make no difference."""
    return re.sub(r"\s+", " ", name.casefold().replace("_", " ").replace("&", " and ")).strip()
