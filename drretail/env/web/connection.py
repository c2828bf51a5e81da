"""Connections for one page: to public addresses alone, until a moment, for a bounded number of bytes.

A hostile name server may answer differently when a name is looked up again (DNS rebinding). So a host is looked up once
for each connection, every address that it has must be allowed, and the connection goes to one of these.
"""

import re
import socket
import ssl
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any

import httpcore2
import httpx2

from drretail.env.web.base import Blocked, Failed, Late, PageNotFound
from drretail.event_loop import THREADS

Address = IPv4Address | IPv6Address
Resolver = Callable[[str, int], Sequence[str]]
"""Returns the IP addresses of a host and port as text; raises OSError if there are none."""
Allowed = Callable[[Address], bool]
"""Returns True if a connection may go to an address."""
_NETWORKS = tomllib.loads(Path(__file__).with_name("closed_networks.toml").read_text(encoding="utf-8"))
_CLOSED = {4: [*map(ip_network, _NETWORKS["v4"])], 6: [*map(ip_network, _NETWORKS["v6"])]}
_OPEN_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
"""The form of every IPv4 address in a network without IPv4; the address inside decides."""
# Names that mean this machine or this network wherever they are looked up (RFC 6761, 6762, 8375, 9476).
_LOCAL = frozenset({"localhost", "local", "internal", "intranet", "lan", "home", "corp", "arpa", "alt", "onion"})
_NUMBER = re.compile(r"(?:\d+\.){3}\d+|[0-9a-f.]*+:[0-9a-f:.]*")
# Browsers, resolvers and libraries read other names differently, as those that end in a number.
_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)+(?!(?:\d+|0x[0-9a-f]*)\.?$)[a-z0-9_-]{1,63}\.?")
OVERHEAD = 256 * 1024
"""The bytes that headers and framing may take in addition to a body."""


def read_address(text: str, ports: frozenset[int], allowed: Allowed) -> httpx2.URL:
    """The address without its fragment. Raises Blocked, with the reason, if it may not be opened. Names are checked on
    connecting, numbers here: behind a proxy they never would be.
    """
    text = text.strip(" ")
    try:
        text.encode()
        url = httpx2.URL(text).copy_with(fragment=None)
        host = url.raw_host.decode()
        number = ip_address(host) if _NUMBER.fullmatch(host) else None
    except (httpx2.InvalidURL, ValueError):
        raise Blocked("The address cannot be read.") from None
    # Browsers read "\" as "/".
    login = "@" in re.split(r"[/?#]", text.partition("://")[2], maxsplit=1)[0]
    if login or re.search(r"[\s\\]", text) or url.scheme not in ("http", "https"):
        raise Blocked("Only http and https addresses are opened, without a password, a space or a backslash.")
    if (url.port or (80 if url.scheme == "http" else 443)) not in ports or url.port == 0:
        raise Blocked(f"Port {url.port} is not one that web pages are served from.")
    is_name = _NAME.fullmatch(host) and len(host) <= 253 and host.strip(".").rpartition(".")[2] not in _LOCAL
    if not is_name if number is None else not allowed(number):
        raise Blocked(f"{host or 'Nothing'} is no host of the public internet.")
    return url


def is_public(address: Address) -> bool:
    """True for an address that can be reached from everywhere, and so serves nothing that only this machine may see."""
    if address in _NAT64:
        return is_public(IPv4Address(address.packed[-4:]))
    # A zone ("%eth0") names an interface of this machine.
    if isinstance(address, IPv6Address) and (address.scope_id is not None or address not in _OPEN_V6):
        return False
    return address.is_global and not any(address in network for network in _CLOSED[address.version])


def time_left(end: float) -> float:
    """The seconds until ``end`` on the monotonic clock. Raises Late if there are none."""
    left = end - time.monotonic()
    if left <= 0:
        raise Late("The page did not come in time.")
    return left


@cache
def usual_tls() -> ssl.SSLContext:
    """What is trusted; cached, since reading the system's certificate authorities takes as long as a page."""
    return httpx2.create_ssl_context(trust_env=False)


def system_resolver(host: str, port: int) -> list[str]:
    """The addresses that this machine's resolver returns, each once and in its order."""
    return list(dict.fromkeys(str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


@dataclass(eq=False, repr=False)
class CheckedBackend(httpcore2.NetworkBackend):
    """Connects to allowed addresses only, or to the user's ``proxy`` (host, port), whatever its address."""

    resolve: Resolver
    allowed: Allowed
    end: float
    most_bytes: int
    proxy: tuple[str, int] | None = None

    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore2.NetworkStream:
        addresses = self._look_up(host, port)
        if (host, port) != self.proxy and not all(map(self.allowed, addresses)):
            raise Blocked(f"{host} is at an address that is not of the public internet.")
        for address in addresses:
            try:
                stream = httpcore2.SyncBackend().connect_tcp(str(address), port, time_left(self.end))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
            return BoundedStream(stream, self.end, self.most_bytes + OVERHEAD)
        time_left(self.end)
        raise Failed(f"{host} cannot be reached.")

    def _look_up(self, host: str, port: int) -> list[Address]:
        # In a thread, since the system's resolver has no time-out.
        answer = THREADS.submit(self.resolve, host, port)
        try:
            addresses = [ip_address(text) for text in answer.result(time_left(self.end))]
        except TimeoutError:
            raise Late("The page did not come in time.") from None
        except (OSError, UnicodeError) as problem:
            # A machine without a network, or a resolver that is out of order, says nothing of the host.
            if isinstance(problem, socket.gaierror) and problem.errno == socket.EAI_AGAIN:
                raise Failed(f"{host} cannot be looked up for now.") from None
            addresses = []
        except (TypeError, ValueError, LookupError):
            raise Failed(f"The resolver of this machine answers with no address for {host}.") from None
        if not addresses:
            raise PageNotFound(f"There is no host {host}.")
        return addresses


@dataclass(eq=False, repr=False)
class BoundedStream(httpcore2.NetworkStream):
    """A connection that ends at ``end`` and receives a bounded number of bytes. A library's time limits are for one
    read each, and a server that sends a byte now and then never exceeds them.
    """

    stream: httpcore2.NetworkStream
    end: float
    bytes_left: int

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self.stream.read(max_bytes, time_left(self.end))
        self.bytes_left -= len(data)
        if self.bytes_left < 0:
            raise Failed("The page sends more than its limit.")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.stream.write(buffer, time_left(self.end))

    def close(self) -> None:
        self.stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        secured = self.stream.start_tls(ssl_context, server_hostname, time_left(self.end))
        return BoundedStream(secured, self.end, self.bytes_left)

    def get_extra_info(self, info: str) -> Any:
        return self.stream.get_extra_info(info)
