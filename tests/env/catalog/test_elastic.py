"""Loading an index into a stand-in for Elasticsearch that refuses what it is told to."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from drretail.env.catalog import elastic
from drretail.env.catalog.elastic import ElasticWriter
from drretail.env.servers.clients import Patience
from drretail.errors import UserError
from tests.env.catalog.conftest import shelf_of

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
