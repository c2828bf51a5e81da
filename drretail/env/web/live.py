"""The open web: one search engine, and the pages that it points to."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, Protocol

from drretail.env.web.base import WebPage, WebResult
from drretail.env.web.fetching.fetched import Fetched
from drretail.env.web.reading.cleaning import LONGEST_TITLE, clean_line, cleaned_page
from drretail.journal import Outcome
from drretail.records.evidence import SourceState

READ_IN_VAIN: dict[SourceState, str] = {
    "no_content": "The page holds no text of its own, only navigation or what scripts would fill in.",
    "blocked": "The page is a wall: a bot check, a question of consent, or a login.",
}
"""Why a fetched page has no text, by its state."""


class SearchProvider(Protocol):
    """A search engine. Safe to use from several threads; raises ToolError if it fails."""

    @property
    def provider(self) -> str: ...

    def search(self, query: str, k: int) -> list[WebResult]: ...


class OpenPages:
    """The pages of the open web: one function fetches, another reads."""

    provider = "open"

    def __init__(self, fetch: Callable[[str], Fetched], read: Callable[[Fetched], WebPage]) -> None:
        self._fetch = fetch
        self._read = read

    def fetch(self, url: str) -> WebPage:
        """The page at an address; its ``state`` says whether it has text, and ``problem`` why not."""
        fetched = self._fetch(url)
        page = self._read(fetched)
        return page if page.state == "ok" else replace(page, problem=fetched.problem or READ_IN_VAIN.get(page.state))


class LiveWeb:
    """Implements ``base.Web`` with a search engine and the pages that it points to."""

    corpus = None

    def __init__(self, engine: SearchProvider, pages: OpenPages) -> None:
        self._engine = engine
        self._pages = pages

    @property
    def provider(self) -> str:
        """The search engine's name."""
        return self._engine.provider

    def search(self, query: str, k: int) -> list[WebResult]:
        """The engine's ``k`` best results. Raises ToolError."""
        return self._engine.search(query, k)

    def fetch(self, url: str) -> WebPage:
        """The page at an address; see ``OpenPages.fetch``."""
        return self._pages.fetch(url)


class Pages(Protocol):
    """A source of pages, such as a web. Synchronous and safe to use from several threads."""

    @property
    def provider(self) -> str: ...

    def fetch(self, url: str) -> WebPage:
        """The page at an address. Raises ToolError."""
        ...


def page_outcome(page: WebPage) -> Outcome:
    """A page as a journal keeps it, cleaned: nothing unbounded or hidden goes further, whichever
    provider it came from.
    """
    return Outcome({"page": asdict(_cleaned(page))})


def page_of(response: Any) -> WebPage:
    """The page that a journal kept."""
    return WebPage(**response["page"])


def no_page(url: str, problem: str) -> WebPage:
    """The page for an address that could not be fetched at all."""
    return _cleaned(WebPage(url, title="", text="", state="error", problem=problem))


def _cleaned(page: WebPage) -> WebPage:
    problem = None if page.problem is None else clean_line(page.problem, LONGEST_TITLE)
    return replace(cleaned_page(page), problem=problem)
