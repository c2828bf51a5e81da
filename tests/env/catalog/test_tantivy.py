"""The embedded catalog against a search that is written here a second time, in the plainest way."""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.env.catalog.base import CatalogQuery, Hit, Match, SortBy, SortOrder, fold_category
from drretail.env.catalog.tantivy import TantivyCatalog, TantivyWriter
from drretail.errors import ToolError, UserError
from drretail.records.shop import Product

VOCABULARY = ["bird", "feeder", "copper", "seed", "bath", "garden", "pen"]
CATEGORIES = ["Patio, Lawn & Garden", "Pet_Supplies", "Bird Feeders"]
Build = Callable[[list[Product]], TantivyCatalog]

phrases = st.lists(st.sampled_from(VOCABULARY), max_size=4).map(" ".join)


@st.composite
def shelves(draw: st.DrawFn) -> list[Product]:
    """Products in order of id, with few words, so that scores tie and every number can be missing."""
    return [
        Product(
            product_id=f"B{number:02d}",
            title=draw(phrases | st.just("☆")),
            features=tuple(draw(st.lists(phrases, max_size=2))),
            description=tuple(draw(st.lists(phrases, max_size=1))),
            price=draw(st.none() | st.sampled_from([0.0, 5.0, 9.99, 25.0])),
            average_rating=draw(st.none() | st.sampled_from([1.0, 4.5, 5.0])),
            rating_number=draw(st.none() | st.integers(0, 3)),
            store=draw(st.none() | st.sampled_from(["Wingspan", "Copper"])),
            categories=tuple(draw(st.lists(st.sampled_from(CATEGORIES), max_size=2))),
            category="Patio_Lawn_and_Garden",
        )
        for number in range(draw(st.integers(1, 12)))
    ]


queries = st.builds(
    CatalogQuery,
    text=phrases,
    category=st.none() | st.just("patio lawn AND garden"),
    price_min=st.none() | st.sampled_from([0.0, 5.0, 9.0]),
    price_max=st.none() | st.sampled_from([5.0, 20.0]),
    rating_min=st.none() | st.sampled_from([1.0, 4.5]),
    sort_by=st.sampled_from(["relevance", "price", "rating", "popularity"]),
    order=st.none() | st.sampled_from(["asc", "desc"]),
    match=st.sampled_from(["any", "all", "phrase"]),
    limit=st.just(50),
)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return lambda products: build_in(tmp_path / "index", products)


def build_in(folder: Path, products: list[Product]) -> TantivyCatalog:
    writer = TantivyWriter(folder)
    for product in products:
        writer.add(product)
    writer.close()
    return TantivyCatalog(folder)


def fields(product: Product) -> dict[str, list[list[str]]]:
    """The words of both fields, value by value; the vocabulary needs no tokenizer."""
    title = [product.product_id.lower()] if product.title in ("", "☆") else product.title.split()
    names = dict.fromkeys([*product.categories, product.category])
    plain = [fold_words(name) for name in [*names, product.store or "", product.store or ""]]
    values = [value.split() for value in (*product.features, *product.description)]
    return {"title": [title], "text": [title, *values, *plain]}


def fold_words(text: str) -> list[str]:
    # The standard tokenizer keeps "_" within a word.
    return text.lower().replace(",", "").replace("&", "").split()


def occurrences(values: list[list[str]], term: tuple[str, ...]) -> int:
    """How often the words of ``term`` stand one after another within one value."""
    size = len(term)
    return sum(tuple(value[at : at + size]) == term for value in values for at in range(len(value) - size + 1))


def bm25(shelf: list[Product], query: CatalogQuery) -> dict[str, float]:
    """product id → score of every product that the text matches (k1 1.2, b 0.75)."""
    words = query.text.split()
    phrase = query.match == "phrase" and len(words) > 1
    terms = [tuple(words)] if phrase else [(word,) for word in dict.fromkeys(words)]
    indexed = {product.product_id: fields(product) for product in shelf}

    def score(product_id: str, field: str, term: tuple[str, ...]) -> float:
        count = occurrences(indexed[product_id][field], term)
        lengths = [sum(map(len, entry[field])) for entry in indexed.values()]
        assert max(lengths) <= 40, "longer fields are stored with rounded lengths"
        length = sum(map(len, indexed[product_id][field])) * len(lengths) / sum(lengths)
        rarity = 0.0
        for word in term:
            holders = sum(occurrences(entry[field], (word,)) > 0 for entry in indexed.values())
            rarity += math.log(1 + (len(shelf) - holders + 0.5) / (holders + 0.5))
        return rarity * 2.2 * count / (count + 1.2 * (0.25 + 0.75 * length))

    found: dict[str, float] = {}
    for product_id, entry in indexed.items():
        matching = [occurrences(entry["text"], term) > 0 for term in terms]
        if (all if query.match == "all" else any)(matching) or not terms:
            found[product_id] = sum(score(product_id, "text", t) + 3 * score(product_id, "title", t) for t in terms)
    return found


def passes(product: Product, query: CatalogQuery) -> bool:
    price, rating = product.price, product.average_rating
    names = {fold_category(name) for name in (*product.categories, product.category)}
    return (
        (query.price_min is None or (price is not None and price >= query.price_min))
        and (query.price_max is None or (price is not None and price <= query.price_max))
        and (query.rating_min is None or (rating is not None and rating >= query.rating_min))
        and (query.category is None or fold_category(query.category) in names)
    )


def sort_number(product: Product, sort_by: SortBy) -> float | None:
    return {"price": product.price, "rating": product.average_rating, "popularity": product.rating_number}[sort_by]


def expected_ids(shelf: list[Product], query: CatalogQuery, scores: dict[str, float]) -> list[str]:
    left = [product for product in shelf if product.product_id in scores and passes(product, query)]
    if query.sort_by == "relevance":
        return [p.product_id for p in sorted(left, key=lambda p: (-round(scores[p.product_id], 5), p.product_id))]
    default = {"price": "asc", "rating": "desc", "popularity": "desc"}[query.sort_by]
    sign = 1 if (query.order or default) == "asc" else -1

    def place(product: Product) -> tuple[bool, float, str]:
        number = sort_number(product, query.sort_by)
        return number is None, 0.0 if number is None else sign * number, product.product_id

    return [product.product_id for product in sorted(left, key=place)]


def in_order_of_score(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Hits whose scores differ by rounding alone in order of id, as the oracle puts them."""
    return tuple(sorted(hits, key=lambda hit: (-round(hit.score or 0.0, 5), hit.product_id)))


@settings(max_examples=150, deadline=None)
@given(shelf=shelves(), query=queries)
def test_hits_totals_scores_and_order_are_those_of_a_plain_search(
    tmp_path_factory: pytest.TempPathFactory, shelf: list[Product], query: CatalogQuery
) -> None:
    page = build_in(tmp_path_factory.mktemp("index"), shelf).search(query)
    scores = bm25(shelf, query)
    expected = expected_ids(shelf, query, scores)
    assert page.total == len(expected)
    assert [hit.product_id for hit in in_order_of_score(page.hits)] == expected or query.sort_by != "relevance"
    if query.sort_by != "relevance":
        assert [hit.product_id for hit in page.hits] == expected
    for hit in page.hits:
        if query.sort_by == "relevance" and query.text:
            assert hit.score == pytest.approx(scores[hit.product_id], rel=1e-5)
        else:
            assert hit.score is None
    for first, second in pairwise(page.hits):
        assert (-(first.score or 0), first.product_id) < (-(second.score or 0), second.product_id) or (
            query.sort_by != "relevance"
        )


@settings(max_examples=30, deadline=None)
@given(shelf=shelves(), query=queries, size=st.integers(1, 5))
def test_pages_put_together_are_the_whole_list(
    tmp_path_factory: pytest.TempPathFactory, shelf: list[Product], query: CatalogQuery, size: int
) -> None:
    catalog = build_in(tmp_path_factory.mktemp("index"), shelf)
    whole = catalog.search(query)
    pages = [catalog.search(replace(query, limit=size, offset=at)) for at in range(0, 13, size)]
    assert tuple(hit for page in pages for hit in page.hits) == whole.hits
    assert {page.total for page in pages} == {whole.total}


def shelf_of(*titles: str) -> list[Product]:
    return [
        Product(product_id=f"B{number:02d}", title=title, category="Pet_Supplies")
        for number, title in enumerate(titles)
    ]


@pytest.mark.parametrize("text", ["???", "—", "…!"])
def test_a_query_without_any_word_finds_nothing(build: Build, text: str) -> None:
    assert build(shelf_of("bird bath")).search(CatalogQuery(text)).total == 0


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_query_finds_everything_in_order_of_id(build: Build, text: str) -> None:
    page = build(shelf_of("bird", "", "bird bath bird")).search(CatalogQuery(text))
    assert [hit.product_id for hit in page.hits] == ["B00", "B01", "B02"]
    assert page.total == 3


@pytest.mark.parametrize(("match", "found"), [("any", 3), ("all", 2), ("phrase", 1)])
def test_match_says_how_much_of_the_query_must_occur(build: Build, match: Match, found: int) -> None:
    catalog = build(shelf_of("Bird bath", "bath for a bird", "bath towel", "dog bed"))
    assert catalog.search(CatalogQuery("bird bath", match=match)).total == found


def test_a_phrase_does_not_reach_from_one_feature_into_the_next(build: Build) -> None:
    product = Product(product_id="B1", title="x", features=("red bird", "bath towel"), category="Pet_Supplies")
    assert build([product]).search(CatalogQuery("bird bath", match="phrase")).total == 0


def test_the_title_counts_more_than_other_text(build: Build) -> None:
    shelf = [
        Product(product_id="B1", title="garden tool", features=("feeder",), category="Pet_Supplies"),
        Product(product_id="B2", title="garden feeder", features=("tool",), category="Pet_Supplies"),
    ]
    assert [hit.product_id for hit in build(shelf).search(CatalogQuery("feeder")).hits] == ["B2", "B1"]


@pytest.mark.parametrize("sort_by", ["price", "rating", "popularity"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_a_missing_number_sorts_last_in_either_direction(build: Build, sort_by: SortBy, order: SortOrder) -> None:
    shelf = shelf_of("bird", "bird", "bird")
    shelf[1] = shelf[1].model_copy(update={"price": 0.0, "average_rating": 1.0, "rating_number": 0})
    shelf[2] = shelf[2].model_copy(update={"price": 9e9, "average_rating": 5.0, "rating_number": 10**6})
    hits = build(shelf).search(CatalogQuery("bird", sort_by=sort_by, order=order)).hits
    expected = ["B01", "B02"] if order == "asc" else ["B02", "B01"]
    assert [hit.product_id for hit in hits] == [*expected, "B00"]


@pytest.mark.parametrize("name", ["Patio, Lawn & Garden", "patio, lawn AND garden", "Bird_Feeders", "Pet_Supplies"])
def test_a_category_is_any_part_of_the_path_or_the_file_however_it_is_written(build: Build, name: str) -> None:
    shelf = shelf_of("bird", "bird")
    shelf[0] = shelf[0].model_copy(update={"categories": ("Patio, Lawn & Garden", "Bird Feeders")})
    expected = {"B00", "B01"} if name == "Pet_Supplies" else {"B00"}
    hits = build(shelf).search(CatalogQuery("bird", category=name)).hits
    assert {hit.product_id for hit in hits} == expected


def test_an_unknown_category_is_answered_with_the_nearest(build: Build) -> None:
    catalog = build([shelf_of("bird")[0].model_copy(update={"categories": ("Bird Feeders", "Baths")})])
    with pytest.raises(ToolError, match="Did you mean Bird Feeders") as caught:
        catalog.search(CatalogQuery("bird", category="Bird feeder"))
    assert caught.value.as_result()["error"] | {"message": ""} == {
        "type": "invalid_argument",
        "message": "",
        "field": "category",
        "allowed": ["Bird Feeders"],
    }
    with pytest.raises(ToolError) as caught:
        catalog.search(CatalogQuery("bird", category="zzz"))
    assert caught.value.allowed == ["Baths", "Bird Feeders", "Pet_Supplies"]


def test_categories_are_listed_as_they_are_written(build: Build) -> None:
    shelf = shelf_of("bird", "bird")
    shelf[0] = shelf[0].model_copy(update={"categories": ("Patio, Lawn & Garden", " ")})
    assert build(shelf).categories() == ["Patio, Lawn & Garden", "Pet_Supplies"]


def test_brand_and_store_are_found(build: Build) -> None:
    product = shelf_of("bird")[0].model_copy(update={"store": "Reseller", "details": {"Brand": "Robin"}})
    catalog = build([product])
    assert [catalog.search(CatalogQuery(text)).total for text in ("reseller", "ROBIN")] == [1, 1]


def test_a_limit_of_none_still_counts(build: Build) -> None:
    page = build(shelf_of("bird", "bird")).search(CatalogQuery("bird", limit=0))
    assert (page.total, page.hits) == (2, ())


def test_threads_search_beside_each_other(build: Build) -> None:
    catalog = build(shelf_of(*(f"bird {word}" for word in VOCABULARY)))
    queries = [CatalogQuery(f"bird {VOCABULARY[number % len(VOCABULARY)]}") for number in range(80)]
    alone = [catalog.search(query) for query in queries]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(catalog.search, queries)) == alone


def test_a_folder_without_an_index_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        TantivyCatalog(tmp_path)
