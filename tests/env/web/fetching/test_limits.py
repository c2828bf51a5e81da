"""Sites that send too much, too slowly, in circles, or what is no page."""

import gzip
import socket
import time
import zlib
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from tests.env.web.fetching.local_site import (
    Answering,
    Names,
    always,
    by_path,
    fetched,
    fetcher,
    html,
    redirect,
    serving,
)

MEGABYTE = 1_000_000
OK_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def packed(body: bytes, encoding: str) -> bytes:
    return html(body, f"Content-Encoding: {encoding}")


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def without_end(start: bytes, more: bytes, pause: float = 0) -> Answering:
    """Sends ``start``, then more and more, after a pause in seconds each time."""

    def answer(_: str, connection: socket.socket) -> None:
        connection.sendall(start)
        while True:
            if pause:  # a sleep of no time would still hand over to others each time
                time.sleep(pause)
            connection.sendall(more)

    return answer


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("x-gzip", gzip.compress), ("deflate", zlib.compress), ("Deflate", raw_deflate)],
)
def test_a_packed_page_is_unpacked(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    page = b"<p>" + bytes(range(32, 127)) * 5000
    found = fetched(always(packed(pack(page), encoding)))
    assert (found.state, found.body) == ("ok", page)


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_bomb_is_left_as_soon_as_it_is_too_large(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    bomb = pack(bytes(50 * MEGABYTE))
    assert len(bomb) < 100_000
    found = fetched(always(packed(bomb, encoding)), body_bytes=MEGABYTE)
    assert (found.state, found.body) == ("error", b"")
    assert "larger than 1,000,000 bytes" in str(found.problem)
    says_so = OK_HEAD + b"Content-Length: 999999999999\r\n\r\n"
    assert "larger than" in str(fetched(always(says_so)).problem)


TWICE = gzip.compress(gzip.compress(bytes(MEGABYTE), mtime=0), mtime=0)
TWO_HEADERS = "gzip\r\nContent-Encoding: gzip"
OTHERS = ("br", "gzip, gzip", "gzip,deflate", "x-tar", "gzip;q=1", TWO_HEADERS)
DAMAGED = (b"not packed", gzip.compress(b"x" * 9999, mtime=0)[:-9], b"\x1f\x8b\x08\x00")


@pytest.mark.parametrize(
    ("encoding", "body", "problem"),
    [*((other, TWICE, "not asked for") for other in OTHERS), *(("gzip", body, "packed") for body in DAMAGED)],
)
def test_what_was_not_asked_for_or_is_damaged_is_not_unpacked(encoding: str, body: bytes, problem: str) -> None:
    found = fetched(always(packed(body, encoding)))
    assert (found.state, found.body, problem in str(found.problem)) == ("error", b"", True)


CHUNKED = OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (OK_HEAD + b"\r\n", b"x" * 65536),
        (CHUNKED, b"8000\r\n" + b"x" * 0x8000 + b"\r\n"),
        (CHUNKED, b"1\r\nx\r\n" * 5000),
        (CHUNKED, b"1;" + b"y" * 500 + b"\r\nx\r\n"),
        (CHUNKED + b"0\r\n", b"X-Trailer: y\r\n" * 500),
        (b"HTTP/1.1 200 OK\r\n", b"X-Header: yyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n" * 500),
        (b"HTTP/1.1 200 OK\r\nX: ", b"y" * 65536),
        (b"", b"y" * 65536),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500),
    ],
)
def test_what_is_sent_without_end_is_left(start: bytes, more: bytes) -> None:
    found = fetched(without_end(start, more), body_bytes=100_000, seconds=60)
    assert (found.state, found.body) == ("error", b"")
    assert "within" not in str(found.problem)


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (b"", b"H"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (OK_HEAD + b"\r\n", b"x"),
        (OK_HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"x", mtime=0)[:10], b""),
    ],
)
def test_a_slow_drip_ends_with_the_time_of_the_page(start: bytes, more: bytes) -> None:
    found = fetched(without_end(start, more, pause=0.05), seconds=0.3)
    assert (found.state, "within 0.3 seconds" in str(found.problem)) == ("error", True)


def test_redirects_that_drip_share_one_time_and_a_circle_of_them_ends() -> None:
    def answer(_: str, connection: socket.socket) -> None:
        time.sleep(0.15)
        connection.sendall(redirect("/on"))

    found = fetched(answer, seconds=0.4, redirects=100)
    assert "within 0.4 seconds" in str(found.problem)
    with serving(by_path({"/": redirect("/a"), "/a": redirect("/")})) as site:
        found = fetcher(site, redirects=3).fetch(site.url())
        assert (found.state, "more than 3 times" in str(found.problem), len(site.requests)) == ("error", True, 4)


def test_a_resolver_that_hangs_takes_no_more_than_the_time_of_the_page() -> None:
    over = Event()

    class Slow(Names):
        def __call__(self, host: str, port: int) -> list[str]:
            over.wait()
            return ["127.0.0.1"]

    found = fetched(always(html(b"x")), names=Slow({}), seconds=0.2)
    assert "within 0.2 seconds" in str(found.problem)
    assert not over.is_set()  # it was not waited for
    over.set()


@pytest.mark.parametrize(
    "answer", [["999.1.1.1"], ["nonsense"], ["127.0.0.1", "\x00"], [None], None, 7, ["1.1.1.1"] * 2 + [""], KeyError()]
)
def test_a_resolver_that_answers_nonsense_fails_the_page_at_once(answer: Any) -> None:
    class Nonsense(Names):
        def __call__(self, host: str, port: int) -> list[str]:
            if isinstance(answer, Exception):
                raise answer
            return answer

    begun = time.monotonic()
    found = fetched(always(html(b"x")), names=Nonsense({}), seconds=5)
    assert found.state == "error"
    assert found.problem == "The resolver of this machine answers with no address for shop.example."
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
def test_a_redirect_is_followed_and_remembered(status: str) -> None:
    found = fetched(by_path({"/": redirect("sub/../page?q=ä#part", status), "/page?q=%C3%A4": html(b"<p>here")}))
    assert (found.state, found.body) == ("ok", b"<p>here")
    assert found.final_url.endswith("/page?q=%C3%A4")
    assert found.url.endswith("/")


@pytest.mark.parametrize("place", ["", "http://[", "http://shop.example:port/"])
def test_a_redirect_to_nowhere_is_no_page(place: str) -> None:
    assert fetched(always(redirect(place))).state in ("error", "blocked")
