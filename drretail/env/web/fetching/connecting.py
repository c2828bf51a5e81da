"""Connections to the very addresses that were checked.

Checking a name and then connecting to it looks it up twice, and a hostile name server answers differently the second
time (DNS rebinding). Here a host is looked up once for each connection, every address it has must be allowed, and
the connection goes to one of these addresses, which is compared once more when it stands.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address
from queue import Empty as NothingYet
from queue import SimpleQueue
from typing import Any

import httpcore2

from drretail.env.web.fetching.addresses import Address, read_address
from drretail.env.web.fetching.deadline import Deadline
from drretail.env.web.fetching.problems import Blocked, Failed

Resolver = Callable[[str, int], Sequence[str]]
"""The IP addresses of a host and port as text; raises OSError where there are none."""
Allowed = Callable[[Address], bool]
"""Whether a connection may go to an address."""
OVERHEAD = 256 * 1024
"""Bytes that headers and framing may take beside a body."""
READ_SIZE = 64 * 1024


def system_resolver(host: str, port: int) -> list[str]:
    """What this machine's resolver says, each address once and in its order."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class CheckedBackend(httpcore2.NetworkBackend):
    """Opens connections for one page: to allowed addresses only, until the deadline, for a bounded number of bytes.

    With ``proxy`` (host, port), the one place that may be reached is that proxy, whatever its address: who names it
    trusts it, and it alone then sees which addresses names have.
    """

    def __init__(
        self,
        resolve: Resolver,
        allowed: Allowed,
        deadline: Deadline,
        most_bytes: int,
        proxy: tuple[str, int] | None = None,
    ) -> None:
        self._resolve = resolve
        self._allowed = allowed
        self._deadline = deadline
        self._most_bytes = most_bytes
        self._proxy = proxy
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        trusted = (host, port) == self._proxy
        addresses = _look_up(self._resolve, host, port, self._deadline)
        if not trusted and not all(map(self._allowed, addresses)):
            raise Blocked(f"{host} is at an address that is not of the public internet.")
        for address in addresses:
            try:
                stream = self._sockets.connect_tcp(str(address), port, self._deadline.left(), None, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
            reached = ip_address(stream.get_extra_info("server_addr")[0])
            if reached != address or not (trusted or self._allowed(reached)):
                stream.close()
                raise Blocked(f"{host} was reached at another address than the one that was checked.")
            return BoundedStream(stream, self._deadline, self._most_bytes + OVERHEAD)
        self._deadline.left()
        raise Failed(f"{host} cannot be reached.")


class BoundedStream(httpcore2.NetworkStream):
    """A connection on which every step ends at the deadline, and only so many bytes come in.

    The limits of an HTTP library are for one read each: a server that sends a byte now and then meets all of them.
    """

    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline, bytes_left: int) -> None:
        self._stream = stream
        self._deadline = deadline
        self._bytes_left = bytes_left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(min(max_bytes, READ_SIZE), self._deadline.left())
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            raise Failed("The page sends more than its limit.")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left())
        return BoundedStream(secured, self._deadline, self._bytes_left)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _look_up(resolve: Resolver, host: str, port: int, deadline: Deadline) -> list[Address]:
    """The addresses of a host; on a thread of its own, for the system's resolver cannot be given a time."""
    answer: SimpleQueue[Sequence[str] | OSError | UnicodeError] = SimpleQueue()

    def ask() -> None:
        try:
            answer.put(resolve(host, port))
        except (OSError, UnicodeError) as problem:
            answer.put(problem)

    threading.Thread(target=ask, name=f"resolve {host}", daemon=True).start()
    try:
        found = answer.get(timeout=deadline.left())
    except NothingYet:
        raise deadline.late() from None
    if isinstance(found, OSError | UnicodeError) or not found:
        raise Failed(f"There is no host {host}.")
    return [read_address(text) for text in found]
