"""Pages that are fetched side by side: those of one search (+ws), and those that a report cites."""

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from drretail.env.session import Session
from drretail.env.web.base import WebPage, WebResult
from drretail.env.world import World
from drretail.errors import ModelError, ToolError
from drretail.journal import Journal
from drretail.tools.cited_pages import AT_ONCE, fetch_cited, rounds
from drretail.tools.toolkit import Toolkit
from drretail.tools.web import fetch_pages

HOSTS = ("a", "b", "c", "d", "e")
URLS = [f"https://{host}.example/" for host in HOSTS]


class SlowWeb:
    """Pages that take their time, in seconds by host; counts how many are under way at once."""

    provider = "slow"
    corpus = None

    def __init__(self, seconds: Sequence[float]) -> None:
        self._seconds = dict(zip(URLS, seconds, strict=True))
        self._lock = threading.Lock()
        self._now = 0
        self.most = 0
        self.fetched: list[str] = []
        self._over = threading.Event()

    def end(self) -> None:
        """Lets all pages come, and waits until nothing is under way."""
        self._over.set()
        for thread in threading.enumerate():
            if thread.name == "drretail-tool":
                thread.join()

    def search(self, query: str, k: int) -> list[WebResult]:
        return [WebResult(url, url, f"of {url}") for url in URLS]

    def fetch(self, url: str) -> WebPage:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            self.fetched.append(url)
        self._over.wait(self._seconds[url])
        with self._lock:
            self._now -= 1
        if url.startswith("https://d"):
            raise ToolError("forbidden", "Not for\u202e you.")
        if url.startswith("https://e"):
            return WebPage(url, "", "", "blocked", problem="robots.txt forbids it.")
        return WebPage(url, "", f"All of {url}", "ok")


def searched(world: World, web: SlowWeb, **given: object) -> tuple[Session, list[str]]:
    session = Session(replace(world, web=web), web_mode="ws", **given)  # pyright: ignore[reportArgumentType]
    with Toolkit(session) as toolkit:
        reply = toolkit.call("web_search", {"query": "x"})
    return session, [result["url"] for result in reply.value["results"]]


@pytest.mark.parametrize("seconds", [(0.2, 0.15, 0.1, 0.05, 0), (0.05, 0.1, 0.15, 0.2, 0.25)])
def test_pages_come_side_by_side_and_are_kept_in_order_of_rank(world: World, seconds: tuple[float, ...]) -> None:
    web = SlowWeb(seconds)
    session, urls = searched(world, web)
    assert web.most > 1
    assert urls == URLS
    assert [effect.request.get("url") for effect in session.journal.effects] == [None, *URLS]
    assert {effect.scope for effect in session.journal.effects} == {"0/0"}
    assert [entry.url for entry in session.ledger.evidence()] == URLS


def test_why_a_page_has_no_text_stands_in_journal_and_evidence(world: World) -> None:
    session, _ = searched(world, SlowWeb([0] * 5))
    found = {entry.url: (entry.state, entry.problem) for entry in session.ledger.evidence()}
    assert found[URLS[0]] == ("ok", None)
    assert found[URLS[3]] == ("error", "Not for you.")
    assert found[URLS[4]] == ("blocked", "robots.txt forbids it.")
    blocked = session.journal.effects[5]
    assert blocked.response["page"]["problem"] == "robots.txt forbids it."
    assert session.journal.effects[4].error is not None


def test_a_page_that_comes_too_late_costs_no_other_nor_search(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.tools.web.PAGES_SHARE", 0.05)  # a busy machine has the rest to end the call
    web = SlowWeb([0.05, 3600, 0.05, 0, 0])  # waited for, it would hang
    try:
        session, urls = searched(world, web, tool_timeout=20)
    finally:
        web.end()  # a thread that is left would be counted by others
    assert urls == URLS
    states = [entry.state for entry in session.ledger.evidence()]
    assert states == ["ok", "error", "ok", "error", "blocked"]
    assert session.journal.effects[2].error is not None
    assert session.journal.effects[2].error["kind"] == "timeout"


def test_a_cut_search_fetches_only_the_pages_that_it_had_not_written_down() -> None:
    web = SlowWeb([0] * 5)
    whole = Journal()
    first = fetch_pages(web, URLS, whole.scope("0/0"), 5)
    for kept in range(6):
        cut = Journal()
        cut._known = {effect.key: effect for effect in whole.effects[:kept]}  # pyright: ignore[reportPrivateUsage]
        web.fetched.clear()
        assert fetch_pages(web, URLS, cut.scope("0/0"), 5) == first
        assert sorted(web.fetched) == URLS[kept:]


def test_a_replayed_search_fetches_nothing() -> None:
    web = SlowWeb([0] * 5)
    replayed = Journal()
    replayed._replays = True  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(ModelError, match="the run differs"):
        fetch_pages(web, URLS, replayed.scope("0/0"), 5)
    assert web.fetched == []


MANY = [f"https://{site}.example/{number}" for number in range(3) for site in "abcdef"]


class Site:
    provider = "site"

    def fetch(self, url: str) -> WebPage:
        if "b.example" in url:
            raise ToolError("unavailable", "It is gone.")
        if "c.example" in url:
            raise RuntimeError("a plugin's bug")
        return WebPage(url, "A page", "Text.", "ok")


def test_a_round_holds_no_site_twice_and_no_more_than_a_few() -> None:
    made = list(rounds([*MANY, MANY[0]]))
    assert sorted(url for some in made for url in some) == sorted(MANY)
    for some in made:
        assert len({url.split("/")[2] for url in some}) == len(some) <= AT_ONCE


def test_every_page_has_a_state_whatever_its_web_does() -> None:
    journal = Journal()
    found = dict(fetch_cited(Site(), MANY, journal.scope("cited"), 5))
    assert {url for url, page in found.items() if page.state == "ok"} == {u for u in MANY if u[8] not in "bc"}
    assert found["https://b.example/0"].problem == "It is gone."
    assert "a plugin's bug" in (found["https://c.example/0"].problem or "")
    assert [effect.kind for effect in journal.effects] == ["page_fetch"] * len(MANY)
