"""rank_bm25, against which benchmarks/backends.py holds the catalogs: the library that many start with."""

import gc
import importlib.util
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.formulation import ENGLISH
from drretail.env.world import World
from drretail.records.shop import Product

BATCH = 500


@dataclass
class RankBm25:
    """The library rank_bm25 over the stems that the catalog indexes, with filters as one adds them to it."""

    ids: list[str]
    price: Any
    rating: Any
    index: Any
    seconds: float

    def can(self, query: CatalogQuery) -> bool:
        """It knows no phrases, no required words, which sorts need too, and nothing of categories."""
        return query.match == "any" and query.category is None and query.sort_by == "relevance"

    def search(self, query: CatalogQuery) -> tuple[int, list[str]]:
        scores = self.index.get_scores([term.words[0] for term in ENGLISH.terms(query).matching])
        found = scores > 0
        if query.price_min is not None:
            found &= self.price >= query.price_min
        if query.price_max is not None:
            found &= self.price <= query.price_max
        if query.rating_min is not None:
            found &= self.rating >= query.rating_min
        kept = np.flatnonzero(found)
        best = np.argsort(-scores[kept], kind="stable")[query.offset : query.offset + query.limit]
        return len(kept), [self.ids[place] for place in kept[best]]


def all_products(world: World, count: int) -> Iterator[Product]:
    for start in range(0, count, BATCH):
        yield from world.store.products(
            [f"B{number:09d}" for number in range(start, min(start + BATCH, count))]
        ).values()


def rank_bm25_of(world: World, count: int) -> RankBm25 | None:
    """The rival over all products of a world; None, and said so, where it is not installed."""
    if importlib.util.find_spec("rank_bm25") is None:
        print("rank_bm25 is not installed: `pip install rank-bm25` to have it measured too.", file=sys.stderr)
        return None
    from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingImports] -- only where it is installed

    start = time.perf_counter()
    products = list(all_products(world, count))
    corpus = [
        [sys.intern(word) for text in ENGLISH.texts(product)["text"] for word in text.split()] for product in products
    ]
    index = BM25Okapi(corpus)
    seconds = time.perf_counter() - start
    numbers = [
        np.array([np.nan if number is None else number for number in column], dtype=float)
        for column in zip(*((product.price, product.average_rating) for product in products), strict=True)
    ]
    ids = [product.product_id for product in products]
    # Its millions of objects would otherwise be walked by the collector while others are timed.
    gc.collect()
    gc.freeze()
    return RankBm25(ids, numbers[0], numbers[1], index, seconds)
