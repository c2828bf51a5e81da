"""Addresses, redirects, names and bodies that want to be let in.

A site stands where they lead, and must not hear of it.
"""

import gzip
import socket
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, IPv6Address

from drretail.env.web.base import PageOptions
from drretail.env.web.connection import is_public
from drretail.env.web.fetcher import Fetcher

from .bench import Bench, Row

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
PUBLIC = "203.0.114.7"
INSIDE = (
    "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
    "http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://0.0.0.0/", "http://0/",
    "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/", "http://[2001:0:0:0:0:0:80ff:fffe]/", "http://[fe80::1%25eth0]/", "http://[fd00::1]/",
    "http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/", "http://[fd00:ec2::254]/",
    "http://100.100.100.200/", "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.1.1/", "http://198.18.0.1/",
    "http://user@127.0.0.1/", "http://shop.example@127.0.0.1/", "http://127.0.0.1\\@shop.example/", "http://①②⑦.0.0.1/",
    "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "//127.0.0.1/", "http://shop.example:22/",
    "http://inside.example/", "http://rebinding.example/",
)  # fmt: skip


@dataclass
class Site:
    """A server that answers in one way, and counts who came."""

    answer: Callable[[socket.socket], object]
    port: int = 0
    visits: int = 0


@contextmanager
def site(answer: Callable[[socket.socket], object], address: str = "127.0.0.1") -> Generator[Site]:
    """It listens on an address of loopback while the block runs."""
    with socket.create_server((address, 0)) as listener:
        made = Site(answer, listener.getsockname()[1])
        threading.Thread(target=_accept, args=(listener, made), daemon=True).start()
        yield made
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, made: Site) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            made.visits += 1
            threading.Thread(target=_serve, args=(connection, made), daemon=True).start()


def _serve(connection: socket.socket, made: Site) -> None:
    with connection, suppress(OSError):  # a client that has seen enough closes
        connection.recv(65536)
        made.answer(connection)


@dataclass
class Names:
    """A resolver: one answer after the other, and then the last, as a hostile name server gives them."""

    known: Mapping[str, Sequence[str]]
    asked: list[str] = field(default_factory=list)

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        if host in self.known:
            answers = self.known[host]
            return [answers[min(self.asked.count(host), len(answers)) - 1]]
        return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST)]


def unsafe(bench: Bench) -> Row:
    """Addresses that lead inside, at once or by redirect; bodies that are slow, huge, packed or endless."""
    row = Row(
        "fetching", "inside addresses in every spelling, redirects to them, names that change, slow and huge bodies"
    )
    names = Names(
        {"inside.example": ["127.0.0.1"], "rebinding.example": [PUBLIC, "127.0.0.1"], "shop.example": [PUBLIC]}
    )
    with site(lambda connection: connection.sendall(HTML + b"\r\n<p>secret")) as inside:
        options = PageOptions(seconds=3, ports=frozenset({80, 443, inside.port}), robots=False)
        fetcher = Fetcher("drretail/benchmark", options, resolve=names)
        for address in INSIDE:
            for spelled in (address, _with_port(address, inside.port)):
                row.tried += 1
                found = fetcher.get(spelled)
                if inside.visits or found.state == "ok" or found.body:
                    row.add("leaked", f"{spelled}: {found.state}, the inside was asked {inside.visits} times")
                    inside.visits = 0
                _redirected(row, inside, spelled)
    for network in bench.sample(range(1 << 12), 200, 1 << 12):  # no special address is open in the clothes of IPv6
        inner = IPv4Address(network << 20)
        for clothed in (
            (0xFFFF << 32) + int(inner),
            (0x64FF9B << 96) + int(inner),
            (0x2002 << 112) + (int(inner) << 80),
        ):
            row.tried += 1
            if is_public(IPv6Address(clothed)) and not is_public(inner):
                row.add("leaked", f"{IPv6Address(clothed)} is open, {inner} is closed")
    _bodies(row)
    return row


def _with_port(address: str, port: int) -> str:
    scheme, _, rest = address.partition("//")
    host, slash, path = rest.partition("/")
    return address if host.endswith(":22") or not scheme.startswith("http") else f"{scheme}//{host}:{port}{slash}{path}"


def _redirected(row: Row, inside: Site, address: str) -> None:
    """The same address behind a redirect of a site that is allowed."""
    location = address.encode("utf-8", "replace")
    with site(
        lambda connection: connection.sendall(b"HTTP/1.1 302 F\r\nLocation: " + location + b"\r\n\r\n"), "127.0.0.9"
    ) as outside:
        options = PageOptions(seconds=3, ports=frozenset({80, 443, outside.port, inside.port}), robots=False)
        names = Names(
            {"shop.example": ["127.0.0.9"], "inside.example": ["127.0.0.1"], "rebinding.example": ["127.0.0.1"]}
        )
        fetcher = Fetcher("drretail/benchmark", options, resolve=names, allowed=_or_outside)
        row.tried += 1
        found = fetcher.get(f"http://shop.example:{outside.port}/")
        if inside.visits or found.state == "ok":
            row.add("leaked", f"a redirect to {address}: {found.state}")
            inside.visits = 0


def _or_outside(address: IPv4Address | IPv6Address) -> bool:
    """Lets the site of this benchmark stand for the public internet."""
    return str(address) == "127.0.0.9" or is_public(address)


def _bodies(row: Row) -> None:
    """Each has to end in time, without a page."""
    bomb = gzip.compress(gzip.compress(b" " * 50_000_000))
    answers: dict[str, Callable[[socket.socket], object]] = {
        "a body without end": lambda connection: _for_ever(connection, HTML + b"\r\n", b"x" * 65536),
        "headers without end": lambda connection: _for_ever(connection, b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n" * 1000),
        "a slow drip": lambda connection: _for_ever(connection, HTML + b"\r\n", b"x", 0.05),
        "nothing": lambda _: time.sleep(5),
        "a gzip bomb": lambda connection: connection.sendall(
            HTML + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b" " * 200_000_000)
        ),
        "a bomb in a bomb": lambda connection: connection.sendall(
            HTML + b"Content-Encoding: gzip, gzip\r\n\r\n" + bomb
        ),
        "no HTTP": lambda connection: connection.sendall(b"\x16\x03\x01" * 1000),
        "a circle of redirects": lambda connection: connection.sendall(b"HTTP/1.1 302 F\r\nLocation: /again\r\n\r\n"),
        "a part": lambda connection: connection.sendall(HTML.replace(b"200 OK", b"206 P") + b"\r\n<p>It costs $9"),
        "a page that breaks off": lambda connection: connection.sendall(HTML + b"\r\n<html><body><p>It costs $9"),
        "chunks that lie": lambda connection: connection.sendall(
            HTML + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx"
        ),
    }
    for name, answer in answers.items():
        with site(answer, "127.0.0.9") as asked:
            options = replace(PageOptions(robots=False), seconds=2, body_bytes=1_000_000, ports=frozenset({asked.port}))
            fetcher = Fetcher("drretail/benchmark", options, resolve=Names({"shop.example": ["127.0.0.9"]}))
            fetcher = replace(fetcher, allowed=_or_outside)
            row.tried += 1
            began = time.monotonic()
            found = fetcher.get(f"http://shop.example:{asked.port}/")
            if found.state == "ok" or time.monotonic() - began > 4:
                row.add("wrong", f"{name}: {found.state} after {time.monotonic() - began:.1f} s")


def _for_ever(connection: socket.socket, start: bytes, more: bytes, pause: float = 0) -> None:
    connection.sendall(start)
    while True:
        connection.sendall(more)
        time.sleep(pause)
