"""A search engine with fetching and reading, and the form of a page in a journal. Its texts have no hidden
characters, no absurd lengths, no marks in the form of our citations.

Characters that show nothing (controls, zero-width and direction marks, tag characters) are removed: they hide words
from people, split words that a filter looks for, or reverse a line. Marks in the form of our own citations get
parentheses, since a page cannot cite a run's evidence. Cleaning twice changes nothing.
"""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from drretail.env.web.base import Fetched, WebPage, WebResult
from drretail.grounding.text.untrusted import harmless, visible
from drretail.journal import Outcome
from drretail.records.evidence import FetchedPage, SourceState

LONGEST_TEXT = 200_000
"""The most characters that are kept of a page: a guide has 10,000 to 30,000."""
LONGEST_LINE = 4_000
LONGEST_WORD = 1_000
LONGEST_TITLE = 300
LONGEST_SNIPPET = 1_500
LONGEST_URL = 2_000
CUT = "[… the page goes on]"
_KEPT_OF_WORD = 100

_SPACES = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")


def clean_text(text: str, longest: int = LONGEST_TEXT) -> str:
    """A page's text: lines of words, with at most one blank line between them; it ends in ``CUT`` if it was longer.

    A line is at most ``LONGEST_LINE`` characters; longer ones are broken between words. A word longer than
    ``LONGEST_WORD`` is cut to its beginning.
    """
    # Four times the limit: much may be removed later, mostly white space, and the work must be bounded too.
    shown = visible(text[: 4 * longest])
    lines = [_SPACES.sub(" ", line).strip() for line in shown.split("\n")]
    whole = "\n".join(part for line in lines for part in _broken(line))
    whole = _BLANK_LINES.sub("\n\n", harmless(whole)).strip()
    if len(whole) <= longest and len(text) <= 4 * longest:
        return whole
    # As many whole lines as fit, or a part of the first one.
    room = whole[: longest - len(CUT) - 2]
    kept = room.rpartition("\n")[0] if len(whole) > len(room) and "\n" in room else room
    return f"{kept.rstrip()}\n\n{CUT}"


def clean_line(text: str, longest: int) -> str:
    """A title or snippet on one line; a longer one is cut between words, with …."""
    words = visible(text[: 4 * longest]).split()
    if max(map(len, words), default=0) > LONGEST_WORD:
        words = map(_shortened, words)
    line = harmless(" ".join(words))
    if len(line) <= longest:
        return line
    beginning = line[: longest - 1]
    whole_words = beginning.rpartition(" ")[0]
    return (whole_words if len(whole_words) > longest // 2 else beginning).rstrip() + "…"


def cleaned_result(result: WebResult) -> WebResult | None:
    """A search result of any provider; None if its address is not that of a web page."""
    url = web_address(result.url)
    if url is None:
        return None
    title, snippet = clean_line(result.title, LONGEST_TITLE), clean_line(result.snippet, LONGEST_SNIPPET)
    return WebResult(title, url, snippet, iso_day(result.date))


def cleaned_page(page: WebPage) -> WebPage:
    """A page of any provider; only one in state "ok" has a text, and "no_content" is the state if none is left."""
    text = clean_text(page.text) if page.state == "ok" else ""
    state = "no_content" if page.state == "ok" and not text else page.state
    return replace(page, title=clean_line(page.title, LONGEST_TITLE), text=text, state=state, date=iso_day(page.date))


def web_address(url: str) -> str | None:
    """The address; None if it is not an http(s) address of a page, or too long to be one."""
    address = url.strip()
    if len(address) > LONGEST_URL or visible(address) != address or re.search(r"[\s<>\"]", address):
        return None
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    return address if parts.scheme.lower() in ("http", "https") and host else None


def iso_day(text: str | None) -> str | None:
    """The day at the beginning of an ISO date; None for any other text."""
    match = _ISO_DAY.match(text or "")
    try:
        return None if match is None else date.fromisoformat(match[0]).isoformat()
    except ValueError:
        return None


def _broken(line: str) -> list[str]:
    if len(line) <= LONGEST_WORD:
        return [line]
    parts: list[str] = []
    words: list[str] = []
    length = 0
    for word in map(_shortened, line.split(" ")):
        if words and length + len(word) > LONGEST_LINE:
            parts.append(" ".join(words))
            words, length = [], 0
        words.append(word)
        length += len(word) + 1
    return [*parts, " ".join(words)]


def _shortened(word: str) -> str:
    return word if len(word) <= LONGEST_WORD else f"{word[:_KEPT_OF_WORD]}…"


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


@dataclass(frozen=True)
class OpenPages:
    """The pages of the open web: one function gets what is at an address, another reads it."""

    get: Callable[[str], Fetched]
    read: Callable[[Fetched], WebPage]
    provider = "open"

    def fetch(self, url: str) -> WebPage:
        """The page at an address; its ``state`` says whether it has text, and ``problem`` why not."""
        fetched = self.get(url)
        page = self.read(fetched)
        return page if page.state == "ok" else replace(page, problem=fetched.problem or READ_IN_VAIN.get(page.state))


@dataclass(frozen=True)
class LiveWeb:
    """Implements ``base.Web`` with a search engine and the pages that it points to."""

    engine: SearchProvider
    pages: OpenPages
    corpus = None

    @property
    def provider(self) -> str:
        """The search engine's name."""
        return self.engine.provider

    def search(self, query: str, k: int) -> list[WebResult]:
        """The engine's ``k`` best results. Raises ToolError."""
        return self.engine.search(query, k)

    def fetch(self, url: str) -> WebPage:
        """The page at an address; see ``OpenPages.fetch``."""
        return self.pages.fetch(url)


class Pages(Protocol):
    """A source of pages, such as a web. Synchronous and safe to use from several threads."""

    @property
    def provider(self) -> str: ...

    def fetch(self, url: str) -> WebPage:
        """The page at an address. Raises ToolError."""
        ...


def page_outcome(page: WebPage) -> Outcome:
    """A page as a journal keeps it, cleaned: from no provider does anything unbounded or hidden go further."""
    return Outcome({"page": asdict(_cleaned(page))})


def page_of(response: Any) -> WebPage:
    """The page that a journal kept."""
    return WebPage(**response["page"])


def as_fetched(page: WebPage, corpus: str | None, when: datetime) -> FetchedPage:
    """The page as an experiment keeps it; ``corpus`` is that of the web from which it was fetched."""
    content = {name: getattr(page, name) for name in ("title", "text", "state", "date", "problem")}
    return FetchedPage(corpus=corpus, fetched=when.isoformat(timespec="seconds"), **content)


def no_page(url: str, problem: str) -> WebPage:
    """The page for an address that could not be fetched at all."""
    return _cleaned(WebPage(url, title="", text="", state="error", problem=problem))


def _cleaned(page: WebPage) -> WebPage:
    problem = None if page.problem is None else clean_line(page.problem, LONGEST_TITLE)
    return replace(cleaned_page(page), problem=problem)
