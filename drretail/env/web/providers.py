"""The paper's search service and a self-hosted one: their requests, and results in one form, with fetched pages.

A search service is at an address that the user chose, so it may be on this machine. Its answers are not trusted: their
size and time are bounded, their form is checked, and only search results are passed on.
"""

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, NamedTuple, Protocol, TypeVar
from urllib.parse import unquote, urlsplit

import httpcore2
import httpx2
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, ValidationError

from drretail import __version__
from drretail.env.web.base import Pages, WebOptions, WebPage, WebResult
from drretail.env.web.cleaning import cleaned_result
from drretail.env.web.connection import usual_tls
from drretail.env.web.fetcher import Fetcher
from drretail.errors import ToolError, UserError
from drretail.parsing import parse_json, retry_after
from drretail.reports.text.evidence_ids import normalise_url

MOST_BYTES = 4_000_000
"""The most bytes of an answer, unpacked."""
TRIES = 3
"""Attempts of one search. An agent waits for it, so few."""
LONGEST_WAIT = 5.0
"""The most seconds before a retry; if a service asks for more, the search fails."""
PAGE_SIZE = 10
"""The usual number of results on a search engine's page: Google no longer gives larger ones."""
MOST_PAGES = 20
"""The most result pages of one search."""
BUSY = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Service:
    """A search service: its address, the time for a search, and advice for a refusal."""

    name: str
    address: str
    seconds: float
    """The time for one search with all its retries."""
    access: str
    """What the user should do on 401 and 403."""
    proxy: str | None = None
    wait: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


class Response(NamedTuple):
    status: int
    content: bytes
    retry_after: float | None


def _ask(service: Service, method: Literal["GET", "POST"], **request: Any) -> Any:
    """The service's JSON answer, retried while the service is busy; ``request`` as httpx2 takes it.

    Raises ToolError: "forbidden" (key, access, no credits), "limit" (too many requests), "timeout", "unavailable".
    """
    end = service.clock() + service.seconds
    reply = _send(service, method, request, end)
    for _ in range(TRIES - 1):
        pause = 1.0 if reply.retry_after is None else reply.retry_after
        if reply.status not in BUSY or pause > LONGEST_WAIT or service.clock() + pause >= end:
            break
        service.wait(pause)
        reply = _send(service, method, request, end)
    status, name = reply.status, service.name
    if status in (401, 403):
        raise ToolError("forbidden", f"{name} does not let us in ({status}): {service.access}")
    if status == 402 or (status == 400 and b"credit" in reply.content[:500].lower()):
        raise ToolError("forbidden", f"{name} has no credits left for this key: buy some, or choose another --web.")
    if status == 429:
        raise ToolError("limit", f"{name} is asked too often (429): {_when(reply.retry_after)}.")
    if 300 <= status < 400:
        raise ToolError("unavailable", f"{name} redirects elsewhere ({status}): set the address that it redirects to.")
    if status >= 500:
        raise ToolError("unavailable", f"{name} has a fault of its own ({status}): {_when(reply.retry_after)}.")
    if status != 200:
        raise ToolError("unavailable", f"{name} answers {status} at {_place(service)}; check the address.")
    try:
        # Bytes that are not UTF-8 are a ValueError too.
        return parse_json(reply.content)
    except ValueError:
        raise ToolError("unavailable", f"{name} answers with something that is not JSON; search again.") from None


def encodable(query: str) -> str:
    """The query without halves of characters, which models write and no encoding can hold."""
    return query.encode("utf-8", "replace").decode("utf-8")


def check_address(what: str, address: str) -> str:
    """An http(s) address from a setting, without user name and password. Raises UserError."""
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound, parts = False, urlsplit("")
    if "@" in parts.netloc:
        raise UserError(f"{what}: leave user name and password out of the address; they would be shown in errors.")
    if not sound or re.search(r"\s", address):
        raise UserError(f"{what} {address!r} is no http(s) address: write it as http://localhost:8080.")
    return address


def _send(service: Service, method: str, request: dict[str, Any], end: float) -> Response:
    late = ToolError("timeout", f"{service.name} did not answer within {service.seconds:g} seconds; search again.")
    left = end - service.clock()
    if left <= 0:
        raise late
    content = bytearray()
    request = request | {"headers": {"Accept": "application/json"} | dict(request.get("headers", {}))}
    try:
        with (
            # Nothing from the environment: neither proxies nor passwords of .netrc.
            httpx2.Client(
                timeout=left, trust_env=False, follow_redirects=False, proxy=service.proxy, verify=usual_tls()
            ) as client,
            client.stream(method, service.address, **request) as response,
        ):
            for block in response.iter_bytes():
                content += block
                if len(content) > MOST_BYTES:
                    raise ToolError("unavailable", f"{service.name} answers with more than {MOST_BYTES:,} bytes.")
                if service.clock() >= end:
                    raise late
            return Response(
                response.status_code,
                bytes(content),
                retry_after(response.headers.get("Retry-After", ""), service.now()),
            )
    # From None: the library's error holds the request, and so the key.
    except httpx2.TimeoutException:
        raise late from None
    # For a host with an empty label, the system's resolver raises UnicodeError.
    except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError):
        raise ToolError(
            "unavailable", f"{service.name} cannot be reached at {_place(service)}; check the address and the network."
        ) from None


def _when(retry_after: float | None) -> str:
    return "search again later" if retry_after is None else f"search again in {math.ceil(retry_after)} seconds"


def _place(service: Service) -> str:
    """The address without a query, which may hold a key."""
    return service.address.partition("?")[0]


_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
_AGO = re.compile(r"(\d{1,3}|an?) (minute|hour|day|week)s? ago")
_LENGTHS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_WRITTEN = ("%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y")


class AnswerPart(BaseModel):
    """A part of a service's answer; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def first_results(results: Iterable[WebResult], k: int) -> list[WebResult]:
    """The first ``k`` results with a web address, cleaned; two spellings of one address count as one."""
    by_url: dict[str, WebResult] = {}
    for result in filter(None, map(cleaned_result, results)):
        by_url.setdefault(normalise_url(result.url), result)
    return list(by_url.values())[:k]


def results_of_pages(page: Callable[[int], Sequence[WebResult]], k: int) -> list[WebResult]:
    """``first_results`` of an engine's pages 1, 2, …, until there are ``k`` or a page brings nothing new.

    If ``k`` is at most ``PAGE_SIZE``, only the first page is read. Raises what the first page raises; an error of a
    later page ends the search with the results so far.
    """
    results = [*page(1)]
    first = first_results(results, k)
    for number in range(2, MOST_PAGES + 1):
        if k <= PAGE_SIZE or len(first) >= k or not first:
            break
        try:
            results += page(number)
        except ToolError:
            break
        before, first = len(first), first_results(results, k)
        if len(first) == before:
            break
    return first


def iso_date(text: str | None, now: datetime) -> str | None:
    """YYYY-MM-DD of a date as search engines write it ("Mar 3, 2024", "2 days ago"); None if it names no day.

    "3 months ago" names no day, and a guess would look like knowledge.
    """
    text = (text or "").strip()
    iso = _ISO.match(text)
    try:
        if iso:
            return date(int(iso[1]), int(iso[2]), int(iso[3])).isoformat()
    except ValueError:
        return None
    ago = _AGO.fullmatch(text.lower())
    if ago:
        count = int(ago[1]) if ago[1].isdigit() else 1
        return (now - count * _LENGTHS[ago[2]]).date().isoformat()
    for form in _WRITTEN:
        try:
            # The time zone does not change the day.
            return datetime.strptime(text, form).replace(tzinfo=now.tzinfo).date().isoformat()
        except ValueError:
            continue
    return None


Part = TypeVar("Part", bound=AnswerPart)
SERPER_ACCESS = "set SERPER_API_KEY to a key that is valid (https://serper.dev/api-keys), or choose another --web."
SEARXNG_ACCESS = (
    "let it answer in JSON (search: formats: [html, json] in its settings.yml), let this machine pass its limiter, and"
    " start it again."
)
USER_AGENT = f"drretail/{__version__} (research on shopping questions)"
_KEY = re.compile(r"[!-~]{8,200}")


class _Hit(AnswerPart):
    """A result, under Serper's names or SearXNG's."""

    url: str = Field(validation_alias=AliasChoices("link", "url"))
    title: str = ""
    snippet: str | None = Field(default=None, validation_alias=AliasChoices("snippet", "content"))
    date: str | None = Field(default=None, validation_alias=AliasChoices("date", "publishedDate"))


class _SerperPage(AnswerPart):
    organic: tuple[object, ...] = ()


@dataclass(frozen=True)
class SerperSearch:
    """Google's results from Serper, the paper's search engine (section 5.3).

    A ``SearchProvider``: the organic results, without adverts, answer boxes and products.
    """

    service: Service
    key: SecretStr
    provider = "serper"

    def search(self, query: str, k: int) -> list[WebResult]:
        """The ``k`` best results, from as many result pages as it takes.

        Raises ToolError if the first page cannot be fetched; its message never holds the key.
        """
        return results_of_pages(lambda number: self._page(query, min(k, PAGE_SIZE), number), k)

    def _page(self, query: str, size: int, number: int) -> list[WebResult]:
        headers = {"X-API-KEY": self.key.get_secret_value()}
        body = {"q": encodable(query), "num": size} | ({} if number == 1 else {"page": number})
        value = _ask(self.service, "POST", headers=headers, json=body)
        page = next(_parts(_SerperPage, [value]), None)
        if page is None:
            raise ToolError("unavailable", "Serper answers in a form that is not known; search again.")
        return _results(self.service, page.organic)


class _SearxngPage(AnswerPart):
    results: tuple[object, ...]
    unresponsive_engines: tuple[object, ...] = ()


@dataclass(frozen=True)
class SearxngSearch:
    """Results of a SearXNG, which anybody can run without a key: a ``SearchProvider`` over its ``/search``."""

    service: Service
    provider = "searxng"

    def search(self, query: str, k: int) -> list[WebResult]:
        """The ``k`` best results, from as many result pages as it takes.

        Raises ToolError if the first page cannot be fetched, or if none of SearXNG's engines answered.
        """
        return results_of_pages(lambda number: self._page(query, number), k)

    def _page(self, query: str, number: int) -> list[WebResult]:
        params = {"q": encodable(query), "format": "json"} | ({} if number == 1 else {"pageno": str(number)})
        value = _ask(self.service, "GET", params=params)
        page = next(_parts(_SearxngPage, [value]), None)
        if page is None:
            raise ToolError("unavailable", "SearXNG answers in a form that is not known; update it.")
        results = _results(self.service, page.results)
        if not results and page.unresponsive_engines:
            # "engine: reason" of the first few; SearXNG gives pairs.
            pairs = [item for item in page.unresponsive_engines if isinstance(item, list) and item]
            engines = ", ".join(": ".join(str(part)[:40] for part in pair[:2]) for pair in pairs[:5]) or "none of them"
            raise ToolError("unavailable", f"SearXNG got no answer from its engines ({engines}); search again.")
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


class SearchProvider(Protocol):
    """A search engine. Safe to use from several threads; raises ToolError if it fails."""

    @property
    def provider(self) -> str: ...

    def search(self, query: str, k: int) -> list[WebResult]: ...


@dataclass(frozen=True)
class LiveWeb:
    """Implements ``base.Web`` with a search engine and the pages that it points to."""

    engine: SearchProvider
    pages: Pages
    corpus = None

    @property
    def provider(self) -> str:
        """The search engine's name."""
        return self.engine.provider

    def search(self, query: str, k: int) -> list[WebResult]:
        """The engine's ``k`` best results. Raises ToolError."""
        return self.engine.search(query, k)

    def fetch(self, url: str) -> WebPage:
        """The page at an address; see ``Fetcher.fetch``."""
        return self.pages.fetch(url)


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


def open_pages(options: WebOptions) -> Fetcher:
    """Pages by address, without a search engine.

    Raises UserError for a malformed user agent or proxy.
    """
    agent = options.pages.user_agent or USER_AGENT
    if not agent[:1].isalpha() or not (agent.isascii() and agent.isprintable()):
        raise UserError(f"The user agent {agent!r} must begin with a name and be plain text, such as {USER_AGENT!r}.")
    proxy = None if options.proxy is None else _proxy(options.proxy)
    return Fetcher(agent, options.pages, proxy=proxy)


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
