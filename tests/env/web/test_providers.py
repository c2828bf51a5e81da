"""Results of Serper and of a SearXNG: what is asked, what comes, and what goes wrong."""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import SecretStr
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from drretail.env.web.base import WebResult
from drretail.env.web.cleaning import cleaned_result, web_address
from drretail.env.web.providers import (
    SEARXNG_ACCESS,
    SERPER_ACCESS,
    SearxngSearch,
    SerperSearch,
    Service,
    first_results,
    iso_date,
)
from drretail.errors import ToolError
from drretail.reports.text.evidence_ids import normalise_url

KEY = "k-0123456789abcdef0123456789abcdef"
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
ORGANIC = [
    {"title": "Feeder  heights", "link": "https://a.example/x", "snippet": "Five feet.", "position": 1},
    {"title": "Older", "link": "https://b.example/", "snippet": "Six feet.", "date": "Mar 3, 2024"},
    {"title": "Same page", "link": "https://A.example/x/?utm_source=y", "snippet": "Again."},
    {"title": "News", "link": "http://c.example/n", "snippet": "Seven.", "date": "2 days ago"},
]


@pytest.fixture
def waited() -> list[float]:
    return []


@pytest.fixture
def serper(httpserver: HTTPServer, waited: list[float]) -> SerperSearch:
    service = Service("Serper", httpserver.url_for("/search"), 5, SERPER_ACCESS, wait=waited.append, now=lambda: NOW)
    return SerperSearch(service, SecretStr(KEY))


def hits(first: int, count: int) -> list[dict[str, Any]]:
    return [{"link": f"https://a.example/{index}", "title": str(index)} for index in range(first, first + count)]


def answered(httpserver: HTTPServer, *answers: tuple[int, Any, dict[str, str]]) -> None:
    """The given answers in turn, then the last again."""
    left = list(answers)

    def answer(_: Request) -> Response:
        status, body, headers = left.pop(0) if len(left) > 1 else left[0]
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        return Response(text, status, headers)

    httpserver.expect_request("/search").respond_with_handler(answer)


def problem(search: Callable[[], object]) -> ToolError:
    with pytest.raises(ToolError) as caught:
        search()
    whole = f"{caught.value} {caught.value!r} {caught.value.as_result()} {caught.value.__cause__!r}"
    assert KEY not in whole
    return caught.value


def test_query_and_key_are_sent_and_results_come_in_order_each_page_once_with_iso_dates(
    httpserver: HTTPServer, serper: SerperSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    answered(httpserver, (200, {"organic": ORGANIC, "ads": [{"link": "https://ad.example"}], "credits": 1}, {}))
    assert serper.search("how high to hang a \ud800 feeder?", 5) == [  # half a character is no trouble
        WebResult("Feeder heights", "https://a.example/x", "Five feet."),
        WebResult("Older", "https://b.example/", "Six feet.", "2024-03-03"),
        WebResult("News", "http://c.example/n", "Seven.", "2026-03-08"),
    ]
    ((request, _),) = httpserver.log
    assert (request.method, request.get_json()) == ("POST", {"q": "how high to hang a ? feeder?", "num": 5})
    assert request.headers["X-API-KEY"] == KEY
    assert "Cookie" not in request.headers
    assert [result.title for result in serper.search("feeder", 1)] == ["Feeder heights"]


@pytest.mark.parametrize(
    ("pages", "k", "found"),
    [
        ([hits(0, 10), hits(8, 10), hits(16, 10)], 25, 25),
        ([hits(0, 10), hits(0, 10)], 100, 10),
    ],
    ids=["more than a page holds", "nothing new"],
)
def test_results_are_asked_for_page_by_page_until_there_are_enough_or_no_more(
    pages: list[list[dict[str, Any]]], k: int, found: int, httpserver: HTTPServer, serper: SerperSearch
) -> None:
    answered(httpserver, *((200, {"organic": page}, {}) for page in pages))
    assert [each.title for each in serper.search("x", k)] == [str(index) for index in range(found)]
    asked = [request.get_json().get("page", 1) for request, _ in httpserver.log]
    assert asked == list(range(1, len(pages) + 1))


@pytest.mark.parametrize(
    "item",
    [None, 3, "text", [], {"title": "no link"}, {"link": 5}, {"link": "javascript:x()"}, {"link": "//x.example"}],
)
def test_a_broken_item_does_not_cost_the_others(item: object, httpserver: HTTPServer, serper: SerperSearch) -> None:
    answered(httpserver, (200, {"organic": [item, ORGANIC[0]]}, {}))
    assert [result.url for result in serper.search("x", 5)] == ["https://a.example/x"]


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (403, {"message": "Unauthorized."}, "forbidden", "set SERPER_API_KEY"),
        (400, {"message": "Not enough credits"}, "forbidden", "no credits left"),
        (400, {"message": f"bad request by {KEY}"}, "unavailable", "answers 400"),
        (500, "<html>", "unavailable", "fault of its own"),
        (429, "", "limit", "asked too often"),
        (200, "<html>hello", "unavailable", "not JSON"),
        (200, "[]", "unavailable", "form that is not known"),
        (200, "x" * 4_000_001, "unavailable", "more than"),
    ],
)
def test_what_goes_wrong_is_a_sentence_with_what_to_do(
    status: int, body: Any, kind: str, message: str, httpserver: HTTPServer, serper: SerperSearch
) -> None:
    answered(httpserver, (status, body, {"Location": httpserver.url_for("/elsewhere")}))
    error = problem(lambda: serper.search("x", 5))
    assert error.kind == kind
    assert message in error.message
    assert {request.path for request, _ in httpserver.log} == {"/search"}, "no key is sent elsewhere"


def test_trouble_is_waited_for_three_times(httpserver: HTTPServer, serper: SerperSearch, waited: list[float]) -> None:
    busy = (429, "", {"Retry-After": "2"})
    answered(httpserver, busy, (503, "", {}), (200, {"organic": ORGANIC}, {}), (500, "", {}))
    assert len(serper.search("x", 5)) == 3
    assert waited == [2.0, 1.0]
    problem(lambda: serper.search("x", 5))
    assert (len(httpserver.log), waited) == (3 + 3, [2.0, 1.0, 1.0, 1.0])


def test_a_service_that_hangs_is_a_time_out_and_one_that_is_not_there_named_with_its_address() -> None:
    def hang(_: Request) -> Response:
        time.sleep(0.6)
        return Response("{}")

    def asked_at(address: str) -> ToolError:
        service = Service("Serper", address, 0.2, SERPER_ACCESS, wait=lambda _: None)
        return problem(lambda: SerperSearch(service, SecretStr(KEY)).search("x", 5))

    with HTTPServer() as server:  # one of its own, since it is still asked when the answer is not waited for any more
        server.expect_request("/search").respond_with_handler(hang)
        error = asked_at(server.url_for("/search"))
    assert (error.kind, "within 0.2 seconds" in error.message) == ("timeout", True)
    error = asked_at("http://127.0.0.1:9/search?key=hidden")
    assert error.kind == "unavailable"
    assert "http://127.0.0.1:9/search;" in error.message
    assert "hidden" not in error.message


@pytest.fixture
def searxng(httpserver: HTTPServer) -> SearxngSearch:
    address = httpserver.url_for("/search")
    return SearxngSearch(Service("SearXNG", address, 5, SEARXNG_ACCESS, wait=lambda _: None, now=lambda: NOW))


def test_results_have_title_address_snippet_and_date(httpserver: HTTPServer, searxng: SearxngSearch) -> None:
    first = {"title": "A", "url": "https://a.example/", "content": "Five\n feet.", "publishedDate": "2024-03-03T00:00"}
    second = {"title": "B", "url": "https://b.example/", "content": None, "publishedDate": None, "score": 2.0}
    httpserver.expect_request("/search").respond_with_json(
        {"query": "x", "results": [first, "broken", {"url": None}, second, first], "answers": []}
    )
    assert searxng.search("bird & bees?", 5) == [
        WebResult("A", "https://a.example/", "Five feet.", "2024-03-03"),
        WebResult("B", "https://b.example/", ""),
    ]
    ((request, _),) = httpserver.log
    assert (request.method, dict(request.args)) == ("GET", {"q": "bird & bees?", "format": "json"})


def test_json_switched_off_or_a_bad_address_is_said(httpserver: HTTPServer, searxng: SearxngSearch) -> None:
    httpserver.expect_request("/search").respond_with_data("<html>Forbidden", 403)
    message = r"\(403\): let it answer in JSON .*formats: \[html, json\] .*settings\.yml"
    with pytest.raises(ToolError, match=message) as caught:
        searxng.search("x", 5)
    assert caught.value.kind == "forbidden"
    nowhere = Service("SearXNG", "http://a..b/search", 2, SEARXNG_ACCESS, wait=lambda _: None)
    with pytest.raises(ToolError, match="cannot be reached"):
        SearxngSearch(nowhere).search("x", 5)


SILENT = [["google", "Suspended: CAPTCHA"], ["brave", "timeout"], "odd", []]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"results": [], "unresponsive_engines": SILENT}, r"google: Suspended: CAPTCHA, brave: timeout\)"),
        *((value, "form that is not known") for value in ([], {"results": None})),
    ],
)
def test_silent_engines_are_named(value: Any, message: str, httpserver: HTTPServer, searxng: SearxngSearch) -> None:
    httpserver.expect_request("/search").respond_with_json(value)
    with pytest.raises(ToolError, match=message):
        searxng.search("x", 5)
    found = [{"title": "A", "url": "https://a.example/", "content": ""}]
    for results, silent in ((found, SILENT), ([], [])):  # while others answer it is no trouble
        httpserver.clear()
        httpserver.expect_request("/search").respond_with_json({"results": results, "unresponsive_engines": silent})
        assert len(searxng.search("x", 5)) == len(results)


def test_a_time_ago_is_a_day_unless_it_is_in_months() -> None:
    for text, day in (("5 hours ago", "2026-03-10"), ("13 hours ago", "2026-03-09"), ("3 months ago", None)):
        assert iso_date(text, NOW) == day, text


ADDRESSES = st.text() | st.text().map("https://a.example/{}".format)


@given(st.lists(st.builds(WebResult, st.text(), ADDRESSES, st.text())), st.integers(0, 6))
@example([WebResult("A\u202eB\x00", "https://a.example/", "word " * 5000)], 5)
def test_results_are_at_most_k_and_as_any_provider_s_are_cleaned(found: list[WebResult], k: int) -> None:
    kept = first_results(found, k)
    assert len(kept) <= k
    assert [cleaned_result(result) for result in kept] == kept
    assert len(kept) == min(k, len({normalise_url(url) for url in (web_address(each.url) for each in found) if url}))
