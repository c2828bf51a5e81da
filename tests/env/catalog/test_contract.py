"""The contract of every catalog. Tests base.py, elastic.py and tantivy.py."""

from dataclasses import replace
from typing import Any

import pytest

from drretail.env.catalog.base import Analyzer, CatalogQuery, Match
from drretail.errors import ToolError
from tests.env.catalog.conftest import Build, shelf_of

NUMBERED = shelf_of(
    ("bird feeder", {"price": 5, "average_rating": 4.5, "rating_number": 3, "categories": ("Bird Feeders",)}),
    ("bird bath", {"price": 9.99, "average_rating": 1, "rating_number": 0}),
    ("bird seed", {"price": 0, "rating_number": 2}),
    "bird pen",
    ("bird pen", {"price": 9.99, "average_rating": 5}),
    ("dog bed", {"price": 5}),
)


def test_filters_leave_out_what_is_unknown_and_sorts_put_it_last_page_by_page(build: Build) -> None:
    catalog = build(NUMBERED)
    for given, found, hidden in (
        ({"price_min": 5}, "014", 1),
        ({"price_max": 5}, "02", 1),
        ({"rating_min": 4.5}, "04", 2),
        ({"category": "bird_feeders", "price_min": 5}, "0", 0),
        ({"text": "", "price_max": 5}, "025", 1),
        ({"sort_by": "price", "order": "desc"}, "14023", 0),
        ({"sort_by": "popularity", "order": "asc", "rating_min": 1}, "104", 2),
        ({"text": "bird pen", "match": "all", "sort_by": "price"}, "43", 0),
    ):
        arguments: dict[str, Any] = {"text": "bird", "limit": 50, **given}
        query = CatalogQuery(**arguments)
        page = catalog.search(query)
        ids = [hit.product_id for hit in page.hits]
        assert (sorted(ids) if query.sort_by == "relevance" else ids) == [f"B0{number}" for number in found], given
        assert (page.total, page.hidden) == (len(found), hidden), given
        assert {hit.score is None for hit in page.hits} == {query.sort_by != "relevance" or not query.text}, given
        assert catalog.matching(replace(query, limit=1, offset=3)) == sorted(ids), given
        for size in (1, 2):
            pages = [catalog.search(replace(query, limit=size, offset=at)) for at in range(0, 6, size)]
            assert tuple(hit for each in pages for hit in each.hits) == page.hits, given


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


def test_scores_are_those_of_bm25(build: Build, analyzer: Analyzer) -> None:
    """k1 1.2, b 0.75. English takes of each word the best of its forms, standard adds title and text up."""
    catalog = build(SHELF)
    cases: list[tuple[str, Match, dict[int, float], dict[int, float]]] = [
        ("bird feeder", "any", {0: 3.05314, 2: 2.69203, 3: 2.23978}, {0: 11.1609, 2: 7.20368, 3: 2.06044}),
        ("bird feeder", "phrase", {0: 2.02648, 3: 1.59887}, {0: 11.1609, 3: 2.06044}),
        ("birdseed", "any", {1: 3.01156}, {1: 7.41932}),
        ("bird seed", "all", {0: 2.72785, 1: 3.01156, 2: 2.97305}, {0: 5.85041, 2: 7.50828}),
        (
            "copper seed bath",
            "any",
            {0: 1.71934, 1: 1.02003, 2: 3.15231, 4: 2.67691, 5: 1.68},
            {0: 1.60468, 1: 5.30357, 2: 5.55753, 4: 10.3025, 5: 1.67322},
        ),
        ("pen garden", "all", {0: 2.84522}, {0: 2.41158}),
    ]
    for text, match, english, standard in cases:
        hits = catalog.search(CatalogQuery(text, match=match)).hits
        expected = english if analyzer == "english" else standard
        assert {int(hit.product_id[1:]): hit.score for hit in hits} == pytest.approx(expected, rel=1e-5), (text, match)
        assert [hit.score for hit in hits] == sorted((hit.score or 0 for hit in hits), reverse=True), (text, match)


def test_all_of_many_matches_come_in_order_of_id_without_window(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.env.catalog.elastic.PAGE", 3)
    catalog = build(shelf_of(*["bird bath", "dog bed", "bird feeder"] * 6))
    birds = [f"B{number:02d}" for number in range(18) if number % 3 != 1]
    assert catalog.matching(CatalogQuery("bird", limit=2)) == birds
    assert catalog.matching(CatalogQuery("bird bath", match="all")) == birds[::2]
    assert catalog.matching(CatalogQuery("", category="Pet_Supplies")) == [f"B{number:02d}" for number in range(18)]
    assert catalog.matching(CatalogQuery("periscope")) == catalog.matching(CatalogQuery("???")) == []
    with pytest.raises(ToolError, match="no category"):
        catalog.matching(CatalogQuery("bird", category="Rockets"))


def test_only_an_empty_query_finds_what_has_no_word_and_a_page_beyond_the_end_still_counts(build: Build) -> None:
    catalog = build(shelf_of("bird", "", "bird bath bird"))
    for text, offset, limit, found, total in (
        *((text, 0, 10, [], 0) for text in ("???", "—")),
        ("  \n", 0, 10, ["B00", "B01", "B02"], 3),
        *(("bird", offset, limit, [], 2) for offset, limit in ((0, 0), (2, 50), (10_000, 50), (10**9, 50))),
    ):
        page = catalog.search(CatalogQuery(text, offset=offset, limit=limit))
        assert ([hit.product_id for hit in page.hits], page.total) == (found, total), (text, offset)


def test_a_category_is_any_part_of_the_path_or_the_file_however_it_is_written(build: Build) -> None:
    catalog = build(shelf_of(("bird", {"categories": ("Patio, Lawn & Garden", "Bird Feeders", " ")}), "bird"))
    for name in ("Patio, Lawn & Garden", "patio, lawn AND garden", "Bird_Feeders", "Pet_Supplies"):
        hits = catalog.search(CatalogQuery("bird", category=name)).hits
        assert {hit.product_id for hit in hits} == ({"B00", "B01"} if name == "Pet_Supplies" else {"B00"}), name
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


SCRIPTS = {
    "İzmir lamp": "izmir",
    "Füllstation": "FÜLLSTATION",
    "e\u0301clair": "E\u0301CLAIR",  # a combining accent, not the letter é
    "化粧品 set": "粧品",
    "カタカナ": "カタカナ",
    "مصباح أحمر": "أحمر",
    "hug 👍🏽 mug": "👍🏽",
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
