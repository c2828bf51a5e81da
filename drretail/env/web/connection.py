"""Where a fetch may go: an address read in one strict way, the addresses that may be connected to, and until when.
It connects to the very address that it checked.

Most tricks against fetchers use a text that two programs read differently. Here, a text that browsers, resolvers and
libraries may read differently is not an address at all. The rest is passed to the connection in parts, and never parsed
again.

Checking a name and then connecting to it looks it up twice, and a hostile name server may answer differently the second
time (DNS rebinding). Here a host is looked up once for each connection, and every address it has must be allowed. The
connection goes to one of these addresses, which is compared once more after connecting.
"""

import re
import socket
import ssl
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from queue import Empty as QueueEmpty
from queue import SimpleQueue
from typing import Any, Literal
from urllib.parse import quote, urlsplit

import httpcore2
import idna

from drretail.env.web.base import Blocked, Failed, Late, NotFound

LONGEST = 4000
"""The most characters of an address."""
PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))+")
_NUMERIC = re.compile(r"\d+|0x[0-9a-f]*")
# Names that mean this machine or this network wherever they are looked up (RFC 6761, 6762, 8375, 9476).
_LOCAL = frozenset({"localhost", "local", "internal", "intranet", "lan", "home", "corp", "arpa", "alt", "onion"})
# Characters that stay unescaped in a path and query (RFC 3986); "%" because the text is escaped already.
_KEPT = "!$&'()*+,;=:@/?%-._~"


@dataclass(frozen=True, slots=True)
class Target:
    """An address in parts: ``host`` is an ASCII name or a bare IP address; ``path`` begins with "/", with the query."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Host and port in the form of an address and a Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        return f"{self.origin}{self.path}"


def read_target(url: str, ports: frozenset[int]) -> Target:
    """The target of ``url``, without its fragment. Raises Blocked, with the reason, if it may not be opened."""
    text = url.strip(" ")
    if len(text) > LONGEST:
        raise Blocked(f"The address is longer than {LONGEST} characters.")
    # urlsplit drops tabs and line ends silently, and browsers read "\" as "/".
    if any(character <= " " or character in "\\\x7f" or character.isspace() for character in text):
        raise Blocked("The address holds white space, a control character or a backslash.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise Blocked("The address cannot be read.") from None
    scheme = parts.scheme
    if scheme != "http" and scheme != "https":
        raise Blocked("Only http and https addresses are opened.")
    if "@" in parts.netloc:
        raise Blocked("An address with a user name or password is not opened.")
    host = _host(parts.netloc, parts.hostname or "")
    port = PORTS[scheme] if port is None else port
    if port not in ports:
        raise Blocked(f"Port {port} is not one that web pages are served from.")
    query = f"?{parts.query}" if parts.query else ""
    try:
        path = quote((parts.path or "/") + query, safe=_KEPT)
    except UnicodeEncodeError:
        raise Blocked("The address holds half a character.") from None
    return Target(scheme, host, port, path)


def _host(netloc: str, host: str) -> str:
    if netloc.startswith("["):
        try:
            address = IPv6Address(host)
        except ValueError:
            raise Blocked("The host of the address is not an IPv6 address.") from None
        if address.scope_id is not None:
            raise Blocked("The address names an interface of this machine.")
        return str(address)
    if "%" in host:
        raise Blocked("The host of the address is written with escapes.")
    try:
        # Other scripts in IDNA's form: full-width digits become digits here, "。" a dot.
        name = host.lower() if host.isascii() else idna.encode(host, uts46=True, transitional=False).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise Blocked("The host of the address is not a name.") from None
    name = name.removesuffix(".")
    last = name.rpartition(".")[2]
    if _NUMERIC.fullmatch(last):
        # Four decimal numbers and nothing else: 127.1, 0x7f.0.0.1, 017700000001 are readings of C libraries.
        try:
            return str(IPv4Address(name))
        except ValueError:
            raise Blocked("The address names its host by a number that is not four decimal parts.") from None
    if name in _LOCAL or last in _LOCAL or "." not in name:
        raise Blocked(f"{name or 'Nothing'} is no host of the public internet.")
    if not _NAME.fullmatch(name) or len(name) > 253:
        raise Blocked("The host of the address is not a name.")
    return name


Address = IPv4Address | IPv6Address

_CLOSED = tomllib.loads(Path(__file__).with_name("closed_networks.toml").read_text(encoding="utf-8"))
_CLOSED_V4 = tuple(map(IPv4Network, _CLOSED["v4"]))
# Platform services that have a public address, but answer only from within their cloud.
_PLATFORM_V4 = frozenset({IPv4Address("168.63.129.16")})
_OPEN_V6 = IPv6Network("2000::/3")
_CLOSED_V6 = tuple(map(IPv6Network, _CLOSED["v6"]))
_NAT64 = IPv6Network("64:ff9b::/96")
"""The form of every IPv4 address in a network without IPv4; the address inside decides."""


def is_public(address: Address) -> bool:
    """True for an address that can be reached from everywhere, and so serves nothing that only this machine may see."""
    if isinstance(address, IPv4Address):
        closed = address in _PLATFORM_V4 or any(address in network for network in _CLOSED_V4)
        return not closed and address.is_global
    if address in _NAT64:
        return is_public(IPv4Address(address.packed[-4:]))
    # A zone ("%eth0") names an interface of this machine.
    if address.scope_id is not None or address not in _OPEN_V6:
        return False
    return not any(address in network for network in _CLOSED_V6) and address.is_global


Clock = Callable[[], float]
"""A clock in seconds that never goes back."""


class Deadline:
    """Ends ``seconds`` after it was made."""

    def __init__(self, seconds: float, clock: Clock = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    def left(self) -> float:
        """The seconds left, more than 0. Raises Late if none are left."""
        left = self._end - self._clock()
        if left <= 0:
            raise self.late()
        return left

    def late(self) -> Late:
        return Late(f"The page did not come within {self._seconds:g} seconds.")

    def shorter(self, seconds: float) -> "Deadline":
        """A deadline in ``seconds``, or at this one's end if that is earlier."""
        return Deadline(min(seconds, self.left()), self._clock)


Resolver = Callable[[str, int], Sequence[str]]
"""Returns the IP addresses of a host and port as text; raises OSError if there are none."""
Allowed = Callable[[Address], bool]
"""Returns True if a connection may go to an address."""
OVERHEAD = 256 * 1024
"""The bytes that headers and framing may take in addition to a body."""
READ_SIZE = 64 * 1024


def system_resolver(host: str, port: int) -> list[str]:
    """The addresses that this machine's resolver returns, each once and in its order."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(eq=False, repr=False)
class CheckedBackend(httpcore2.NetworkBackend):
    """Opens connections for one page: to allowed addresses only, until the deadline, for a bounded number of bytes.

    With ``proxy`` (host, port), only that proxy can be reached, whatever its address: the user trusts it, and it alone
    looks up names.
    """

    resolve: Resolver
    allowed: Allowed
    deadline: Deadline
    most_bytes: int
    proxy: tuple[str, int] | None = None

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        trusted = (host, port) == self.proxy
        addresses = _look_up(self.resolve, host, port, self.deadline)
        if not trusted and not all(map(self.allowed, addresses)):
            raise Blocked(f"{host} is at an address that is not of the public internet.")
        for address in addresses:
            try:
                stream = httpcore2.SyncBackend().connect_tcp(
                    str(address), port, self.deadline.left(), None, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
            reached = ip_address(stream.get_extra_info("server_addr")[0])
            if reached != address or not (trusted or self.allowed(reached)):
                stream.close()
                raise Blocked(f"{host} was reached at another address than the one that was checked.")
            return BoundedStream(stream, self.deadline, self.most_bytes + OVERHEAD)
        self.deadline.left()
        raise Failed(f"{host} cannot be reached.")


@dataclass(eq=False, repr=False)
class BoundedStream(httpcore2.NetworkStream):
    """A connection on which every step ends at the deadline, and which receives a bounded number of bytes.

    The time limits of an HTTP library are for one read each, and a server that sends a byte now and then never exceeds
    them.
    """

    stream: httpcore2.NetworkStream
    deadline: Deadline
    bytes_left: int

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self.stream.read(min(max_bytes, READ_SIZE), self.deadline.left())
        self.bytes_left -= len(data)
        if self.bytes_left < 0:
            raise Failed("The page sends more than its limit.")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.stream.write(buffer, self.deadline.left())

    def close(self) -> None:
        self.stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        secured = self.stream.start_tls(ssl_context, server_hostname, self.deadline.left())
        return BoundedStream(secured, self.deadline, self.bytes_left)

    def get_extra_info(self, info: str) -> Any:
        return self.stream.get_extra_info(info)


def _look_up(resolve: Resolver, host: str, port: int, deadline: Deadline) -> list[Address]:
    """The addresses of a host; looked up in a thread, since the system's resolver has no time-out."""
    answer: SimpleQueue[list[Address] | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            answer.put([ip_address(text) for text in resolve(host, port)])
        # The boundary of a thread: without an answer, the caller would wait for the whole time of the page.
        except Exception as problem:  # noqa: BLE001
            answer.put(problem)

    threading.Thread(target=ask, name=f"resolve {host}", daemon=True).start()
    try:
        result = answer.get(timeout=deadline.left())
    except QueueEmpty:
        raise deadline.late() from None
    # A machine without a network, or a resolver that is out of order (EAI_AGAIN), says nothing of the host.
    if isinstance(result, socket.gaierror) and result.errno == socket.EAI_AGAIN:
        raise Failed(f"{host} cannot be looked up for now.")
    if isinstance(result, OSError | UnicodeError) or not result:
        raise NotFound(f"There is no host {host}.")
    if isinstance(result, Exception):
        raise Failed(f"The resolver of this machine answers with no address for {host}.")
    return result
