"""Pages of the open web, safely: one GET with all limits, bodies unpacked within limits, robots.txt respected."""

import re
import ssl
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import httpcore2
import httpx2
from protego import Protego

from drretail.env.web import connection
from drretail.env.web.base import Blocked, Failed, Fetched, Late, PageNotFound, PageOptions, Problem, WebPage
from drretail.env.web.connection import Allowed, CheckedBackend, Resolver, read_address, time_left, usual_tls
from drretail.env.web.page import REFUSING, read_web_page, text_kind
from drretail.errors import causes_of

ROBOTS_BYTES, ROBOTS_SECONDS = 512_000, 5.0
"""What is read of a robots.txt (the standard asks for at least 500 KiB), and its part of a page's time."""
KEPT, KEPT_AFTER_FAILURE = 24 * 3600.0, 300.0
"""Seconds for which a robots.txt is valid (RFC 9309, section 2.4), and for which a site that fails is left alone."""
HEADERS = {
    "Accept": "text/html, application/xhtml+xml, text/plain;q=0.9, */*;q=0.1",
    "Accept-Language": "en, *;q=0.5",
    "Accept-Encoding": "gzip",
    "Connection": "close",
}


class CheckedTransport(httpx2.HTTPTransport):
    """httpx2's transport over checked connections. Each serves one answer: a kept one would outlive its check."""

    def __init__(self, backend: CheckedBackend, tls: ssl.SSLContext, proxy: httpcore2.Proxy | None) -> None:
        super().__init__(verify=tls, trust_env=False)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=tls, proxy=proxy, max_connections=1, max_keepalive_connections=0, network_backend=backend
        )


def unpacked_body(response: httpx2.Response, most_bytes: int) -> bytes:
    """The unpacked body. Raises Failed if it is larger than ``most_bytes``, damaged, or in another encoding."""
    encoding = response.headers.get("content-encoding", "").lower()
    if encoding not in ("gzip", "x-gzip", "", "identity"):
        # "gzip, gzip" too: packing twice can make a bomb of a few bytes, and has no other use.
        raise Failed("The page is packed in a way that was not asked for.")
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding.endswith("gzip") else None
    body = bytearray()
    try:
        for chunk in response.iter_raw():
            # One byte beyond the limit is enough to see that there are more.
            body += chunk if inflater is None else inflater.decompress(chunk, most_bytes + 1 - len(body))
            if len(body) > most_bytes:
                raise Failed(f"The page is larger than {most_bytes:,} bytes.")
        if inflater is not None and not inflater.eof:
            raise zlib.error("The end is missing.")
    except zlib.error:
        raise Failed("The page is packed, and damaged.") from None
    return bytes(body)


def is_cut(body: bytes) -> bool:
    """True for HTML that begins and does not end. Without a length, a connection that broke looks like a page's end."""
    return b"<html" in body[:4096].lower() and not re.search(rb"</(?:html|body)\s*>", body[-4096:], re.IGNORECASE)


@dataclass(eq=False, repr=False)
class Fetcher:
    """Fetches pages by GETs that identify the sender only by ``user_agent``. Safe to use from several threads."""

    user_agent: str
    limits: PageOptions = field(default_factory=PageOptions)
    _: KW_ONLY
    resolve: Resolver = connection.system_resolver
    allowed: Allowed = connection.is_public
    proxy: httpcore2.Proxy | None = None
    """The user's proxy; no other host is connected to."""
    tls: ssl.SSLContext | None = None
    """What is trusted; None means what the system trusts."""
    clock: Callable[[], float] = time.monotonic
    """Tells how old a robots.txt is."""
    _rules: dict[str, tuple[float, Protego | Problem]] = field(init=False, default_factory=dict[str, Any])
    """By site: until when they hold, and the rules, or why they are not known."""
    _locks: dict[str, threading.Lock] = field(init=False, default_factory=dict[str, threading.Lock])

    provider = "open"

    def fetch(self, url: str) -> WebPage:
        """The page as text; its ``state`` says whether it has any, and ``problem`` why not."""
        return read_web_page(self.get(url))

    def get(self, address: str) -> Fetched:
        """The raw page. Never raises, whatever the address or the site."""
        way = [address]
        try:
            answer = self._answer(address, time.monotonic() + self.limits.seconds, self.limits.body_bytes, way)
            status = answer.status or 0
            if not 200 <= status < 300 or status == 206:  # a part, for which nobody asked
                kind = Blocked if status in REFUSING else PageNotFound if status in (404, 410) else Failed
                raise kind(f"The site answers {status} instead of a page.", status)
            kind, charset = text_kind(answer.content_type, answer.body)
            return replace(answer, url=address, content_type=kind, charset=charset)
        except Problem as problem:
            return Fetched(address, way[-1], problem.state, problem.status, problem=problem.message)

    def _answer(self, address: str, end: float, most_bytes: int, way: list[str] | None = None) -> Fetched:
        """The answer at the end of the redirects. If ``way`` is given, each address is added to it, so that a problem
        names the one that failed, and robots.txt must allow it.
        """
        for _ in range(self.limits.redirects + 1):
            url = read_address(address, self.limits.ports, self.allowed)
            if way is not None:
                way.append(str(url))
            if way is not None and self.limits.robots:
                self._check_robots(url, end)
            if isinstance(answer := self._ask(url, end, most_bytes), Fetched):
                return answer
            address = answer
        raise Failed(f"The page redirects more than {self.limits.redirects} times.")

    def _ask(self, url: httpx2.URL, end: float, most_bytes: int) -> Fetched | str:
        """The answer of one address, or the address that it redirects to."""
        place = None if self.proxy is None else (self.proxy.url.host.decode(), self.proxy.url.port or 0)
        backend = CheckedBackend(self.resolve, self.allowed, end, most_bytes, place)
        request = httpx2.Request("GET", url, headers={"User-Agent": self.user_agent, **HEADERS})
        try:
            with (
                CheckedTransport(backend, self.tls or usual_tls(), self.proxy) as transport,
                closing(transport.handle_request(request)) as response,
            ):
                if response.has_redirect_location:
                    return str(url.join(response.headers["location"]))
                body = unpacked_body(response, most_bytes) if response.is_success else b""
                kind = response.headers.get("content-type", "")
                if not {"content-length", "transfer-encoding"} & set(response.headers) and is_cut(body):
                    raise Failed("The page breaks off before its end.")
                return Fetched(str(url), str(url), "ok", response.status_code, kind, body=body)
        except httpx2.InvalidURL:
            raise Blocked("The page redirects to an address that cannot be read.") from None
        except httpx2.TimeoutException:
            raise Late("The page did not come in time.") from None
        except httpx2.ProxyError:
            raise Failed("The proxy does not open a way to the page.") from None
        except httpx2.HTTPError as problem:
            if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes_of(problem)):
                raise Failed(f"The certificate of {url.host} cannot be trusted.") from None
            raise Failed(f"{url.host} broke off the connection, or does not speak HTTP.") from None

    def _check_robots(self, url: httpx2.URL, end: float) -> None:
        """Raises Blocked for a page that the site forbids to read, and a Problem if its rules can't be known: it is
        left alone for some minutes then (5xx, 429, no answer). A site without a robots.txt (4xx) forbids nothing.
        """
        place = str(url.join("/robots.txt"))
        lock = self._locks.setdefault(place, threading.Lock())
        # Parallel researchers may read one site at the same time; one of them asks for all.
        if not lock.acquire(timeout=time_left(end)):
            raise Late("The page did not come in time.")
        try:
            until, rules = self._rules.get(place, (float("-inf"), read_rules(b"")))
            if self.clock() >= until:
                rules = self._robots(place, min(end, time.monotonic() + ROBOTS_SECONDS))
                lifetime = KEPT_AFTER_FAILURE if isinstance(rules, Problem) else KEPT
                self._rules[place] = self.clock() + lifetime, rules
        finally:
            lock.release()
        if isinstance(rules, Problem):
            raise type(rules)(rules.message, rules.status)
        if not rules.can_fetch(str(url), self.user_agent):
            raise Blocked("The site asks machines not to read this page (robots.txt).")

    def _robots(self, place: str, end: float) -> Protego | Problem:
        try:
            answer = self._answer(place, end, 2 * ROBOTS_BYTES)
        except Late:
            raise Late("The site's robots.txt does not come, so its pages are left alone.") from None
        except Problem as problem:
            return problem
        if (status := answer.status or 0) // 100 in (2, 4) and status != 429:
            return read_rules(answer.body)
        return Blocked(f"The site's robots.txt answers {status}, so its pages are left alone.", status)


def read_rules(body: bytes) -> Protego:
    """The rules of a robots.txt; bytes that are not rules forbid nothing."""
    return Protego.parse(body[:ROBOTS_BYTES].decode("utf-8-sig", "replace"))
