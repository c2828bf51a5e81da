"""The contract of every web provider."""

from dataclasses import dataclass
from typing import Protocol

from drretail.records.evidence import SourceState


@dataclass(frozen=True, slots=True)
class WebResult:
    """One search result."""

    title: str
    url: str
    snippet: str
    """The words of the page around the match, as the search engine shows them."""
    date: str | None = None
    """ISO (YYYY-MM-DD), if the provider knows it."""
    chunk: str | None = None
    """A longer part of the page around the match, for retrieval agents; None if the provider has only snippets."""


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page as text; empty unless ``state`` is "ok"."""

    url: str
    title: str
    text: str
    state: SourceState
    date: str | None = None
    problem: str | None = None
    """Why ``state`` is not "ok", in a sentence, if the provider says so."""


class Web(Protocol):
    """A search and its pages. Synchronous and safe to use from several threads; raises ToolError("unavailable" or
    "timeout") if it fails.
    """

    @property
    def provider(self) -> str:
        """The provider's name, part of a System."""
        ...

    @property
    def corpus(self) -> str | None:
        """sha256 of a fixed corpus; None for the open web."""
        ...

    def search(self, query: str, k: int) -> list[WebResult]: ...

    def fetch(self, url: str) -> WebPage: ...
