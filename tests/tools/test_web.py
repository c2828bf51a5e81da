"""The search of the web: results, their dates and pages, cited pages, and the journal."""

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from drretail.env.session import Session, SessionSettings
from drretail.env.web.base import WebPage, WebResult
from drretail.env.world import World
from drretail.errors import ModelError, ToolError
from drretail.experiments.journal import Journal
from drretail.records.evidence import Source
from drretail.records.run import WebMode
from drretail.reports.text.evidence_ids import web_evidence_id
from drretail.tools.toolkit import Toolkit
from drretail.tools.web import READ_BEFORE, fetch_cited, fetch_pages, rounds
from tests.threads import all_at_rest
from tests.tools.conftest import PAGES, ListWeb, error_of


def searched(world: World, web: Any, **given: Any) -> tuple[Session, list[dict[str, Any]]]:
    """A session that has searched this web, for summaries of pages, and its results."""
    session = Session(replace(SessionSettings(replace(world, web=web), web_mode="ws"), **given))
    toolkit = Toolkit(session)
    return session, toolkit.call("web_search", {"query": "x"}).value["results"]


def test_results_have_evidence_url_snippet_and_a_date_where_known(toolkit: Toolkit, session: Session) -> None:
    value = toolkit.call("web_search", {"query": "dog bed or bird feeder height"}).value
    assert value["shown"] == 2
    snippets = [entry.texts[0] for entry in session.ledger.evidence()]
    assert [(text.form, json.loads(text.text)) for text in snippets] == [("snippet", each) for each in value["results"]]
    by_url = {result["url"]: result for result in value["results"]}
    assert by_url[PAGES[0].url]["date"] == "2023-04-01"
    assert by_url[PAGES[1].url] == {
        "evidence": web_evidence_id(PAGES[1].url),
        "title": "Dog beds",
        "url": PAGES[1].url,
        "snippet": PAGES[1].text,
    }


def test_nothing_found_is_an_empty_list_and_a_blank_query_is_refused(toolkit: Toolkit) -> None:
    assert toolkit.call("web_search", {"query": "zyzzyva"}).value == {"shown": 0, "results": []}
    for blank in ("  ", ""):
        assert error_of(toolkit.call("web_search", {"query": blank}))["field"] == "query"


def test_only_an_agent_that_retrieves_chunks_is_shown_the_longer_part_of_a_page(world: World) -> None:
    modes: list[tuple[WebMode, str]] = [("snippets", "of a"), ("ws", "of a"), ("chunks", "All that fits.")]
    web = ListWeb(WebResult("A", "https://a.example/", "of a", chunk=lambda: "All that fits."))
    for mode, snippet in modes:
        _, (result,) = searched(world, web, web_mode=mode)
        assert result["snippet"] == snippet, mode


def test_a_date_is_the_page_s_own_and_else_the_search_engine_s(world: World) -> None:
    for page, engine, shown in (("2024-01-02", "2020-05-06", "2024-01-02"), ("", "2020-05-06", "2020-05-06")):
        web = ListWeb(WebResult("A", "https://a.example/", "of a", date=engine), page=page)
        session, (result,) = searched(world, web)
        assert result["date"] == shown
        (entry,) = session.ledger.evidence()
        assert entry.date == shown
        assert [text.shown for text in entry.texts if text.form == "page"] == [False] * bool(page)


def test_a_summary_that_this_path_was_shown_stands_for_its_page_with_a_note(world: World) -> None:
    address, summary = "https://a.example/", '{"summary":"Five feet."}'
    for text, is_shown in ((summary, True), ('{"relevant":false}', True), (summary, False)):
        session = Session(SessionSettings(replace(world, web=ListWeb(page="All of it.")), web_mode="ws"))
        about = {"id": web_evidence_id(address), "kind": "web", "key": address, "title": "A", "form": "summary"}
        session.ledger.add([Source.model_validate({**about, "text": text, "shown": is_shown})], "0", 99)
        toolkit = Toolkit(session)
        (result,) = toolkit.call("web_search", {"query": "x"}).value["results"]
        read = ("Five feet.", READ_BEFORE) if text == summary and is_shown else (None, None)
        assert (result.get("summary"), result.get("note")) == read


def test_two_spellings_of_one_address_are_one_page_and_a_round_has_no_two_of_one_site(world: World) -> None:
    spellings = ("https://a.example/x", "https://A.example/x#top", "https://b.example/")
    web = ListWeb(*(WebResult(url, url, url) for url in spellings))
    session = Session(SessionSettings(replace(world, web=web), web_k=2))
    toolkit = Toolkit(session)
    assert toolkit.call("web_search", {"query": " x "}).value["shown"] == 1, "of the two that were asked for"
    assert web.asked == ["x"]
    assert list(rounds([*URLS, URLS[0], f"{URLS[1]}two", URLS[2].upper()])) == [
        URLS[:4],
        [URLS[4], f"{URLS[1]}two", URLS[2].upper()],
    ]


def test_a_search_is_journalled_and_served_again_without_the_web(world: World) -> None:
    web = ListWeb()
    first = Session(SessionSettings(replace(world, web=web)))
    toolkit = Toolkit(first)
    text = toolkit.call("web_search", {"query": "x"}, "0.3").text
    (effect,) = first.journal.effects
    asked = {"provider": "list", "query": "x", "k": 5}
    assert (effect.scope, effect.kind, effect.request) == ("0.3/0", "web_search", asked)
    toolkit = Toolkit(Session(SessionSettings(replace(world, web=web)), journal=resumed(first.journal)))
    assert toolkit.call("web_search", {"query": "x"}, "0.3").text == text
    assert web.asked == ["x"]
    lacking = Session(SessionSettings(world), journal=Journal(replay=()))
    with pytest.raises(ModelError, match="replayed journal"):
        Toolkit(lacking).call("web_search", {"query": "x"})


def resumed(journal: Journal, kept: int | None = None) -> Journal:
    """A journal in memory that already knows what another wrote, or its first effects."""
    known = Journal()
    known._known = {effect.key: effect for effect in journal.effects[:kept]}  # pyright: ignore[reportPrivateUsage]
    return known


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
        assert all_at_rest()

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


def test_pages_come_side_by_side_and_are_kept_in_order_of_rank(world: World) -> None:
    web = SlowWeb([0.2, 0.15, 0.1, 0.05, 0])
    session, results = searched(world, web)
    assert web.most > 1
    assert [result["url"] for result in results] == URLS
    assert [effect.request.get("url") for effect in session.journal.effects] == [None, *URLS]
    assert {effect.scope for effect in session.journal.effects} == {"0/0"}
    found = [(entry.url, entry.state, entry.problem) for entry in session.ledger.evidence()]
    assert found[:3] == [(url, "ok", None) for url in URLS[:3]]
    assert found[3:] == [(URLS[3], "error", "Not for you."), (URLS[4], "blocked", "robots.txt forbids it.")]
    *_, failed, blocked = session.journal.effects
    assert failed.error is not None
    assert blocked.response["page"]["problem"] == "robots.txt forbids it."


def test_a_page_that_comes_too_late_costs_no_other_nor_search(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.tools.web.PAGES_SHARE", 0.05)  # a busy machine has the rest to end the call
    web = SlowWeb([0.05, 3600, 0.05, 0, 0])  # waited for, it would hang
    try:
        session, results = searched(world, web, tool_timeout=20)
    finally:
        web.end()  # a thread that is left would be counted by others
    assert [result["url"] for result in results] == URLS
    states = [entry.state for entry in session.ledger.evidence()]
    assert states == ["ok", "error", "ok", "error", "blocked"]
    are_read = [any(text.form == "page" for text in entry.texts) for entry in session.ledger.evidence()]
    assert are_read == [state == "ok" for state in states]
    assert session.journal.effects[2].error is not None
    assert session.journal.effects[2].error["kind"] == "timeout"


def test_a_cut_search_fetches_only_the_pages_it_had_not_written_down_and_a_replayed_one_none() -> None:
    web = SlowWeb([0] * 5)
    whole = Journal()
    first = fetch_pages(web, URLS, whole.scope("0/0"), 5)
    for kept in range(6):
        web.fetched.clear()
        assert fetch_pages(web, URLS, resumed(whole, kept).scope("0/0"), 5) == first
        assert sorted(web.fetched) == URLS[kept:]
    web.fetched.clear()
    replayed = Journal()
    replayed._replays = True  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(ModelError, match="the run differs"):
        fetch_pages(web, URLS, replayed.scope("0/0"), 5)
    assert web.fetched == []


def test_of_cited_pages_a_fault_costs_one_page_and_a_journal_without_them_all_that_follow() -> None:
    class Faulty(SlowWeb):
        def fetch(self, url: str) -> WebPage:
            if url == URLS[1]:
                raise ValueError("a bug")
            return super().fetch(url)

    journal = Journal()
    pages = dict(fetch_cited(Faulty([0] * 5), URLS, journal.scope("cited"), 5))
    assert [page.state for page in pages.values()] == ["ok", "error", "ok", "error", "blocked"]
    assert pages[URLS[1]].problem == "the web failed (ValueError: a bug)"
    assert pages[URLS[3]].problem == "Not for you."
    web, replayed = SlowWeb([0] * 5), resumed(journal, 4)
    replayed._replays = True  # pyright: ignore[reportPrivateUsage]
    assert [url for url, _ in fetch_cited(web, URLS, replayed.scope("cited"), 5)] == URLS[:4]
    assert web.fetched == []
