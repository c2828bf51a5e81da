"""Requests to search services over HTTP, and the one mapping of what goes wrong there to errors of tools.

A search service is an address that the user chose, so it may be on this machine; what it answers is still not
trusted: its size and time are bounded, its form is checked, and nothing of it but search results is passed on.
"""

import math
import re
import ssl
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx2
from pydantic import BaseModel, ConfigDict

from drretail.env.web.base import WebResult
from drretail.env.web.reading.cleaning import LONGEST_SNIPPET, LONGEST_TITLE, clean_line, web_address
from drretail.errors import ToolError, UserError
from drretail.grounding.report.evidence_ids import normalise_url
from drretail.parsing import parse_json

MOST_BYTES = 4_000_000
"""Of an answer, unpacked."""
TRIES = 3
LONGEST_WAIT = 5.0
"""Seconds before another try; a service that wants longer is given up for now."""
PAGE_SIZE = 10
"""Results that a page of a search engine has at least, as a rule: Google gives no larger ones any more."""
MOST_PAGES = 20
"""Of one search."""
BUSY = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Service:
    """Where a search service is, how long a search may take, and what to do where it refuses."""

    name: str
    address: str
    seconds: float
    """For one search with all its tries."""
    access: str
    """What to do on 401 and 403."""
    proxy: str | None = None
    wait: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Request:
    method: Literal["GET", "POST"]
    headers: Mapping[str, str]
    params: Mapping[str, str] | None = None
    body: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    content: bytes
    retry_after: float | None


def ask(service: Service, request: Request) -> Any:
    """The JSON that the service answers, asked again where it is busy for a moment.

    Raises ToolError: "forbidden" (key, access, no credits), "limit" (too many requests), "timeout", "unavailable".
    """
    end = service.clock() + service.seconds
    reply = _send(service, request, end)
    for _ in range(TRIES - 1):
        pause = 1.0 if reply.retry_after is None else reply.retry_after
        if reply.status not in BUSY or pause > LONGEST_WAIT or service.clock() + pause >= end:
            break
        service.wait(pause)
        reply = _send(service, request, end)
    return _parsed(service, reply)


def encodable(query: str) -> str:
    """The query without halves of characters, which models write and no encoding has."""
    return query.encode("utf-8", "replace").decode("utf-8")


def check_address(what: str, address: str) -> str:
    """An http(s) address without user name and password, as a setting gives it. Raises UserError."""
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


def _send(service: Service, request: Request, end: float) -> Response:
    late = ToolError("timeout", f"{service.name} did not answer within {service.seconds:g} seconds; search again.")
    left = end - service.clock()
    if left <= 0:
        raise late
    content = bytearray()
    try:
        with (
            # Nothing from the environment: neither proxies nor passwords of .netrc.
            httpx2.Client(
                timeout=left, trust_env=False, follow_redirects=False, proxy=service.proxy, verify=_tls()
            ) as client,
            client.stream(
                request.method,
                service.address,
                headers={"Accept": "application/json", **request.headers},
                params=request.params,
                json=request.body,
            ) as response,
        ):
            for block in response.iter_bytes():
                content += block
                if len(content) > MOST_BYTES:
                    raise ToolError("unavailable", f"{service.name} answers with more than {MOST_BYTES:,} bytes.")
                if service.clock() >= end:
                    raise late
            return Response(response.status_code, bytes(content), _retry_after(response.headers, service.now()))
    # From None: what the library raises holds the request, and so the key.
    except httpx2.TimeoutException:
        raise late from None
    # A host with an empty label is found out by the system's resolver, as a UnicodeError.
    except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError):
        raise ToolError(
            "unavailable", f"{service.name} cannot be reached at {_place(service)}; check the address and the network."
        ) from None


@cache
def _tls() -> ssl.SSLContext:
    # Reading the authorities of the system takes as long as a search.
    return httpx2.create_ssl_context(trust_env=False)


def _parsed(service: Service, reply: Response) -> Any:
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


def _when(retry_after: float | None) -> str:
    return "search again later" if retry_after is None else f"search again in {math.ceil(retry_after)} seconds"


def _retry_after(headers: httpx2.Headers, now: datetime) -> float | None:
    """Seconds, given as such or as a date."""
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    return max(0.0, ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now).total_seconds())


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
    """A piece of a service's answer; what it holds besides is nobody's concern."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def first_results(found: Iterable[WebResult], k: int) -> list[WebResult]:
    """The first ``k`` that lead to the web, two spellings of one address taken as one, texts cleaned as pages are."""
    kept: dict[str, WebResult] = {}
    for result in found:
        url = web_address(result.url)
        if url is not None:
            title, snippet = clean_line(result.title, LONGEST_TITLE), clean_line(result.snippet, LONGEST_SNIPPET)
            kept.setdefault(normalise_url(url), WebResult(title, url, snippet, result.date))
    return list(kept.values())[:k]


def results_of_pages(page: Callable[[int], Sequence[WebResult]], k: int) -> list[WebResult]:
    """``first_results`` of the pages 1, 2, … of an engine, until there are ``k`` or a page brings nothing new.

    No more than ``PAGE_SIZE`` are of the first page alone. Raises what the first page raises; a later one that cannot
    be had ends them.
    """
    found = [*page(1)]
    kept = first_results(found, k)
    for number in range(2, MOST_PAGES + 1):
        if k <= PAGE_SIZE or len(kept) >= k or not kept:
            break
        try:
            found += page(number)
        except ToolError:
            break
        before, kept = len(kept), first_results(found, k)
        if len(kept) == before:
            break
    return kept


def iso_date(text: str | None, now: datetime) -> str | None:
    """YYYY-MM-DD of a date as search engines write it ("Mar 3, 2024", "2 days ago"), None for what is no day.

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
            # The zone is of no matter to a day.
            return datetime.strptime(text, form).replace(tzinfo=now.tzinfo).date().isoformat()
        except ValueError:
            continue
    return None
