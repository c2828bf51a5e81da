"""The contract of every catalog, and the loading of an index into a stand-in for Elasticsearch that refuses."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from drretail.env.catalog import elastic
from drretail.env.catalog.base import Analyzer, CatalogQuery, Match
from drretail.env.catalog.elastic import ElasticWriter
from drretail.env.servers.clients import Patience
from drretail.errors import ToolError, UserError
from tests.env.catalog.conftest import Build, shelf_of

VOCABULARY = ["bird", "feeder", "copper", "seed", "bath", "garden", "pen", "birdfeeder", "birdseed"]


NUMBERED = shelf_of(
    ("bird feeder", {"price": 5, "average_rating": 4.5, "rating_number": 3, "categories": ("Bird Feeders",)}),
    ("bird bath", {"price": 9.99, "average_rating": 1, "rating_number": 0}),
    ("bird seed", {"price": 0, "rating_number": 2}),
    "bird pen",
    ("bird pen", {"price": 9.99, "average_rating": 5}),
    ("dog bed", {"price": 5}),
)


@pytest.mark.parametrize(
    ("given", "found", "hidden"),
    [
        ({"price_min": 5}, "014", 1),
        ({"price_max": 5}, "02", 1),
        ({"price_min": 5, "price_max": 5}, "0", 1),
        ({"rating_min": 4.5}, "04", 2),
        ({"rating_min": 1, "price_min": 6}, "14", 1),
        ({"category": "bird_feeders", "price_min": 5}, "0", 0),
        ({"text": "", "price_max": 5}, "025", 1),
        ({"sort_by": "price"}, "20143", 0),
        ({"sort_by": "price", "order": "desc"}, "14023", 0),
        ({"sort_by": "rating"}, "40123", 0),
        ({"sort_by": "rating", "order": "asc"}, "10423", 0),
        ({"sort_by": "popularity"}, "02134", 0),
        ({"sort_by": "popularity", "order": "asc", "rating_min": 1}, "104", 2),
        ({"text": "bird pen", "match": "all", "sort_by": "price"}, "43", 0),
    ],
)
def test_filters_leave_out_what_is_unknown_and_sorts_put_it_last_page_by_page(
    build: Build, given: dict[str, Any], found: str, hidden: int
) -> None:
    arguments: dict[str, Any] = {"text": "bird", "limit": 50, **given}
    catalog, query = build(NUMBERED), CatalogQuery(**arguments)
    page = catalog.search(query)
    ids = [hit.product_id for hit in page.hits]
    assert (sorted(ids) if query.sort_by == "relevance" else ids) == [f"B0{number}" for number in found]
    assert (page.total, page.hidden) == (len(found), hidden)
    assert {hit.score is None for hit in page.hits} == {query.sort_by != "relevance" or not query.text}
    assert catalog.matching(replace(query, limit=1, offset=3)) == sorted(ids)
    for size in (1, 2):
        pages = [catalog.search(replace(query, limit=size, offset=at)) for at in range(0, 6, size)]
        assert tuple(hit for each in pages for hit in each.hits) == page.hits


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


Verdict = Callable[[int, str], int]
"""The status of a document, from the number of the request (0, 1 …) and the document's id."""
REJECTED = {"type": "es_rejected_execution_exception", "reason": "rejected execution of a task"}


@dataclass
class StandIn:
    """Takes bulk requests; ``whole`` are the statuses of the first requests, 200 where a request is answered."""

    verdict: Verdict = lambda request, product_id: 201
    whole: list[int] = field(default_factory=list[int])
    requests: list[list[str]] = field(default_factory=list[list[str]])
    stored: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def answer(self, request: Request) -> Response:
        lines = [json.loads(line) for line in request.get_data().splitlines()]
        ids = [line["create"]["_id"] for line in lines[::2]]
        number = len(self.requests)
        self.requests.append(ids)
        status = self.whole[number] if number < len(self.whole) else 200
        items = [self.item(number, product_id, document) for product_id, document in zip(ids, lines[1::2], strict=True)]
        body = {"took": 1, "errors": True, "items": items} if status == 200 else {"error": REJECTED, "status": status}
        head = {"X-Elastic-Product": "Elasticsearch"}
        return Response(json.dumps(body), status, head, content_type="application/json")

    def item(self, number: int, product_id: str, document: dict[str, Any]) -> dict[str, Any]:
        status = self.verdict(number, product_id)
        if status == 201 and product_id in self.stored:
            status = 409
        if status == 201:
            self.stored[product_id] = document
        return {"create": {"_id": product_id, "status": status, **({"error": REJECTED} if status > 201 else {})}}


@pytest.fixture
def stand_in(httpserver: HTTPServer) -> StandIn:
    made = StandIn()
    httpserver.expect_request("/shop-g1/_bulk").respond_with_handler(made.answer)
    return made


@pytest.fixture
def patience() -> float:
    """Seconds without progress that the writer takes."""
    return 30


@pytest.fixture
def writer(httpserver: HTTPServer, patience: float) -> Iterator[ElasticWriter]:
    slept: list[float] = []  # its clock only moves while somebody sleeps
    patient = Patience(seconds=patience, sleep=slept.append, clock=lambda: sum(slept))
    with Elasticsearch(httpserver.url_for("")) as client:
        yield ElasticWriter(client, "shop-g1", address="shop.example:9200", patience=patient)


@pytest.mark.parametrize("patience", [3])
def test_a_server_that_takes_a_little_each_time_is_waited_for(stand_in: StandIn, writer: ElasticWriter) -> None:
    # 60 requests with a pause of a tenth of a second and more each take longer than patience lasts without progress.
    stand_in.verdict = lambda request, product_id: 201 if product_id == f"B{request:02}" else 429
    writer.add(shelf_of(*["bird"] * 60))
    assert len(stand_in.stored) == 60


def test_documents_that_are_refused_for_a_while_are_sent_again_alone(stand_in: StandIn, writer: ElasticWriter) -> None:
    stand_in.verdict = lambda request, product_id: 429 if request < 3 and product_id in ("B01", "B03") else 201
    writer.add(shelf_of(*["bird"] * 5))
    assert stand_in.requests == [[f"B{n:02}" for n in range(5)], *[["B01", "B03"]] * 3]
    assert sorted(stand_in.stored) == [f"B{n:02}" for n in range(5)]


def test_a_request_is_sent_again_to_a_busy_server_never_once_refused(stand_in: StandIn, writer: ElasticWriter) -> None:
    stand_in.whole = [429, 502, 503, 504, 200, 401]
    writer.add(shelf_of(*["bird"] * 3))
    assert len(stand_in.requests) == 5
    with pytest.raises(UserError, match="credentials"):
        writer.add(shelf_of("bird"))
    assert len(stand_in.requests) == 6


def test_a_server_that_refuses_every_request_or_document_is_given_up(stand_in: StandIn, writer: ElasticWriter) -> None:
    stand_in.verdict = lambda request, product_id: 429
    with pytest.raises(UserError, match="overloaded"):
        writer.add(shelf_of(*["bird"] * 3))
    stand_in.requests.clear()
    stand_in.whole = [429] * 1000
    with pytest.raises(UserError, match=r"shop\.example:9200.*overloaded \(status 429\).*goes on where"):
        writer.add(shelf_of(*["bird"] * 3))
    assert 5 < len(stand_in.requests) < 100


def test_a_product_that_is_refused_for_good_is_named(stand_in: StandIn, writer: ElasticWriter) -> None:
    stand_in.verdict = lambda request, product_id: 400 if product_id == "B01" else 201
    with pytest.raises(UserError, match=r"refuses the product 'B01': rejected execution of a task\."):
        writer.add(shelf_of(*["bird"] * 3))
    assert len(stand_in.requests) == 1


def test_requests_are_bounded_in_size(
    stand_in: StandIn, writer: ElasticWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elastic, "REQUEST_BYTES", 400)
    described = {"price": 0.0, "details": {"Brand": "Robin", "Made": {"where": "x"}}}
    writer.add(shelf_of(("bird", described), *["bird"] * 9))
    assert len(stand_in.requests) > 3
    assert [product_id for ids in stand_in.requests for product_id in ids] == [f"B{n:02}" for n in range(10)]
    assert stand_in.stored["B00"] == {
        "product_id": "B00",
        "text": ["bird", "bird", "bird", "pet suppli", "robin"],
        "pairs": ["petsuppli"],
        "category": ["pet supplies"],
        "category_name": ["Pet_Supplies"],
        "price": 0.0,
    }
