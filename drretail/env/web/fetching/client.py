"""One GET with all limits, each redirect under the same rules again.

This is httpcore2, the transport below httpx2, and not an httpx2 client: that one follows redirects, keeps cookies,
reads proxies and passwords from the environment and unpacks whatever comes, and each of these would have to be
switched off. Here they don't exist.
"""

import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urljoin

import httpcore2

from drretail.env.web.fetching.connection import Allowed, CheckedBackend, Deadline, Resolver, is_public, system_resolver
from drretail.env.web.fetching.content import ACCEPTED, unpacked_body
from drretail.env.web.fetching.fetched import Blocked, Empty, Failed
from drretail.env.web.fetching.targets import PORTS, Target, read_target

REDIRECTS = frozenset({301, 302, 303, 307, 308})
WEB_PORTS = frozenset({80, 443, 8080, 8443})


@dataclass(frozen=True, slots=True)
class Limits:
    """Where one page ends at the latest."""

    seconds: float = 10
    """For everything together: names, robots.txt, redirects, the body."""
    body_bytes: int = 10_000_000
    """After unpacking."""
    redirects: int = 5
    ports: frozenset[int] = WEB_PORTS


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that someone chose; only it is connected to."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    auth: tuple[str, str] | None = None

    @property
    def place(self) -> tuple[str, int]:
        return self.host, self.port


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of an answer is read: 2xx bodies of these content types (None = of all), up to ``body_bytes``."""

    body_bytes: int
    types: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The last answer; ``body`` is unpacked, and empty unless ``status`` is 2xx."""

    target: Target
    status: int
    content_type: str
    body: bytes


class Client:
    """Sends GETs and nothing that tells who asks but ``user_agent``. Safe to use from several threads."""

    def __init__(
        self,
        user_agent: str,
        limits: Limits | None = None,
        *,
        resolve: Resolver = system_resolver,
        allowed: Allowed = is_public,
        proxy: Proxy | None = None,
        tls: Callable[[], ssl.SSLContext] = httpcore2.default_ssl_context,
    ) -> None:
        self.limits = limits or Limits()
        self._user_agent = user_agent
        self._resolve = resolve
        self._allowed = allowed
        self._proxy = proxy
        self._make_tls = tls

    def get(self, url: str, wanted: Wanted, deadline: Deadline, before: Callable[[Target], None]) -> Answer:
        """The answer at the end of the redirects; ``before`` is called with each address first, and may raise.

        Raises Problem.
        """
        for _ in range(self.limits.redirects + 1):
            target = self._target(url)
            before(target)
            answer = self._ask(target, wanted, deadline)
            if isinstance(answer, Answer):
                return answer
            url = answer
        raise Failed(f"The page redirects more than {self.limits.redirects} times.")

    def _target(self, url: str) -> Target:
        target = read_target(url, self.limits.ports)
        # Names are checked when they are connected to; a number needn't wait, and behind a proxy it would never be.
        try:
            address = ip_address(target.host)
        except ValueError:
            return target
        if not self._allowed(address):
            raise Blocked(f"{target.host} is not an address of the public internet.")
        return target

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # On first use: reading the authorities of the system takes as long as a page.
        return self._make_tls()

    def _ask(self, target: Target, wanted: Wanted, deadline: Deadline) -> Answer | str:
        """The answer of one address, or where it redirects to."""
        with self._pool(target, deadline, wanted) as pool, _page_errors(target, deadline):
            url = httpcore2.URL(
                scheme=target.scheme.encode(),
                host=target.host.encode(),
                port=None if target.port == PORTS[target.scheme] else target.port,
                target=target.path.encode(),
            )
            with pool.stream(
                "GET",
                url,
                headers=[
                    ("Host", target.authority),
                    ("User-Agent", self._user_agent),
                    ("Accept", "text/html, application/xhtml+xml, text/plain;q=0.9, */*;q=0.1"),
                    ("Accept-Language", "en, *;q=0.5"),
                    ("Accept-Encoding", ACCEPTED),
                    ("Connection", "close"),
                ],
            ) as response:
                location = _header(response, b"location")
                if response.status in REDIRECTS and location:
                    try:
                        return urljoin(target.url, location)
                    except ValueError:
                        raise Blocked("The page redirects to an address that cannot be read.") from None
                return _answer(target, response, wanted)

    def _pool(self, target: Target, deadline: Deadline, wanted: Wanted) -> httpcore2.ConnectionPool:
        """Of one connection, closed after one answer: a kept one would outlive its check and its deadline."""
        place = None if self._proxy is None else self._proxy.place
        return httpcore2.ConnectionPool(
            ssl_context=self._tls if target.scheme == "https" else None,
            proxy=None if self._proxy is None else _as_httpcore(self._proxy),
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=CheckedBackend(self._resolve, self._allowed, deadline, wanted.body_bytes, place),
        )


def _answer(target: Target, response: httpcore2.Response, wanted: Wanted) -> Answer:
    content_type = _header(response, b"content-type")
    if not 200 <= response.status < 300:
        return Answer(target, response.status, content_type, b"")
    kind = content_type.partition(";")[0].strip().lower()
    if wanted.types is not None and kind and kind not in wanted.types:
        raise Empty(f"It is {kind[:60]}, not a page of text.", response.status)
    length = _header(response, b"content-length")
    if length.isascii() and length.isdigit() and len(length) < 20 and int(length) > wanted.body_bytes:
        raise Failed(f"The page is larger than {wanted.body_bytes:,} bytes.", response.status)
    encoding = _header(response, b"content-encoding")
    body = unpacked_body(response.iter_stream(), encoding, wanted.body_bytes)
    return Answer(target, response.status, content_type, body)


def _header(response: httpcore2.Response, name: bytes) -> str:
    """Its first value, or all of them with commas where being several is telling."""
    values = [value for key, value in response.headers if key.lower() == name]
    value = b",".join(values) if name == b"content-encoding" else (values or [b""])[0]
    try:
        # Some servers redirect to addresses with letters beyond ASCII.
        return value.decode("utf-8").strip()
    except UnicodeDecodeError:
        return value.decode("latin-1").strip()


def _as_httpcore(proxy: Proxy) -> httpcore2.Proxy:
    url = httpcore2.URL(scheme=proxy.scheme.encode(), host=proxy.host.encode(), port=proxy.port, target=b"/")
    return httpcore2.Proxy(url, auth=proxy.auth)


@contextmanager
def _page_errors(target: Target, deadline: Deadline) -> Generator[None]:
    """The library's errors as sentences about the page."""
    try:
        yield
    except httpcore2.TimeoutException:
        raise deadline.late() from None
    except httpcore2.ProxyError:
        raise Failed("The proxy does not open a way to the page.") from None
    except httpcore2.ProtocolError:
        raise Failed(f"{target.host} answers with something that is not HTTP, or with headers without end.") from None
    except httpcore2.NetworkError as problem:
        if _is_about_certificate(problem):
            raise Failed(f"The certificate of {target.host} cannot be trusted.") from None
        raise Failed(f"The connection to {target.host} broke off.") from None


def _is_about_certificate(problem: BaseException | None) -> bool:
    while problem is not None:
        if isinstance(problem, ssl.SSLCertVerificationError):
            return True
        problem = problem.__cause__ or problem.__context__
    return False
