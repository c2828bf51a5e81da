"""Searches find the same on servers as embedded: the same products in the same order, and as many."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from drretail.env.catalog.base import CatalogPage, CatalogQuery
from drretail.env.world import World
from drretail.records.shop import Product
from tests.servers.parity.drawn import KINDS, Shelf, drawn

QUERIES = 120


@pytest.fixture(scope="module")
def shelf(products: list[Product]) -> Shelf:
    return Shelf(products)


def pages(world: World, queries: list[CatalogQuery]) -> list[CatalogPage]:
    with ThreadPoolExecutor(4) as threads:
        return list(threads.map(world.catalog.search, queries))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_is_found_in_the_same_order(embedded: World, served: World, shelf: Shelf, kind: str) -> None:
    queries = drawn(kind, shelf, QUERIES)
    found = list(zip(queries, pages(embedded, queries), pages(served, queries), strict=True))
    assert sum(bool(here.hits) for _, here, _ in found) > QUERIES / 8
    for query, here, there in found:
        assert there.total == here.total, query
        assert [hit.product_id for hit in there.hits] == [hit.product_id for hit in here.hits], query
        for one, other in zip(here.hits, there.hits, strict=True):
            assert other.score == (None if one.score is None else pytest.approx(one.score, rel=2e-6)), query


@pytest.mark.parametrize("kind", ["any", "all", "phrase", "mixed", "no text"])
def test_all_matches_are_the_same_in_pages_of_any_size(
    embedded: World, served: World, shelf: Shelf, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drretail.env.catalog.elastic.IDS_AT_ONCE", 50)
    queries = drawn(kind, shelf, QUERIES // 4)
    found = [(query, embedded.catalog.matching(query), served.catalog.matching(query)) for query in queries]
    assert max(len(here) for _, here, _ in found) > 50
    for query, here, there in found:
        assert there == here, query


@pytest.mark.parametrize("text", ["a " * 250, "鳥" * 500, " ".join(map(str, range(2000)))], ids=["a", "cjk", "2000"])
def test_long_texts_find_the_same(embedded: World, served: World, text: str) -> None:
    for match in ("any", "all", "phrase"):
        here, there = (world.catalog.search(CatalogQuery(text, match=match)) for world in (embedded, served))
        assert there.total == here.total
        assert [hit.product_id for hit in there.hits] == [hit.product_id for hit in here.hits]
