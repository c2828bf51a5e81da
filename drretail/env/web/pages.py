"""One page of any web as it is written down: cleaned, with the reason why there is no text."""

from dataclasses import asdict, replace
from typing import Any, Protocol

from drretail.effects import Outcome
from drretail.env.web.base import WebPage
from drretail.env.web.reading.cleaning import LONGEST_TITLE, clean_line, cleaned_page


class Pages(Protocol):
    """What gives pages; a web does. Synchronous and safe to use from several threads."""

    @property
    def provider(self) -> str: ...

    def fetch(self, url: str) -> WebPage:
        """The page at an address. Raises ToolError."""
        ...


def page_outcome(page: WebPage) -> Outcome:
    """What a journal keeps of a page: whatever the provider, nothing unbounded or hidden goes further."""
    return Outcome({"page": asdict(_cleaned(page))})


def page_of(response: Any) -> WebPage:
    """The page that a journal kept."""
    return WebPage(**response["page"])


def no_page(url: str, problem: str) -> WebPage:
    """What stands for a page that could not be had at all."""
    return _cleaned(WebPage(url, title="", text="", state="error", problem=problem))


def _cleaned(page: WebPage) -> WebPage:
    problem = None if page.problem is None else clean_line(page.problem, LONGEST_TITLE)
    return replace(cleaned_page(page), problem=problem)
