import json
from collections.abc import Sequence
from dataclasses import replace

from drretail.env.session import Session
from drretail.env.web.base import WebPage, WebResult
from drretail.env.world import World
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.journal import Journal
from drretail.tools.toolkit import Toolkit
from drretail.tools.web import NOTHING_FOUND
from tests.tools.conftest import PAGES, error_of


class ListWeb:
    """Answers every search with the same results."""

    provider = "list"
    corpus = None

    def __init__(self, results: Sequence[WebResult]) -> None:
        self._results = results
        self.searches = 0

    def search(self, query: str, k: int) -> list[WebResult]:
        self.searches += 1
        return list(self._results[:k])

    def fetch(self, url: str) -> WebPage:
        return WebPage(url, "", "", "error")


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


def test_nothing_found_says_what_to_try(toolkit: Toolkit) -> None:
    assert toolkit.call("web_search", {"query": "zyzzyva"}).value == {"shown": 0, "results": [], "note": NOTHING_FOUND}


def test_a_live_web_says_that_its_pages_may_be_younger_than_the_shop(world: World, toolkit: Toolkit) -> None:
    web = ListWeb([WebResult("A", "https://a.example/x", "first")])
    with Toolkit(Session(replace(world, web=web))) as live:
        note = live.call("web_search", {"query": "x"}).value["note"]
    assert (
        note
        == f"These pages are of the live web and may be younger than the shop's today, {world.manifest.now.date()}."
    )
    assert "note" not in toolkit.call("web_search", {"query": "dog"}).value


def test_a_blank_query_is_refused(toolkit: Toolkit) -> None:
    assert error_of(toolkit.call("web_search", {"query": "  "}))["field"] == "query"
    assert error_of(toolkit.call("web_search", {"query": ""}))["field"] == "query"


def test_two_spellings_of_an_address_are_one_result_the_better(world: World) -> None:
    web = ListWeb(
        [WebResult("A", "https://a.example/x", "first"), WebResult("B", "https://A.example/x/#top", "second")]
    )
    with Toolkit(Session(replace(world, web=web))) as toolkit:
        reply = toolkit.call("web_search", {"query": "x"})
    assert [result["snippet"] for result in reply.value["results"]] == ["first"]


def test_the_session_says_how_many_results(world: World) -> None:
    web = ListWeb([WebResult(f"{n}", f"https://a.example/{n}", "…") for n in range(9)])
    with Toolkit(Session(replace(world, web=web), web_k=3)) as toolkit:
        assert toolkit.call("web_search", {"query": "x"}).value["shown"] == 3


def test_a_search_is_journalled_and_served_again_without_the_web(world: World) -> None:
    web = ListWeb([WebResult("A", "https://a.example", "text")])
    first = Session(replace(world, web=web))
    with Toolkit(first) as toolkit:
        text = toolkit.call("web_search", {"query": "x"}, "0.3").text
    (effect,) = first.journal.effects
    assert (effect.scope, effect.kind, effect.request) == (
        "0.3/0",
        "web_search",
        {"provider": "list", "query": "x", "k": 5},
    )
    again = Session(replace(world, web=web), journal=_resumed(first.journal))
    with Toolkit(again) as toolkit:
        assert toolkit.call("web_search", {"query": "x"}, "0.3").text == text
    assert web.searches == 1


def _resumed(journal: Journal) -> Journal:
    """A journal in memory that already knows what another wrote."""
    known = Journal()
    known._known = {effect.key: effect for effect in journal.effects}  # pyright: ignore[reportPrivateUsage]
    return known
