"""The built-in live webs: Serper or SearXNG, combined with safe fetching and reading."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar
from urllib.parse import unquote, urlsplit

import httpcore2
from pydantic import AliasChoices, Field, SecretStr, ValidationError

from drretail import __version__
from drretail.env.web.base import WebResult
from drretail.env.web.fetching.client import Client
from drretail.env.web.fetching.fetcher import Fetcher, Robots
from drretail.env.web.live import LiveWeb, OpenPages
from drretail.env.web.reading.page import read_page
from drretail.env.web.registry import WebOptions
from drretail.env.web.searches import (
    PAGE_SIZE,
    AnswerPart,
    Service,
    ask,
    check_address,
    encodable,
    iso_date,
    results_of_pages,
)
from drretail.errors import ToolError, UserError

Part = TypeVar("Part", bound=AnswerPart)
SERPER_ACCESS = "set SERPER_API_KEY to a key that is valid (https://serper.dev/api-keys), or choose another --web."
SEARXNG_ACCESS = (
    "let it answer in JSON (search: formats: [html, json] in its settings.yml), let this machine pass its limiter, and"
    " start it again."
)
USER_AGENT = f"drretail/{__version__} (research on shopping questions)"
_TOKEN = re.compile(r"[A-Za-z_-]+")
_KEY = re.compile(r"[!-~]{8,200}")


class _Hit(AnswerPart):
    """A result, under Serper's names or SearXNG's."""

    url: str = Field(validation_alias=AliasChoices("link", "url"))
    title: str = ""
    snippet: str | None = Field(default=None, validation_alias=AliasChoices("snippet", "content"))
    date: str | None = Field(default=None, validation_alias=AliasChoices("date", "publishedDate"))


class _SerperPage(AnswerPart):
    organic: tuple[object, ...] = ()


class SerperSearch:
    """Google's results from Serper, the paper's search engine (section 5.3).

    Implements ``live.SearchProvider``: the organic results, without adverts, answer boxes and products.
    """

    provider = "serper"

    def __init__(self, service: Service, key: SecretStr) -> None:
        self._service = service
        self._key = key

    def search(self, query: str, k: int) -> list[WebResult]:
        """The ``k`` best results, from as many result pages as it takes.

        Raises ToolError if the first page cannot be fetched; its message never holds the key.
        """
        return results_of_pages(lambda number: self._page(query, min(k, PAGE_SIZE), number), k)

    def _page(self, query: str, size: int, number: int) -> list[WebResult]:
        headers = {"X-API-KEY": self._key.get_secret_value()}
        body = {"q": encodable(query), "num": size} | ({} if number == 1 else {"page": number})
        value = ask(self._service, "POST", headers=headers, json=body)
        page = next(_parts(_SerperPage, [value]), None)
        if page is None:
            raise ToolError("unavailable", "Serper answers in a form that is not known; search again.")
        return _results(self._service, page.organic)


class _SearxngPage(AnswerPart):
    results: tuple[object, ...]
    unresponsive_engines: tuple[object, ...] = ()


class SearxngSearch:
    """Results of a SearXNG, which anybody can run without a key: ``live.SearchProvider`` over its ``/search``."""

    provider = "searxng"

    def __init__(self, service: Service) -> None:
        self._service = service

    def search(self, query: str, k: int) -> list[WebResult]:
        """The ``k`` best results, from as many result pages as it takes.

        Raises ToolError if the first page cannot be fetched, or if none of SearXNG's engines answered.
        """
        return results_of_pages(lambda number: self._page(query, number), k)

    def _page(self, query: str, number: int) -> list[WebResult]:
        params = {"q": encodable(query), "format": "json"} | ({} if number == 1 else {"pageno": str(number)})
        value = ask(self._service, "GET", params=params)
        page = next(_parts(_SearxngPage, [value]), None)
        if page is None:
            raise ToolError("unavailable", "SearXNG answers in a form that is not known; update it.")
        results = _results(self._service, page.results)
        if not results and page.unresponsive_engines:
            # "engine: reason" of the first few; SearXNG gives pairs.
            pairs = [item for item in page.unresponsive_engines if isinstance(item, list) and item]
            named = ", ".join(": ".join(str(part)[:40] for part in pair[:2]) for pair in pairs[:5]) or "none of them"
            raise ToolError("unavailable", f"SearXNG got no answer from its engines ({named}); search again.")
        return results


def _results(service: Service, items: Iterable[object]) -> list[WebResult]:
    now = service.now()
    return [WebResult(hit.title, hit.url, hit.snippet or "", iso_date(hit.date, now)) for hit in _parts(_Hit, items)]


def _parts(kind: type[Part], items: Iterable[object]) -> Iterator[Part]:
    """The items that have the form; a malformed item is skipped, so that it does not cost the others."""
    for item in items:
        try:
            part = kind.model_validate(item)
        except ValidationError:
            continue
        yield part


def open_serper(argument: str | None, options: WebOptions) -> LiveWeb:
    """``serper``; its key comes from the environment, since an argument would stay in the shell's history."""
    if argument:
        raise UserError("--web serper takes no argument: set the environment variable SERPER_API_KEY.")
    address = check_address("The address of Serper", options.serper_address)
    service = Service("Serper", address, options.search_seconds, SERPER_ACCESS, options.proxy)
    key = "" if options.serper_key is None else options.serper_key.get_secret_value().strip()
    if not key and not options.replayed:
        raise UserError("--web serper needs a key: set the environment variable SERPER_API_KEY (https://serper.dev).")
    if key and not _KEY.fullmatch(key):
        raise UserError("SERPER_API_KEY does not look like a key: it holds white space or other characters.")
    return LiveWeb(SerperSearch(service, SecretStr(key)), open_pages(options))


def open_searxng(argument: str | None, options: WebOptions) -> LiveWeb:
    """``searxng:http://HOST:PORT``, or ``searxng`` if the setting searxng_address holds the address."""
    address = argument or options.searxng_address
    if not address and not options.replayed:
        raise UserError("Where is the SearXNG? Write --web searxng:http://localhost:8080, or set SEARXNG_URL.")
    address = check_address("The address of SearXNG", address or "http://localhost:8080").rstrip("/")
    address = address if address.endswith("/search") else f"{address}/search"
    # Without our proxy: the user runs SearXNG, and it has proxies of its own for the web.
    return LiveWeb(
        SearxngSearch(Service("SearXNG", address, options.search_seconds, SEARXNG_ACCESS)), open_pages(options)
    )


def open_pages(options: WebOptions) -> OpenPages:
    """Pages by address, without a search engine.

    Raises UserError for a malformed user agent or proxy.
    """
    pages = options.pages
    agent = pages.user_agent or USER_AGENT
    token = _TOKEN.match(agent)
    if token is None or not (agent.isascii() and agent.isprintable()):
        raise UserError(f"The user agent {agent!r} must begin with a name and be plain text, such as {USER_AGENT!r}.")
    client = Client(agent, pages, proxy=None if options.proxy is None else _proxy(options.proxy))
    return OpenPages(Fetcher(client, Robots(client, token.group()) if pages.robots else None).fetch, read_page)


def _proxy(address: str) -> httpcore2.Proxy:
    """The proxy. The error does not repeat the address, which may hold a password."""
    wrong = UserError("The proxy must be written as http://host:port or http://user:password@host:port.")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not host or not port:
        raise wrong
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return httpcore2.Proxy(
        httpcore2.URL(scheme=parts.scheme.encode(), host=host.encode(), port=port, target=b"/"), auth=auth
    )
