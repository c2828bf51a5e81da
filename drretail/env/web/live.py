"""The open web: one search engine, and pages fetched from wherever it points."""

from collections.abc import Callable
from typing import Protocol

from drretail.env.web.base import WebPage, WebResult
from drretail.env.web.fetching.fetched import Fetched


class SearchProvider(Protocol):
    """Safe to use from several threads. ToolError when it fails."""

    @property
    def provider(self) -> str: ...

    def search(self, query: str, k: int) -> list[WebResult]: ...


class LiveWeb:
    """Implements ``base.Web`` from three parts: a search engine, what fetches a page, and what reads it."""

    corpus = None

    def __init__(
        self, engine: SearchProvider, fetch: Callable[[str], Fetched], read: Callable[[Fetched], WebPage]
    ) -> None:
        self._engine = engine
        self._fetch = fetch
        self._read = read

    @property
    def provider(self) -> str:
        """The search engine's name."""
        return self._engine.provider

    def search(self, query: str, k: int) -> list[WebResult]:
        """The engine's ``k`` best results. Raises ToolError."""
        return self._engine.search(query, k)

    def fetch(self, url: str) -> WebPage:
        """The page at an address; its ``state`` says what became of it."""
        return self._read(self._fetch(url))
