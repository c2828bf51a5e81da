"""Cited pages are fetched a few at a time, and none of their faults is anybody else's."""

from drretail.env.web.base import WebPage
from drretail.errors import ToolError
from drretail.journal import Journal
from drretail.tools.cited_pages import AT_ONCE, fetch_cited, rounds

URLS = [f"https://{site}.example/{number}" for number in range(3) for site in "abcdef"]


class Site:
    provider = "site"

    def fetch(self, url: str) -> WebPage:
        if "b.example" in url:
            raise ToolError("unavailable", "It is gone.")
        if "c.example" in url:
            raise RuntimeError("a plugin's bug")
        return WebPage(url, "A page", "Text.", "ok")


def test_a_round_holds_no_site_twice_and_no_more_than_a_few() -> None:
    made = list(rounds([*URLS, URLS[0]]))
    assert sorted(url for some in made for url in some) == sorted(URLS)
    for some in made:
        assert len({url.split("/")[2] for url in some}) == len(some) <= AT_ONCE


def test_every_page_has_a_state_whatever_its_web_does() -> None:
    journal = Journal()
    found = dict(fetch_cited(Site(), URLS, journal.scope("cited"), 5))
    assert {url for url, page in found.items() if page.state == "ok"} == {u for u in URLS if u[8] not in "bc"}
    assert found["https://b.example/0"].problem == "It is gone."
    assert "a plugin's bug" in (found["https://c.example/0"].problem or "")
    assert [effect.kind for effect in journal.effects] == ["page_fetch"] * len(URLS)
