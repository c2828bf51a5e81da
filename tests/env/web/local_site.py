"""A server on this machine that answers as it is told, byte by byte, and remembers who came."""

import contextlib
import socket
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from drretail.env.web.base import Fetched, PageOptions
from drretail.env.web.connection import Address, is_public
from drretail.env.web.fetcher import Fetcher

Answering = Callable[[str, socket.socket], None]
"""Answers the request whose first line and headers it is given."""
AGENT = "drretail/test"


@dataclass
class Site:
    """``requests`` holds the heads of all requests, in order; ``connections`` counts every one that was accepted."""

    answer: Answering
    address: str
    port: int = 0
    requests: list[str] = field(default_factory=list[str])
    connections: int = 0

    def paths(self) -> list[str]:
        return [request.split(" ")[1] for request in self.requests]

    def url(self, path: str = "/", host: str = "shop.example") -> str:
        return f"http://{host}:{self.port}{path}"


def html(body: bytes, *headers: str, status: str = "200 OK", kind: str = "text/html; charset=utf-8") -> bytes:
    """A whole answer."""
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Length: {len(body)}",
        *([f"Content-Type: {kind}"] if kind else []),
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def redirect(place: str, status: str = "302 Found") -> bytes:
    return f"HTTP/1.1 {status}\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()


def always(answer: bytes) -> Answering:
    return lambda _, connection: connection.sendall(answer)


def by_path(answers: dict[str, bytes]) -> Answering:
    """404 for a path that isn't named."""

    def answer(request: str, connection: socket.socket) -> None:
        connection.sendall(answers.get(request.split(" ")[1], html(b"no", status="404 Not Found")))

    return answer


@contextlib.contextmanager
def serving(answer: Answering, address: str = "127.0.0.1") -> Generator[Site]:
    """The site while it serves; its threads end with it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, 0), family=family) as listener:
        site = Site(answer, address, listener.getsockname()[1])
        threading.Thread(target=_accept, args=(listener, site), daemon=True).start()
        yield site
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, site: Site) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            site.connections += 1
            threading.Thread(target=_serve, args=(connection, site), daemon=True).start()


def _serve(connection: socket.socket, site: Site) -> None:
    # A client that has seen enough closes the connection while we still send.
    with connection, contextlib.suppress(OSError):
        head = b""
        while b"\r\n\r\n" not in head:
            block = connection.recv(65536)
            if not block:
                return
            head += block
        request = head.decode("latin-1")
        site.requests.append(request)
        site.answer(request, connection)


@dataclass
class Names:
    """A resolver that knows the given names and, as a real one, every number; what it was asked stays in ``asked``.

    A name with several answers gives one after the other and then the last, as a hostile name server would.
    """

    known: Mapping[str, Sequence[Sequence[str]]]
    lookups: list[str] = field(default_factory=list[str])

    def __call__(self, host: str, port: int) -> list[str]:
        self.lookups.append(host)
        answers = self.known.get(host)
        if answers is None:
            return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST)]
        turn = min(self.lookups.count(host), len(answers)) - 1
        return list(answers[turn])


def only_here(address: Address) -> bool:
    """Allows this machine's loopback besides the public internet: what a test that wants an answer gives."""
    return str(address) == "127.0.0.1" or is_public(address)


HERE = {"shop.example": [["127.0.0.1"]]}


def fetcher(
    site: Site,
    names: Names | None = None,
    *,
    allowed: Callable[[Address], bool] = only_here,
    robots: bool = False,
    **limits: Any,
) -> Fetcher:
    """A fetcher that may use the site's port besides the web's; ``limits`` are fields of ``PageOptions``."""
    here: dict[str, Any] = {"seconds": 5, "ports": frozenset({80, 443, site.port}), "robots": robots}
    return Fetcher(AGENT, PageOptions(**here | limits), resolve=names or Names(HERE), allowed=allowed)


def fetched(answer: Answering, path: str = "/", *, names: Names | None = None, **limits: Any) -> Fetched:
    """What is fetched of a site that answers so."""
    with serving(answer) as site:
        return fetcher(site, names, **limits).get(site.url(path))
