import pytest

from tests.env.web.fetching.local_site import Names, always, by_path, fetcher, html, redirect, serving

NAMES = {"shop.example": [["127.0.0.1"]]}


def test_a_page_comes_with_all_that_is_known_of_it() -> None:
    with serving(always(html("<p>grün".encode(), kind="Text/HTML; Charset=UTF-8"))) as site:
        url = f"http://Shop.Example:{site.port}/a b?q=1#part".replace(" ", "%20")
        found = fetcher(site, Names(NAMES)).fetch(url)
    assert (found.url, found.final_url) == (url, f"http://shop.example:{site.port}/a%20b?q=1")
    assert (found.state, found.status, found.content_type, found.charset) == ("ok", 200, "text/html", "utf-8")
    assert (found.body.decode(), found.problem) == ("<p>grün", None)


def test_nothing_is_sent_that_tells_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://user:secret@127.0.0.1:9")
    cookie = "Set-Cookie: who=you; Path=/"
    with serving(by_path({"/": redirect("/page").replace(b"Location", f"{cookie}\r\nLocation".encode())})) as site:
        reader = fetcher(site, Names(NAMES))
        reader.fetch(f"http://shop.example:{site.port}/")
        reader.fetch(f"http://shop.example:{site.port}/page")
        assert len(site.requests) == 3
        for request in site.requests:
            names = {line.partition(":")[0].lower() for line in request.splitlines()[1:] if line}
            assert names == {"host", "user-agent", "accept", "accept-language", "accept-encoding", "connection"}
            assert "User-Agent: drretail/test\r\nAccept:" in request
            assert request.startswith("GET /")


@pytest.mark.parametrize(
    ("status", "state"),
    [
        *((f"{status} No", "blocked") for status in (401, 402, 403, 429, 451)),
        *((f"{status} No", "error") for status in (304, 400, 404, 410, 500, 503, 999)),
    ],
)
def test_an_answer_without_a_page_is_told_apart_and_its_body_left(status: str, state: str) -> None:
    with serving(always(html(b"<p>please log in", status=status))) as site:
        found = fetcher(site, Names(NAMES)).fetch(f"http://shop.example:{site.port}/")
    assert (found.state, found.body) == (state, b"")
    assert found.problem


@pytest.mark.parametrize("sent", [html(b""), html(b" \n\t "), b"HTTP/1.1 204 No Content\r\n\r\n"])
def test_an_empty_page_is_no_content(sent: bytes) -> None:
    with serving(always(sent)) as site:
        assert fetcher(site, Names(NAMES)).fetch(f"http://shop.example:{site.port}/").state == "no_content"


def test_a_host_that_is_not_there_or_does_not_listen_is_an_error() -> None:
    with serving(always(html(b"x"))) as site:
        port = site.port
        reader = fetcher(site, Names(NAMES | {"gone.example": [[]]}), robots=True)
        assert "no host" in str(reader.fetch(f"http://gone.example:{port}/").problem)
    found = reader.fetch(f"http://shop.example:{port}/")
    assert (found.state, "cannot be reached" in str(found.problem)) == ("error", True)


def test_the_next_address_is_tried_where_the_first_does_not_answer() -> None:
    with serving(always(html(b"<p>here"))) as site:
        names = Names({"shop.example": [["127.0.0.3", "127.0.0.1"]]})
        reader = fetcher(site, names, allowed=lambda address: address.is_loopback)
        assert reader.fetch(f"http://shop.example:{site.port}/").state == "ok"


@pytest.mark.parametrize("kind", ["application/pdf", "x/y; a=b"])
def test_what_calls_itself_something_else_is_no_content(kind: str) -> None:
    with serving(always(html(b"<p>words", kind=kind))) as site:
        found = fetcher(site, Names(NAMES)).fetch(f"http://shop.example:{site.port}/")
    assert (found.state, found.body) == ("no_content", b"")
