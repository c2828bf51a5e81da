"""One GET with all limits; each redirect is under the same rules.

It uses httpcore2, the transport below httpx2, and not an httpx2 client. That client follows redirects, keeps cookies,
reads proxies and passwords from the environment and unpacks every encoding, and each of these would have to be switched
off. Here they don't exist.
"""

import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from ipaddress import ip_address
from urllib.parse import urljoin

import httpcore2

from drretail.env.web.fetching.connection import Allowed, CheckedBackend, Deadline, Resolver, is_public, system_resolver
from drretail.env.web.fetching.content import ACCEPTED, unpacked_body
from drretail.env.web.fetching.fetched import Blocked, Empty, Failed
from drretail.env.web.fetching.targets import PORTS, Target, read_target
from drretail.env.web.registry import PageOptions

REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Wanted:
    """The answers whose body is read: 2xx of these content types (None = all), up to ``body_bytes``."""

    body_bytes: int
    types: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The last answer; ``body`` is unpacked, and empty unless ``status`` is 2xx."""

    target: Target
    status: int
    content_type: str
    body: bytes


@dataclass(eq=False, repr=False)
class Client:
    """Sends GETs that identify the sender only by ``user_agent``. Safe to use from several threads."""

    user_agent: str
    limits: PageOptions = field(default_factory=PageOptions)
    _: KW_ONLY
    resolve: Resolver = system_resolver
    allowed: Allowed = is_public
    proxy: httpcore2.Proxy | None = None
    """The user's proxy; no other host is connected to."""
    tls: Callable[[], ssl.SSLContext] = httpcore2.default_ssl_context

    def get(self, url: str, wanted: Wanted, deadline: Deadline, before: Callable[[Target], None]) -> Answer:
        """The answer at the end of the redirects. ``before`` is called with each address first, and may raise.

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
        # Names are checked on connecting. An IP address is checked now: behind a proxy it never would be.
        try:
            address = ip_address(target.host)
        except ValueError:
            return target
        if not self.allowed(address):
            raise Blocked(f"{target.host} is not an address of the public internet.")
        return target

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # On first use: reading the system's certificate authorities takes as long as a page.
        return self.tls()

    def _ask(self, target: Target, wanted: Wanted, deadline: Deadline) -> Answer | str:
        """The answer of one address, or the address that it redirects to."""
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
                    ("User-Agent", self.user_agent),
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
        """A pool of one connection, closed after one answer: a kept connection would outlive its check and its
        deadline.
        """
        place = None if self.proxy is None else (self.proxy.url.host.decode(), self.proxy.url.port or 0)
        return httpcore2.ConnectionPool(
            ssl_context=self._tls if target.scheme == "https" else None,
            proxy=self.proxy,
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=CheckedBackend(self.resolve, self.allowed, deadline, wanted.body_bytes, place),
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
    """The header's first value; all values with commas for content-encoding, whose number matters."""
    values = [value for key, value in response.headers if key.lower() == name]
    value = b",".join(values) if name == b"content-encoding" else (values or [b""])[0]
    try:
        # Some servers redirect to addresses with non-ASCII letters.
        return value.decode("utf-8").strip()
    except UnicodeDecodeError:
        return value.decode("latin-1").strip()


@contextmanager
def _page_errors(target: Target, deadline: Deadline) -> Generator[None]:
    """Turns the library's errors into sentences about the page."""
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
