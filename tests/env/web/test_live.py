from drretail.env.web.base import Web, WebResult
from drretail.env.web.live import LiveWeb, OpenPages
from drretail.env.web.reading.page import read_page
from tests.env.web.fetching.local_site import Names, by_path, fetcher, html, serving

WORDS = "A feeder hangs five feet high, out of reach of cats, and ten feet away from trees. " * 5


class Engine:
    provider = "engine"

    def search(self, query: str, k: int) -> list[WebResult]:
        return [WebResult("Heights", "http://shop.example/", query)] * k


def test_search_and_pages_are_one_web() -> None:
    page = html(f"<html><head><title>Heights</title></head><body><article><p>{WORDS}</p></article></body>".encode())
    with serving(by_path({"/": page, "/empty": html(b"<p></p>")})) as site:
        reader = fetcher(site, Names({"shop.example": [["127.0.0.1"]]}))
        web: Web = LiveWeb(Engine(), OpenPages(reader.fetch, read_page))
        found = web.fetch(f"http://shop.example:{site.port}/")
        failed = [web.fetch(f"http://shop.example:{site.port}{path}") for path in ("/empty", "/gone")]
    assert (web.provider, web.corpus, len(web.search("x", 3))) == ("engine", None, 3)
    assert (found.state, found.title, "five feet high" in found.text) == ("ok", "Heights", True)
    assert [page.state for page in failed] == ["no_content", "error"]
    assert found.problem is None
    assert "no text of its own" in str(failed[0].problem)
    assert failed[1].problem == "There is no such page (404)."
