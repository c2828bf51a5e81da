"""Searches find the same on servers as embedded: the same products in the same order, and as many."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from drretail.env.catalog.analysis import words
from drretail.env.catalog.base import CatalogPage, CatalogQuery, Match, SortBy, SortOrder
from drretail.env.catalog.formulation import category_names
from drretail.env.world import World
from drretail.records.shop import Product

Draw = Callable[["Shelf", Random], CatalogQuery]
MATCHES: tuple[Match, ...] = ("any", "all", "phrase")
SORTS: tuple[SortBy, ...] = ("relevance", "price", "rating", "popularity")
ORDERS: tuple[SortOrder | None, ...] = (None, "asc", "desc")
QUERIES = 120
LIMITS, OFFSETS = (1, 10, 50), (0, 1, 10, 49, 200, 10_000)


class Shelf:
    """Products to draw words, prices and categories from."""

    def __init__(self, products: Sequence[Product]) -> None:
        self.products = products
        self.categories = sorted({name for product in products for name in category_names(product)})
        self.prices = sorted({product.price for product in products if product.price is not None})

    def some_words(self, random: Random, most: int = 8) -> str:
        """Words of one title, in any order."""
        found = words(random.choice(self.products).title) or ["bird"]
        return " ".join(random.sample(found, k=min(len(found), random.randint(1, most))))

    def phrase(self, random: Random) -> str:
        """Some letters of a product's text as it stands there, from one space to another."""
        product = random.choice(self.products)
        text = random.choice([product.title, *product.features, *product.description]).split() or ["bird"]
        start = random.randrange(len(text))
        return " ".join(text[start : start + random.randint(1, 5)])


def matching(match: Match) -> Draw:
    return lambda shelf, random: CatalogQuery(text(shelf, random, match), match=match)


def text(shelf: Shelf, random: Random, match: Match) -> str:
    return shelf.phrase(random) if match == "phrase" else shelf.some_words(random, 8 if match == "any" else 3)


def everything(shelf: Shelf, random: Random) -> CatalogQuery:
    return CatalogQuery(
        random.choice(["", " "]), sort_by=random.choice(SORTS), order=random.choice(ORDERS), limit=random.choice(LIMITS)
    )


def mixed(shelf: Shelf, random: Random) -> CatalogQuery:
    """Any option beside any other, and any page."""
    match = random.choice(MATCHES)
    maybe = [random.random() < 0.3 for _ in range(4)]
    name = random.choice(shelf.categories)
    return CatalogQuery(
        text(shelf, random, match),
        match=match,
        category=random.choice([name, name.upper(), name.replace(" ", "_")]) if maybe[0] else None,
        price_min=random.choice(shelf.prices) if maybe[1] else None,
        price_max=random.choice(shelf.prices) if maybe[2] else None,
        rating_min=random.choice([0, 1, 3.5, 3.9, 4.5, 5]) if maybe[3] else None,
        sort_by=random.choice(SORTS),
        order=random.choice(ORDERS),
        limit=random.choice(LIMITS),
        offset=random.choice(OFFSETS),
    )


KINDS: dict[str, Draw] = {
    **{match: matching(match) for match in MATCHES},
    "no text": everything,
    **{f"mixed {number}": mixed for number in range(10)},
}


def drawn(kind: str, shelf: Shelf, count: int = QUERIES) -> list[CatalogQuery]:
    """Searches of a kind, drawn from the words of a shop's products; each comes from a seed of its own."""
    return [KINDS[kind](shelf, Random(f"{kind}/{number}")) for number in range(count)]


@pytest.fixture(scope="module")
def shelf(products: list[Product]) -> Shelf:
    return Shelf(products)


def pages(world: World, queries: list[CatalogQuery]) -> list[CatalogPage]:
    with ThreadPoolExecutor(4) as threads:
        return list(threads.map(world.catalog.search, queries))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_is_found_in_the_same_order(embedded: World, served: World, shelf: Shelf, kind: str) -> None:
    queries = drawn(kind, shelf)
    found = list(zip(queries, pages(embedded, queries), pages(served, queries), strict=True))
    assert sum(bool(here.hits) for _, here, _ in found) > QUERIES / 8
    for query, here, there in found:
        assert there.total == here.total, query
        assert [hit.product_id for hit in there.hits] == [hit.product_id for hit in here.hits], query
        for one, other in zip(here.hits, there.hits, strict=True):
            assert other.score == (None if one.score is None else pytest.approx(one.score, rel=2e-6)), query


@pytest.mark.parametrize("kind", ["any", "all", "phrase", "mixed 0", "no text"])
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
