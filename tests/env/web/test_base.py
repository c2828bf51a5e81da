"""Webs by their names, and what is said of wrong ones. Also tests providers.py."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from pytest_httpserver import HTTPServer

from drretail.env.web.base import PageOptions, Web, WebOptions, WebResult, open_web
from drretail.env.web.providers import LiveWeb
from drretail.errors import ToolError, UserError
from tests.env.web.local_site import by_path, fetcher, html, serving
from tests.tools.conftest import ListWeb

KEY = SecretStr("k-0123456789abcdef")


def test_a_web_opens_with_what_it_needs_and_a_replay_needs_nothing(tmp_path: Path, httpserver: HTTPServer) -> None:
    corpus = tmp_path / "pages.jsonl"
    corpus.write_text('{"url": "https://a.example/", "title": "Feeder", "text": "High."}\n', encoding="utf-8")
    shipped, own = open_web("sandbox"), open_web(f"sandbox:{corpus}")
    assert (shipped.provider, [result.title for result in own.search("feeder", 5)]) == ("sandbox", ["Feeder"])
    assert own.corpus != shipped.corpus
    web = open_web("serper", WebOptions(serper_key=KEY))
    assert (web.provider, web.corpus) == ("serper", None)
    assert open_web("searxng", WebOptions(searxng_address="http://localhost:8080")).provider == "searxng"
    httpserver.expect_request("/search").respond_with_data("", 403)
    replayed = WebOptions(replayed=True, serper_address=httpserver.url_for("/search"))
    for name in ("serper", "searxng"):
        assert open_web(name, replayed).provider == name
    with pytest.raises(ToolError, match="SERPER_API_KEY"):
        open_web("serper", replayed).search("x", 5)


def none(argument: str | None, options: WebOptions) -> Any:
    del argument, options


KEYS = (None, SecretStr("two secret words"), SecretStr("line\nend-of-secret"))
PROXIES = ("secret@proxy", "http://me:secret@proxy", "socks5://me:secret@proxy:1", "http://[:1")
AGENTS = ("1bot", "bot\r\nX: y", "böt", "/")
NO_WEBS: list[tuple[str, dict[str, Any], str]] = [
    ("sandbox:none.jsonl", {}, "does not exist"),
    ("sandbox:", {}, "names nothing behind the colon"),
    ("searxng", {}, "searxng:http://localhost:8080"),
    ("searxng:http://me:secret@localhost:8080", {}, "leave user name and password out"),
    *((f"searxng:{address}", {}, "no http") for address in ("localhost:8080", "ftp://h", "http://h:port/")),
    ("serper:secret-0123456789abcdef", {}, "takes no argument"),
    ("serpr:x", {}, "Did you mean serper"),
    (f"{__name__}:none", {}, "gave NoneType, which has no search and fetch"),
    *(("serper", {"serper_key": key}, "SERPER_API_KEY") for key in KEYS),
    *(("serper", {"proxy": proxy}, "http://host:port") for proxy in PROXIES),
    *(("serper", {"pages": PageOptions(user_agent=agent)}, "user agent") for agent in AGENTS),
]


@pytest.mark.parametrize(("spec", "fields", "message"), NO_WEBS)
def test_what_opens_no_web_is_said_without_what_is_secret(spec: str, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        open_web(spec, replace(WebOptions(serper_key=KEY), **fields))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("path", ["", "/", "/search", "/search/"])
def test_searxng_is_asked_at_its_search_page_and_leads_nowhere_inside(path: str, httpserver: HTTPServer) -> None:
    inner = httpserver.url_for("/inner")  # the search service may be on this machine, its pages may not
    httpserver.expect_request("/search").respond_with_json({"results": [{"url": inner, "title": "A"}]})
    web = open_web(f"searxng:{httpserver.url_for(path)}")
    assert (web.provider, web.search("x", 5)) == ("searxng", [WebResult("A", inner, "")])
    page = web.fetch(inner)
    assert (page.url, page.state, page.text) == (inner, "blocked", "")
    assert [request.path for request, _ in httpserver.log] == ["/search"]


WORDS = "A feeder hangs five feet high, out of reach of cats, and ten feet away from trees. " * 5


def test_search_and_pages_are_one_web() -> None:
    page = html(
        f"<html><head><title>Heights</title></head><body><article><h1>Heights</h1><p>{WORDS}</p></article></body>".encode()
    )
    with serving(by_path({"/": page, "/empty": html(b"<p></p>")})) as site:
        web: Web = LiveWeb(ListWeb(), fetcher(site))
        found = web.fetch(site.url())
        failed = [web.fetch(site.url(path)) for path in ("/empty", "/gone")]
    assert (web.provider, web.corpus, len(web.search("x", 3))) == ("list", None, 1)
    assert (found.state, found.title, "five feet high" in found.text) == ("ok", "Heights", True)
    assert [page.state for page in failed] == ["no_content", "not_found"]
    assert found.problem is None
    assert "no text of its own" in str(failed[0].problem)
    assert failed[1].problem == "The site answers 404 instead of a page."
