from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from drretail.env.web.base import WebResult
from drretail.env.web.searches import Service, first_results, iso_date
from drretail.env.web.searxng import ACCESS, SearxngSearch
from drretail.errors import ToolError

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def searxng(httpserver: HTTPServer) -> SearxngSearch:
    address = httpserver.url_for("/search")
    return SearxngSearch(Service("SearXNG", address, 5, ACCESS, wait=lambda _: None, now=lambda: NOW))


def answered(httpserver: HTTPServer, value: Any) -> None:
    httpserver.expect_request("/search").respond_with_json(value)


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
    nowhere = Service("SearXNG", "http://a..b/search", 2, ACCESS, wait=lambda _: None)
    with pytest.raises(ToolError, match="cannot be reached"):
        SearxngSearch(nowhere).search("x", 5)


def test_more_results_are_of_its_further_pages(httpserver: HTTPServer, searxng: SearxngSearch) -> None:
    for number in (1, 2, 3):
        found = [
            {"title": "A", "url": f"https://a.example/{number}/{index}"} for index in range(10 if number < 3 else 0)
        ]
        args = {"q": "x", "format": "json"} | ({} if number == 1 else {"pageno": str(number)})
        httpserver.expect_request("/search", query_string=args).respond_with_json({"results": found})
    assert len(searxng.search("x", 30)) == 20
    assert len(searxng.search("x", 10)) == 10


SILENT = [["google", "Suspended: CAPTCHA"], ["brave", "timeout"], "odd", []]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"results": [], "unresponsive_engines": SILENT}, r"google: Suspended: CAPTCHA, brave: timeout\)"),
        *((value, "form that is not known") for value in ([], {"results": None})),
    ],
)
def test_silent_engines_are_named(value: Any, message: str, httpserver: HTTPServer, searxng: SearxngSearch) -> None:
    answered(httpserver, value)
    with pytest.raises(ToolError, match=message):
        searxng.search("x", 5)
    found = [{"title": "A", "url": "https://a.example/", "content": ""}]
    for results, silent in ((found, SILENT), ([], [])):  # while others answer it is no trouble
        httpserver.clear()
        answered(httpserver, {"results": results, "unresponsive_engines": silent})
        assert len(searxng.search("x", 5)) == len(results)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Mar 3, 2024", "2024-03-03"),
        ("3 Mar 2024", "2024-03-03"),
        ("2024-03-03T23:59:00Z", "2024-03-03"),
        ("5 hours ago", "2026-03-10"),
        ("13 hours ago", "2026-03-09"),
        ("1 day ago", "2026-03-09"),
        ("2 weeks ago", "2026-02-24"),
        ("3 months ago", None),
        ("2024-13-45", None),
        ("", None),
        (None, None),
    ],
)
def test_a_date_is_a_day_or_nothing(text: str | None, day: str | None) -> None:
    assert iso_date(text, NOW) == day


@given(st.text(), st.dates(min_value=date(1970, 1, 1)))
def test_every_day_is_read_as_it_was_written_and_no_text_is_too_odd_for_a_date(text: str, day: date) -> None:
    assert iso_date(day.isoformat(), NOW) == day.isoformat()
    assert iso_date(f"{day.day} {day.strftime('%B')} {day.year:04d}", NOW) == day.isoformat()
    found = iso_date(text, NOW)
    assert found is None or date.fromisoformat(found)


@given(st.lists(st.builds(WebResult, st.text(), st.text(), st.text())), st.integers(0, 6))
def test_results_are_at_most_k_bounded_and_of_the_web(found: list[WebResult], k: int) -> None:
    kept = first_results(found, k)
    assert len(kept) <= k
    assert all(result.url.lower().startswith(("http://", "https://")) for result in kept)


def test_hidden_characters_and_endless_texts_do_not_come_through() -> None:
    (result,) = first_results([WebResult("A\u202eB\x00", "https://a.example/", "word " * 5000)], 5)
    assert (result.title, len(result.snippet) <= 1500) == ("AB", True)
