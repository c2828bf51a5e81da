"""One page from the open web, safely: one GET with all limits, bodies unpacked within limits, robots.txt respected.

It uses httpcore2, the transport below httpx2, and not an httpx2 client. That client follows redirects, keeps cookies,
reads proxies and passwords from the environment and unpacks every encoding, and each of these would have to be switched
off. Here they don't exist.
"""

import codecs
import re
import ssl
import threading
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field
from email.message import Message
from functools import cached_property
from ipaddress import ip_address
from urllib.parse import urljoin

import httpcore2
from protego import Protego

from drretail.env.web.base import Blocked, Empty, Failed, Fetched, Late, NotFound, PageOptions, Problem
from drretail.env.web.connection import (
    PORTS,
    Allowed,
    CheckedBackend,
    Clock,
    Deadline,
    Resolver,
    Target,
    is_public,
    read_target,
    system_resolver,
)
from drretail.errors import causes_of

HTML = "text/html"
PLAIN = "text/plain"
TEXT_TYPES = frozenset({HTML, "application/xhtml+xml", PLAIN, "text/markdown", "text/x-markdown"})
_LOOKED_AT = 1024
"""The first bytes that are checked; a text has no control character among them."""
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_BINARY = (b"%PDF", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"\x1f\x8b", b"\x7fELF", b"MZ\x90")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_MARKUP = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body|meta|title|script|div|p|h1)\b", re.IGNORECASE)
# Codecs of the web. Python's others turn bytes into text in ways that no browser does (utf-7, punycode,
# unicode_escape …), some of them slowly.
_CODECS = re.compile(
    r"ascii|utf-8|utf-16(?:-[lb]e)?|iso8859-\d+|cp125\d|cp874|cp866|cp932|cp949|koi8-[ru]|mac-(?:roman|cyrillic)|tis-620"
    r"|shift_jis|euc_(?:jp|kr)|iso2022_jp|gb2312|gbk|gb18030|big5(?:hkscs)?|latin-?1"
)


def text_kind(content_type: str, body: bytes) -> tuple[str, str | None]:
    """("text/html" or "text/plain", codec or None) of a body. Raises Empty if the body is not text."""
    header = Message()
    header["content-type"] = content_type
    # Without a header, Message would say text/plain.
    declared = header.get_content_type() if "/" in content_type else ""
    if declared and declared not in TEXT_TYPES:
        raise Empty(f"It is {declared[:60]}, not a page of text.")
    marked = next((codec for mark, codec in _MARKS if body.startswith(mark)), None)
    start, charset = body[:_LOOKED_AT], header.get_param("charset")
    is_wide = marked == "utf-16" or (isinstance(charset, str) and charset.lower().startswith("utf-16"))
    if body.startswith(_BINARY) or (not is_wide and _CONTROL.search(start)):
        raise Empty("It calls itself text and is something else.")
    codec = marked or codec_name(charset)
    if declared in (HTML, "application/xhtml+xml"):
        return HTML, codec
    return (HTML if not declared and _MARKUP.match(_COMMENT.sub(b"", start)) else PLAIN), codec


def codec_name(charset: object) -> str | None:
    """Python's name of a web charset; None for any other."""
    if not isinstance(charset, str):
        return None
    try:
        name = codecs.lookup(charset.strip("\"' ")).name
    except (LookupError, ValueError):
        return None
    # Latin 1 and ASCII are read as Windows 1252, as browsers do.
    if name in ("iso8859-1", "ascii"):
        return "cp1252"
    return name if _CODECS.fullmatch(name) else None


STEP = 64 * 1024


def unpacked_body(chunks: Iterable[bytes], encoding: str, most_bytes: int) -> bytes:
    """The unpacked body. Raises Failed if it is larger than ``most_bytes``, damaged, or in another encoding."""
    name = encoding.strip().lower()
    if name not in ("gzip", "x-gzip", "", "identity"):
        # "gzip, gzip" too: packing twice can make a bomb of a few bytes, and has no other use.
        raise Failed("The page is packed in a way that was not asked for.")
    body = bytearray()
    for piece in _inflated(chunks) if name.endswith("gzip") else chunks:
        body += piece
        if len(body) > most_bytes:
            raise Failed(f"The page is larger than {most_bytes:,} bytes.")
    return bytes(body)


def _inflated(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Inflates in small steps, so that the caller can stop in time; bytes after the end are ignored."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        for chunk in chunks:
            piece = inflater.decompress(chunk, STEP)
            # Until nothing comes: zlib may still hold output after it has taken all input.
            while piece:
                yield piece
                piece = inflater.decompress(inflater.unconsumed_tail, STEP)
    except zlib.error:
        raise Failed("The page is packed, and damaged.") from None
    if not inflater.eof:
        raise Failed("The page is packed, and its end is missing.")


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
            target, address = read_target(url, self.limits.ports), None
            # Names are checked on connecting. An IP address is checked now: behind a proxy it never would be.
            with suppress(ValueError):
                address = ip_address(target.host)
            if address is not None and not self.allowed(address):
                raise Blocked(f"{target.host} is not an address of the public internet.")
            before(target)
            answer = self._ask(target, wanted, deadline)
            if isinstance(answer, Answer):
                return answer
            url = answer
        raise Failed(f"The page redirects more than {self.limits.redirects} times.")

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # On first use: reading the system's certificate authorities takes as long as a page.
        return self.tls()

    def _ask(self, target: Target, wanted: Wanted, deadline: Deadline) -> Answer | str:
        """The answer of one address, or the address that it redirects to."""
        place = None if self.proxy is None else (self.proxy.url.host.decode(), self.proxy.url.port or 0)
        # One connection, closed after one answer: a kept one would outlive its check and its deadline.
        pool = httpcore2.ConnectionPool(
            ssl_context=self._tls if target.scheme == "https" else None,
            proxy=self.proxy,
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=CheckedBackend(self.resolve, self.allowed, deadline, wanted.body_bytes, place),
        )
        with pool, _page_errors(target, deadline):
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
                    ("Accept-Encoding", "gzip"),
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
    try:
        yield
    except httpcore2.TimeoutException:
        raise deadline.late() from None
    except httpcore2.ProxyError:
        raise Failed("The proxy does not open a way to the page.") from None
    except httpcore2.ProtocolError:
        raise Failed(f"{target.host} answers with something that is not HTTP, or with headers without end.") from None
    except httpcore2.NetworkError as problem:
        if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes_of(problem)):
            raise Failed(f"The certificate of {target.host} cannot be trusted.") from None
        raise Failed(f"The connection to {target.host} broke off.") from None


ROBOTS_BYTES = 512_000
"""The bytes of a robots.txt that are read; the standard asks for at least 500 KiB."""
# "Bot/1.0" is not a product token (RFC 9309, section 2.2.1), but sites write it.
_VERSION = re.compile(r"^([^\S\n]*+user-agent\s*+:\s*+[a-z_-]++)/\S*", re.IGNORECASE | re.MULTILINE)
ROBOTS_SECONDS = 5.0
"""The part of a page's time that robots.txt may take."""
KEPT = 24 * 3600.0
"""Seconds for which a robots.txt is valid (RFC 9309, section 2.4)."""
KEPT_AFTER_FAILURE = 300.0
TOO_MANY_REQUESTS = 429


@dataclass(slots=True)
class _Site:
    """One site's rules, valid ``until`` a moment; ``problem`` is set if its robots.txt could not be fetched."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    until: float = float("-inf")
    rules: Protego | None = None
    """None if the site has no robots.txt: everything may be read."""
    problem: Problem | None = None


class Robots:
    """Checks what each site's robots.txt allows the machine ``token`` to read; asks each once, and keeps the rules.

    Safe to use from several threads.
    """

    def __init__(self, client: Client, token: str, clock: Clock = time.monotonic) -> None:
        self._client = client
        self._token = token
        self._clock = clock
        self._sites: defaultdict[str, _Site] = defaultdict(_Site)
        self._lock = threading.Lock()

    def check(self, target: Target, deadline: Deadline) -> None:
        """Raises Blocked for a page that the site forbids to read, and a Problem if the site can't be asked.

        A site without a robots.txt (4xx) forbids nothing. A site that fails to send it (5xx, 429, no answer) is left
        alone for some minutes, since its rules are not known.
        """
        with self._lock:
            site = self._sites[target.origin]
        # Parallel researchers may read one site at the same time; one of them asks for all.
        if not site.lock.acquire(timeout=deadline.left()):
            raise deadline.late()
        try:
            if self._clock() >= site.until:
                had_time = deadline.left() >= ROBOTS_SECONDS
                try:
                    rules = self._rules(target.origin, deadline.shorter(ROBOTS_SECONDS))
                    site.rules, site.problem, lifetime = rules, None, KEPT
                except Problem as problem:
                    site.problem = problem
                    # If redirects took all the time, the site had none to answer, and may be asked again at once.
                    lifetime = KEPT_AFTER_FAILURE if had_time or not isinstance(problem, Late) else 0.0
                site.until = self._clock() + lifetime
        finally:
            site.lock.release()
        if site.problem is not None:
            raise type(site.problem)(site.problem.message, site.problem.status)
        if site.rules is not None and not site.rules.can_fetch(target.url, self._token):
            raise Blocked("The site asks machines not to read this page (robots.txt).")

    def _rules(self, origin: str, deadline: Deadline) -> Protego | None:
        wanted = Wanted(body_bytes=2 * ROBOTS_BYTES)
        try:
            answer = self._client.get(f"{origin}/robots.txt", wanted, deadline, lambda _: None)
        except Late:
            raise Late("The site's robots.txt does not come, so its pages are left alone for now.") from None
        if 200 <= answer.status < 300:
            return read_rules(answer.body)
        if 400 <= answer.status < 500 and answer.status != TOO_MANY_REQUESTS:
            return None
        raise Blocked(
            f"The site's robots.txt answers {answer.status}, so its pages are left alone for now.", answer.status
        )


def read_rules(body: bytes) -> Protego:
    """The rules of a robots.txt; bytes that are not rules forbid nothing."""
    text = body[:ROBOTS_BYTES].decode("utf-8-sig", "replace")
    return Protego.parse(_VERSION.sub(r"\1", text))


REFUSALS = {
    401: "The site wants a login (401).",
    402: "The site wants to be paid (402).",
    403: "The site refuses to send the page (403).",
    407: "A proxy wants a login (407).",
    429: "The site says that it is asked too often (429).",
    451: "The site may not send the page for legal reasons (451).",
}
MISSING = frozenset({404, 410})


class Fetcher:
    """Fetches pages; without ``robots`` (None) it ignores robots.txt. Safe to use from several threads."""

    def __init__(self, client: Client, robots: Robots | None) -> None:
        self._client = client
        self._robots = robots
        self._wanted = Wanted(client.limits.body_bytes, TEXT_TYPES)

    def fetch(self, url: str) -> Fetched:
        """The page. Never raises, whatever the address or the site."""
        # Every address on the way, so that the result names the address that failed.
        way = [url]
        try:
            deadline = Deadline(self._client.limits.seconds)

            def before(target: Target) -> None:
                way.append(target.url)
                if self._robots is not None:
                    self._robots.check(target, deadline)

            answer = self._client.get(url, self._wanted, deadline, before)
            if answer.status in REFUSALS:
                raise Blocked(REFUSALS[answer.status], answer.status)
            if answer.status in MISSING:
                raise NotFound(f"There is no such page ({answer.status}).", answer.status)
            if not 200 <= answer.status < 300:
                raise Failed(f"The site answers {answer.status} instead of a page.", answer.status)
            if not answer.body.strip():
                raise Empty("The page is empty.", answer.status)
            kind, charset = text_kind(answer.content_type, answer.body)
            return Fetched(url, answer.target.url, "ok", answer.status, kind, charset, answer.body)
        except Problem as problem:
            return Fetched(url, way[-1], problem.state, problem.status, problem=problem.message)
