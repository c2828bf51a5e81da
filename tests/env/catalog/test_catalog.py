"""The contract of every catalog: scores worked out by hand, filters and sorts of drawn shelves, and examples."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from drretail.env.catalog.base import Analyzer, CatalogQuery, Match, fold_category
from drretail.env.catalog.engine import FIRST_PAGE, LEAST_SCORE
from drretail.errors import ToolError
from drretail.records.shop import Product
from tests.env.catalog.conftest import Build, shelf_of

# Making an index on a server takes a tenth of a second, and shrinking an example makes thousands.
settings_for_builds = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


VOCABULARY = ["bird", "feeder", "copper", "seed", "bath", "garden", "pen", "birdfeeder", "birdseed"]
CATEGORIES = ["Patio, Lawn & Garden", "Pet_Supplies", "Bird Feeders"]
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


def passes(product: Product, query: CatalogQuery, *, unknown: bool = False) -> bool:
    """``unknown``: whether a price or a rating that is unknown passes every limit."""
    price, rating = product.price, product.average_rating
    names = {fold_category(name) for name in (*product.categories, product.category)}
    return (
        (query.price_min is None or (unknown if price is None else price >= query.price_min))
        and (query.price_max is None or (unknown if price is None else price <= query.price_max))
        and (query.rating_min is None or (unknown if rating is None else rating >= query.rating_min))
        and (query.category is None or fold_category(query.category) in names)
    )


def in_order(passing: list[Product], query: CatalogQuery, scores: dict[str, float]) -> list[str]:
    """The ids of those that a search finds: a sort leaves out what scores far below the best, but in no category, and
    nothing that is on the first page by relevance.
    """
    by_relevance = sorted((each.product_id for each in passing), key=lambda found: (-scores[found], found))
    if query.sort_by == "relevance":
        return by_relevance
    first_page = by_relevance[:FIRST_PAGE]
    best = max((scores[each.product_id] for each in passing), default=0)
    least = 0 if query.category is not None else LEAST_SCORE * best - 1e-6
    sign = -1 if (query.order or ("asc" if query.sort_by == "price" else "desc")) == "desc" else 1

    def place(product: Product) -> tuple[bool, float, str]:
        numbers = {"price": product.price, "rating": product.average_rating, "popularity": product.rating_number}
        number = numbers[query.sort_by]
        return number is None, sign * (number or 0), product.product_id

    ranked = (each.product_id for each in sorted(passing, key=place))
    return [product_id for product_id in ranked if product_id in first_page or scores[product_id] >= least]


@settings(settings_for_builds, max_examples=12)
@given(shelf=shelves(), some=st.lists(queries, min_size=8, max_size=16))
def test_filters_sorts_totals_and_all_matches_are_those_of_what_the_text_finds(
    build: Build, shelf: list[Product], some: list[CatalogQuery]
) -> None:
    catalog = build(shelf)
    for query in some:
        found = catalog.search(CatalogQuery(query.text, match=query.match, limit=50)).hits
        scores = {hit.product_id: hit.score or 0.0 for hit in found}
        matching = [each for each in shelf if each.product_id in scores]
        passing = [each for each in matching if passes(each, query)]
        page = catalog.search(query)
        expected = in_order(passing, query, scores)
        assert [hit.product_id for hit in page.hits] == expected
        assert (page.total, page.total + page.cut) == (len(expected), len(passing))
        assert page.hidden == sum(passes(each, query, unknown=True) for each in matching) - len(passing)
        for hit in page.hits:
            ranked = query.sort_by == "relevance" and query.text
            assert hit.score == (pytest.approx(scores[hit.product_id], rel=1e-6) if ranked else None)
        ids = [each.product_id for each in passing]
        assert catalog.matching(query) == catalog.matching(replace(query, limit=1, offset=3)) == ids


SHELF = shelf_of(
    ("bird feeder", {"features": ("copper seed", "garden pen"), "store": "Wingspan"}),
    ("birdseed copper", {"store": "Copper"}),
    ("bird bath bird", {"description": ("feeder seed",), "details": {"Material": "copper", "Rank": {"pen": 1}}}),
    ("☆", {"features": ("bird feeder garden",)}),
    "copper bath",
    ("x", {"features": ("red copper", "bath towel")}),
    *["dog bed"] * 3,
)
"""B05 holds "copper bath" in two features; the last three make all words of the others rare."""


@pytest.mark.parametrize(
    ("text", "match", "english", "standard"),
    [
        ("bird feeder", "any", {0: 3.05314, 2: 2.69203, 3: 2.23978}, {0: 11.1609, 2: 7.20368, 3: 2.06044}),
        ("bird feeder", "all", {0: 3.05314, 2: 2.69203, 3: 2.23978}, {0: 11.1609, 2: 7.20368, 3: 2.06044}),
        ("bird feeder", "phrase", {0: 2.02648, 3: 1.59887}, {0: 11.1609, 3: 2.06044}),
        ("feeder bird feeder", "any", {0: 3.05314, 2: 2.69203, 3: 2.23978}, {0: 11.1609, 2: 7.20368, 3: 2.06044}),
        ("birdseed", "any", {1: 3.01156}, {1: 7.41932}),
        ("bird seed", "all", {0: 2.72785, 1: 3.01156, 2: 2.97305}, {0: 5.85041, 2: 7.50828}),
        ("copper bath", "phrase", {4: 3.04647}, {4: 10.3025}),
        (
            "copper seed bath",
            "any",
            {0: 1.71934, 1: 1.02003, 2: 3.15231, 4: 2.67691, 5: 1.68},
            {0: 1.60468, 1: 5.30357, 2: 5.55753, 4: 10.3025, 5: 1.67322},
        ),
        ("pen garden", "all", {0: 2.84522}, {0: 2.41158}),
    ],
)
def test_scores_are_those_of_bm25(
    build: Build,
    analyzer: Analyzer,
    text: str,
    match: Match,
    english: dict[int, float],
    standard: dict[int, float],
) -> None:
    """k1 1.2, b 0.75. English takes of each word the best of its forms, standard adds title and text up."""
    hits = build(SHELF).search(CatalogQuery(text, match=match)).hits
    expected = english if analyzer == "english" else standard
    assert {int(hit.product_id[1:]): hit.score for hit in hits} == pytest.approx(expected, rel=1e-5)
    assert [hit.score for hit in hits] == sorted((hit.score or 0 for hit in hits), reverse=True)


@settings(settings_for_builds, max_examples=6)
@given(shelf=shelves(), query=queries, size=st.integers(1, 5))
def test_pages_together_are_the_whole_list(build: Build, shelf: list[Product], query: CatalogQuery, size: int) -> None:
    catalog = build(shelf)
    whole = catalog.search(query)
    pages = [catalog.search(replace(query, limit=size, offset=at)) for at in range(0, 13, size)]
    assert tuple(hit for page in pages for hit in page.hits) == whole.hits
    assert {page.total for page in pages} == {whole.total}


def test_all_of_many_matches_come_in_order_of_id_without_window(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.env.catalog.elastic.IDS_AT_ONCE", 3)
    catalog = build(shelf_of(*["bird bath", "dog bed", "bird feeder"] * 6))
    birds = [f"B{number:02d}" for number in range(18) if number % 3 != 1]
    assert catalog.matching(CatalogQuery("bird", limit=2)) == birds
    assert catalog.matching(CatalogQuery("bird bath", match="all")) == birds[::2]
    assert catalog.matching(CatalogQuery("", category="Pet_Supplies")) == [f"B{number:02d}" for number in range(18)]
    assert catalog.matching(CatalogQuery("periscope")) == catalog.matching(CatalogQuery("???")) == []
    with pytest.raises(ToolError, match="no category"):
        catalog.matching(CatalogQuery("bird", category="Rockets"))


@pytest.mark.parametrize(
    ("text", "offset", "limit", "found", "total"),
    [
        *((text, 0, 10, [], 0) for text in ("???", "—")),
        ("  \n", 0, 10, ["B00", "B01", "B02"], 3),
        *(("bird", offset, limit, [], 2) for offset, limit in ((0, 0), (2, 50), (10_000, 50), (10**9, 50))),
    ],
)
def test_only_an_empty_query_finds_what_has_no_word_and_a_page_beyond_the_end_still_counts(
    build: Build, text: str, offset: int, limit: int, found: list[str], total: int
) -> None:
    page = build(shelf_of("bird", "", "bird bath bird")).search(CatalogQuery(text, offset=offset, limit=limit))
    assert ([hit.product_id for hit in page.hits], page.total) == (found, total)


@pytest.mark.parametrize("name", ["Patio, Lawn & Garden", "patio, lawn AND garden", "Bird_Feeders", "Pet_Supplies"])
def test_a_category_is_any_part_of_the_path_or_the_file_however_it_is_written(build: Build, name: str) -> None:
    catalog = build(shelf_of(("bird", {"categories": ("Patio, Lawn & Garden", "Bird Feeders", " ")}), "bird"))
    hits = catalog.search(CatalogQuery("bird", category=name)).hits
    assert {hit.product_id for hit in hits} == ({"B00", "B01"} if name == "Pet_Supplies" else {"B00"})
    assert catalog.categories() == ["Bird Feeders", "Patio, Lawn & Garden", "Pet_Supplies"]


def test_an_unknown_category_is_answered_with_the_nearest(build: Build) -> None:
    catalog = build(shelf_of(("bird", {"categories": ("Bird Feeders", "Baths")})))
    with pytest.raises(ToolError, match="Did you mean Bird Feeders") as caught:
        catalog.search(CatalogQuery("bird", category="Bird feeder"))
    assert (caught.value.kind, caught.value.field) == ("invalid_argument", "category")
    assert caught.value.allowed == ["Bird Feeders"]
    for text, unlike in (("bird", "zzz"), ("bird", "Bread Makers"), ("???", "zzz")):
        with pytest.raises(ToolError, match=f"no category '{unlike}'") as caught:
            catalog.search(CatalogQuery(text, category=unlike))
        assert caught.value.allowed == ["Baths", "Bird Feeders", "Pet_Supplies"]


def test_threads_search_beside_each_other(build: Build) -> None:
    catalog = build(shelf_of(*(f"bird {word}" for word in VOCABULARY)))
    queries = [CatalogQuery(f"bird {VOCABULARY[number % len(VOCABULARY)]}") for number in range(80)]
    alone = [catalog.search(query) for query in queries]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(catalog.search, queries)) == alone


def test_an_empty_shop_has_nothing_to_find(build: Build) -> None:
    catalog = build([])
    assert catalog.categories() == []
    for text in ("", "bird"):
        for sort_by in ("relevance", "price"):
            assert catalog.search(CatalogQuery(text, sort_by=sort_by)).total == 0
    with pytest.raises(ToolError, match="no category 'Pet_Supplies'"):
        catalog.search(CatalogQuery("", category="Pet_Supplies"))


SCRIPTS = {
    "İzmir lamp": "izmir",
    "istanbul lamp": "İSTANBUL",
    "Füllstation": "FÜLLSTATION",
    "e\u0301clair": "E\u0301CLAIR",  # a combining accent, not the letter é
    "化粧品 set": "粧品",
    "カタカナ": "カタカナ",
    "مصباح أحمر": "أحمر",
    "מנורה אדומה": "אדומה",
    "hug 👍🏽 mug": "👍🏽",
    "flag 🇩🇪": "🇩🇪",
    "Lego® set": "®",
    "ﬁne": "ﬁne",
    "O'Neil's node.js 1,000": "1,000",
    "x" * 300: "x" * 300,
    "y" * 9000: "Y" * 9000,
}
"""Title → text that finds it and no other title here."""


def test_words_of_every_script_are_found(build: Build) -> None:
    titles = sorted(SCRIPTS)
    catalog = build(shelf_of(*titles))
    matches: tuple[Match, ...] = ("any", "all", "phrase")
    for match in matches:
        for number, title in enumerate(titles):
            hits = catalog.search(CatalogQuery(SCRIPTS[title], match=match)).hits
            assert [hit.product_id for hit in hits] == [f"B{number:02d}"], (title[:20], match)
