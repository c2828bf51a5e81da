"""Web search and pages: the contract of a web, the result of a fetch with its errors, and webs by name.

A name leads to a Web, or to a function ``(argument, options) -> Web``; the argument is None if none was given.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, cast

from pydantic import SecretStr

from drretail.errors import UnknownName, UserError, describe_error
from drretail.plugins import Plugins, is_module
from drretail.records.evidence import FetchedPage, SourceState


@dataclass(frozen=True, slots=True)
class WebResult:
    """One search result."""

    title: str
    url: str
    snippet: str
    """The words of the page around the match, as the search engine shows them."""
    date: str | None = None
    """ISO (YYYY-MM-DD), if the provider knows it."""
    chunk: Callable[[], str] | None = field(default=None, compare=False)
    """Reads a longer part of the page around the match, which only retrieval agents are shown; None if the provider has
    only snippets.
    """


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

    def as_fetched(self, corpus: str | None, when: datetime) -> FetchedPage:
        """The page as an experiment keeps it; ``corpus`` is that of the web from which it was fetched."""
        content = {name: getattr(self, name) for name in ("title", "text", "state", "date", "problem")}
        return FetchedPage(corpus=corpus, fetched=when.isoformat(timespec="seconds"), **content)


class Pages(Protocol):
    """A source of pages. Synchronous and safe to use from several threads; raises ToolError("unavailable" or "timeout")
    if it fails.
    """

    @property
    def provider(self) -> str:
        """The provider's name, part of a System."""
        ...

    def fetch(self, url: str) -> WebPage: ...


class Web(Pages, Protocol):
    """A search and its pages."""

    @property
    def corpus(self) -> str | None:
        """sha256 of a fixed corpus; None for the open web."""
        ...

    def search(self, query: str, k: int) -> list[WebResult]: ...


@dataclass(frozen=True, slots=True)
class Fetched:
    """The raw page; ``body`` is unpacked, and empty unless ``state`` is "ok".

    "blocked" = we may not read it (an address that is not public, robots.txt) or the site refuses; "not_found" = there
    is no such page or host; "error" = it cannot be fetched; "no_content" = it exists and holds no text.
    """

    url: str
    """The address that was asked for."""
    final_url: str
    """The address after redirects."""
    state: SourceState
    status: int | None = None
    """The status of the last answer; None if there was none."""
    content_type: str = ""
    """text/html or text/plain if ``state`` is "ok", decided by header and bytes."""
    charset: str | None = None
    """The codec that a byte order mark or the header names; None if only the page itself can tell."""
    body: bytes = b""
    problem: str | None = None
    """Why there is no body, in one sentence."""


class Problem(Exception):
    """A page that could not be fetched: one sentence, and the answer's ``status`` if there was an answer."""

    state: SourceState = "error"

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


class Blocked(Problem):
    state: SourceState = "blocked"


class Failed(Problem):
    state: SourceState = "error"


class PageNotFound(Problem):
    state: SourceState = "not_found"


class Late(Failed):
    pass


class Empty(Problem):
    state: SourceState = "no_content"


BUILT_IN = {
    "sandbox": "drretail.env.web.sandbox:open_sandbox",
    "serper": "drretail.env.web.providers:open_serper",
    "searxng": "drretail.env.web.providers:open_searxng",
}
WEBS = Plugins("web", BUILT_IN, "drretail.web")
LONGEST_REFUSAL = 900
"""The most characters of a page that only refuses; the walls of consent are the longest."""
WANTED = "a drretail Web, or a function (argument, options) that gives one"
SERPER_ADDRESS = "https://google.serper.dev/search"


@dataclass(frozen=True, slots=True)
class PageOptions:
    """How pages of the open web are fetched."""

    seconds: float = 10
    """The time for everything together: name look-up, robots.txt, redirects, the body."""
    body_bytes: int = 10_000_000
    """The most bytes of the unpacked body."""
    redirects: int = 5
    ports: frozenset[int] = frozenset({80, 443, 8080, 8443})
    user_agent: str | None = None
    """None means drretail/<version> with a note on its purpose."""
    robots: bool = True
    """True if robots.txt is respected."""


@dataclass(frozen=True, slots=True)
class WebOptions:
    """The settings of all providers; each provider uses its own."""

    serper_key: SecretStr | None = None
    serper_address: str = SERPER_ADDRESS
    searxng_address: str | None = None
    search_seconds: float = 20
    """The time for one search with its retries."""
    proxy: str | None = None
    """http(s)://[user:password@]host:port for Serper and for pages; no proxy is taken from the environment."""
    pages: PageOptions = field(default_factory=PageOptions)
    replayed: bool = False
    """True if all answers come from a journal, so that nothing is asked and no key is needed."""


OpenWeb = Callable[[str | None, WebOptions], Web]


def open_web(spec: str, options: WebOptions | None = None) -> Web:
    """The web that ``NAME[:ARGUMENT]`` or ``module:attribute`` names; nothing is sent yet.

    Raises UnknownName for an unknown name, UserError for a wrong argument or a missing key.
    """
    name, colon, argument = spec.partition(":")
    if name not in WEBS.names():
        unknown = UnknownName("web", name, WEBS.names())
        if not colon or (unknown.nearest and not is_module(name)):
            raise unknown
        name, argument = spec, ""
    elif colon and not argument:
        raise UserError(f"{spec!r} names nothing behind the colon: write {name}, or {name}:WHAT.")
    place, found = WEBS.load(name)
    if inspect.isclass(found) or not (_is_web(found) or callable(found)):
        raise WEBS.refused(place, found, WANTED)
    if _is_web(found):
        return cast(Web, found)
    try:
        web = cast(OpenWeb, found)(argument or None, options or WebOptions())
    except UserError:
        raise
    # The boundary of a plugin: its errors are reported with its name.
    except (Exception, SystemExit) as problem:
        if name in BUILT_IN:
            raise
        raise UserError(f"The web {name!r} cannot be opened: {describe_error(problem)}.") from problem
    if not _is_web(web):
        raise UserError(f"The web {name!r} gave {type(web).__name__}, which has no search and fetch of a drretail Web.")
    return web


def _is_web(candidate: object) -> bool:
    return all(callable(getattr(candidate, name, None)) for name in ("search", "fetch"))
