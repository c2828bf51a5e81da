"""Cited pages at judging time: fetched once, written down, served from there."""

import asyncio
import threading
from pathlib import Path

from drretail.env.web.base import WebPage
from drretail.errors import ToolError
from drretail.eval.judging.sources import LivePages
from drretail.journal import read_effects

URL, GONE = "https://a.example/", "https://gone.example/"


class Site:
    """One page, whose text a test can change; counts its fetches."""

    provider = "site"

    def __init__(self, text: str = "Hello.") -> None:
        self.text = text
        self.fetched: list[str] = []
        self._lock = threading.Lock()

    def fetch(self, url: str) -> WebPage:
        with self._lock:
            self.fetched.append(url)
        if url == GONE:
            raise ToolError("unavailable", "It is\u202e gone.")
        return WebPage(url, "A", self.text, "ok")


def read(path: Path, site: Site, *urls: str, anew: bool = False) -> list[WebPage]:
    async def all_pages() -> list[WebPage]:
        with LivePages(path, {"a": site, "b": site}, anew=anew) as pages:
            return await asyncio.gather(*(pages.page(label, url) for url in urls for label in "ab"))

    return asyncio.run(all_pages())


def test_a_page_is_fetched_once_for_all_who_ask_and_never_by_a_later_command(tmp_path: Path) -> None:
    path, site = tmp_path / "live.jsonl", Site()
    first = read(path, site, URL, GONE)
    assert sorted(site.fetched) == [URL, GONE]
    written = path.read_bytes()
    site.text = "Changed."
    assert read(path, site, URL, GONE) == first
    assert len(site.fetched) == 2
    assert path.read_bytes() == written
    assert [page.text for page in first] == ["Hello.", "Hello.", "", ""]


def test_a_page_that_cannot_be_had_says_why(tmp_path: Path) -> None:
    for _ in range(2):
        page = read(tmp_path / "live.jsonl", Site(), GONE)[0]
        assert (page.state, page.problem) == ("error", "It is gone.")


def test_anew_fetches_again_and_the_last_page_counts(tmp_path: Path) -> None:
    path, site = tmp_path / "live.jsonl", Site()
    read(path, site, URL)
    for text in ("Second.", "Third."):
        site.text = text
        assert read(path, site, URL, anew=True)[0].text == text
        assert read(path, site, URL)[0].text == text
    assert len(site.fetched) == 3
    assert [effect.scope for effect in read_effects(path)] == ["live/1", "live/2", "live/3"]


def test_nothing_asked_leaves_no_file(tmp_path: Path) -> None:
    read(tmp_path / "live.jsonl", Site())
    assert list(tmp_path.iterdir()) == []
