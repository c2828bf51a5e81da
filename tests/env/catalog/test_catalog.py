"""The contract of every catalog, held against a plain search and by examples."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from drretail.env.catalog.base import Analyzer, CatalogQuery, Match
from drretail.errors import ToolError
from drretail.records.shop import Product
from tests.env.catalog.conftest import Build
from tests.env.catalog.plain_search import (
    VOCABULARY,
    bm25,
    expected_hidden,
    expected_ids,
    in_order_of_score,
    passes,
    queries,
    relevant,
    shelves,
)

# Making an index on a server takes a tenth of a second, and shrinking an example makes thousands.
settings_for_builds = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


@settings(settings_for_builds, max_examples=12)
@given(shelf=shelves(), some=st.lists(queries, min_size=8, max_size=16))
def test_hits_totals_scores_order_and_all_matches_are_those_of_a_plain_search(
    build: Build, analyzer: Analyzer, shelf: list[Product], some: list[CatalogQuery]
) -> None:
    catalog = build(shelf)
    for query in some:
        page = catalog.search(query)
        by_relevance = query.sort_by == "relevance"
        scores = bm25(shelf, query, analyzer)
        expected = expected_ids(shelf, query, relevant(shelf, query, scores))
        assert (page.total, page.hidden) == (len(expected), expected_hidden(shelf, query, scores))
        hits = in_order_of_score(page.hits) if by_relevance else page.hits
        assert [hit.product_id for hit in hits] == expected
        for hit in page.hits:
            if by_relevance and query.text:
                assert hit.score == pytest.approx(scores[hit.product_id], rel=1e-5)
            else:
                assert hit.score is None
        for first, second in pairwise(page.hits):
            in_order = (-(first.score or 0), first.product_id) < (-(second.score or 0), second.product_id)
            assert in_order or not by_relevance
        matching = [each.product_id for each in shelf if each.product_id in scores and passes(each, query)]
        assert catalog.matching(query) == catalog.matching(replace(query, limit=1, offset=3)) == matching


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


def shelf_of(*titles: str) -> list[Product]:
    return [
        Product(product_id=f"B{number:02d}", title=title, category="Pet_Supplies")
        for number, title in enumerate(titles)
    ]


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


@pytest.mark.parametrize("name", ["feeder", "copper"])
def test_a_phrase_scores_by_the_whole_shop_and_within_one_feature(build: Build, analyzer: Analyzer, name: str) -> None:
    shelf = shelf_of(*("dog bed" for _ in range(9)), f"{name} bath", "x")
    shelf[10] = shelf[10].model_copy(update={"features": (f"red {name}", "bath towel")})
    (hit,) = build(shelf).search(CatalogQuery(f"{name} bath", match="phrase")).hits
    scores = bm25(shelf, CatalogQuery(f"{name} bath", match="phrase"), analyzer)
    assert hit.score == pytest.approx(scores["B09"], rel=1e-5)


@pytest.mark.parametrize("name", ["Patio, Lawn & Garden", "patio, lawn AND garden", "Bird_Feeders", "Pet_Supplies"])
def test_a_category_is_any_part_of_the_path_or_the_file_however_it_is_written(build: Build, name: str) -> None:
    shelf = shelf_of("bird", "bird")
    shelf[0] = shelf[0].model_copy(update={"categories": ("Patio, Lawn & Garden", "Bird Feeders", " ")})
    catalog = build(shelf)
    hits = catalog.search(CatalogQuery("bird", category=name)).hits
    assert {hit.product_id for hit in hits} == ({"B00", "B01"} if name == "Pet_Supplies" else {"B00"})
    assert catalog.categories() == ["Bird Feeders", "Patio, Lawn & Garden", "Pet_Supplies"]


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
