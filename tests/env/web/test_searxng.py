from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from drretail.env.web.base import WebResult
from drretail.env.web.searches import Service
from drretail.env.web.searxng import ACCESS, SearxngSearch
from drretail.errors import ToolError

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def searxng(httpserver: HTTPServer) -> SearxngSearch:
    address = httpserver.url_for("/search")
    return SearxngSearch(Service("SearXNG", address, 5, ACCESS, wait=lambda _: None, now=lambda: NOW))


def answered(httpserver: HTTPServer, value: Any) -> None:
    httpserver.expect_request("/search").respond_with_json(value)


def test_it_is_asked_for_json(httpserver: HTTPServer, searxng: SearxngSearch) -> None:
    answered(httpserver, {"results": []})
    assert searxng.search("bird & bees?", 5) == []
    ((request, _),) = httpserver.log
    assert (request.method, dict(request.args)) == ("GET", {"q": "bird & bees?", "format": "json"})


def test_an_address_that_cannot_be_asked_is_an_error() -> None:
    nowhere = Service("SearXNG", "http://a..b/search", 2, ACCESS, wait=lambda _: None)
    with pytest.raises(ToolError, match="cannot be reached"):
        SearxngSearch(nowhere).search("x", 5)


def test_results_have_title_address_snippet_and_date(httpserver: HTTPServer, searxng: SearxngSearch) -> None:
    first = {
        "title": "A",
        "url": "https://a.example/",
        "content": "Five\n feet.",
        "publishedDate": "2024-03-03T00:00:00",
        "engines": ["duckduckgo"],
        "score": 2.0,
    }
    second = {"title": "B", "url": "https://b.example/", "content": None, "publishedDate": None}
    answered(httpserver, {"query": "x", "results": [first, "broken", {"url": None}, second, first], "answers": []})
    assert searxng.search("x", 5) == [
        WebResult("A", "https://a.example/", "Five feet.", "2024-03-03"),
        WebResult("B", "https://b.example/", ""),
    ]


def test_more_results_are_of_its_further_pages(httpserver: HTTPServer, searxng: SearxngSearch) -> None:
    for number in (1, 2, 3):
        found = [
            {"title": "A", "url": f"https://a.example/{number}/{index}"} for index in range(10 if number < 3 else 0)
        ]
        args = {"q": "x", "format": "json"} | ({} if number == 1 else {"pageno": str(number)})
        httpserver.expect_request("/search", query_string=args).respond_with_json({"results": found})
    assert len(searxng.search("x", 30)) == 20
    assert len(searxng.search("x", 10)) == 10


def test_json_switched_off_at_the_server_is_said_with_the_setting(
    httpserver: HTTPServer, searxng: SearxngSearch
) -> None:
    httpserver.expect_request("/search").respond_with_data("<html>Forbidden", 403)
    with pytest.raises(
        ToolError, match=r"\(403\): let it answer in JSON .*formats: \[html, json\] .*settings\.yml"
    ) as caught:
        searxng.search("x", 5)
    assert caught.value.kind == "forbidden"


def test_engines_that_do_not_answer_are_named(httpserver: HTTPServer, searxng: SearxngSearch) -> None:
    silent = [["google", "Suspended: CAPTCHA"], ["brave", "timeout"], "odd", []]
    answered(httpserver, {"results": [], "unresponsive_engines": silent})
    with pytest.raises(ToolError, match=r"google: Suspended: CAPTCHA, brave: timeout\)"):
        searxng.search("x", 5)
    httpserver.clear()
    found = [{"title": "A", "url": "https://a.example/", "content": ""}]
    answered(httpserver, {"results": found, "unresponsive_engines": silent})
    assert len(searxng.search("x", 5)) == 1, "while others answer it is no trouble"


@pytest.mark.parametrize("value", [[], {"results": None}])
def test_another_form_of_answer_is_said(value: Any, httpserver: HTTPServer, searxng: SearxngSearch) -> None:
    answered(httpserver, value)
    with pytest.raises(ToolError, match="form that is not known"):
        searxng.search("x", 5)
