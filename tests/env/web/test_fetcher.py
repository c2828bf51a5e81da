"""How pages are fetched, and sites that send too much, too slowly, in circles, what is no page, or robots' rules."""

import base64
import datetime
import gzip
import re
import socket
import ssl
import time
from pathlib import Path
from threading import Event

import httpcore2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_httpserver import HTTPServer

from drretail.env.web.base import Empty, Fetched, PageOptions
from drretail.env.web.fetcher import Fetcher
from drretail.env.web.page import text_kind
from tests.env.web.local_site import (
    AGENT,
    Answering,
    Names,
    Site,
    always,
    by_path,
    fetched,
    fetcher,
    html,
    only_here,
    redirect,
    serving,
)

OK_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def test_nothing_is_sent_that_tells_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://user:secret@127.0.0.1:9")
    cookie = "Set-Cookie: who=you; Path=/"
    with serving(by_path({"/": redirect("/page").replace(b"Location", f"{cookie}\r\nLocation".encode())})) as site:
        reader = fetcher(site)
        reader.get(site.url())
        reader.get(site.url("/page"))
        assert len(site.requests) == 3
        for request in site.requests:
            names = {line.partition(":")[0].lower() for line in request.splitlines()[1:] if line}
            assert names == {"host", "user-agent", "accept", "accept-language", "accept-encoding", "connection"}
            assert "User-Agent: drretail/test\r\nAccept:" in request
            assert request.startswith("GET /")


def test_an_answer_without_a_page_is_told_apart_and_its_body_left() -> None:
    for sent, state in (
        *((html(b"<p>log in", status=f"{status} No"), "blocked") for status in (401, 402, 403, 429, 451)),
        *((html(b"<p>log in", status=f"{status} No"), "error") for status in (206, 304, 400, 500, 503, 999)),
        *((html(b"<p>log in", status=f"{status} No"), "not_found") for status in (404, 410)),
        *((sent, "no_content") for sent in (html(b""), html(b" \n\t "), b"HTTP/1.1 204 No Content\r\n\r\n")),
        *((html(b"<p>words", kind=kind), "no_content") for kind in ("application/pdf", "x/y; a=b")),
        *((sent, "error") for sent in (b"", b"SSH-2.0-OpenSSH_9\r\n", b"HTTP/1.1 20x OK\r\n\r\n")),
        (OK_HEAD + b"Content-Length: 100\r\n\r\nshort", "error"),
        (OK_HEAD + b"\r\n<!doctype html><html><body><p>It costs", "error"),
    ):
        found = fetched(always(sent))
        assert (found.state, found.body) == (state, b""), sent
        assert found.problem, sent


def test_a_host_that_is_not_there_or_does_not_listen_is_an_error_unless_it_has_another_address() -> None:
    known = {"shop.example": [["127.0.0.1"]], "gone.example": [[]], "two.example": [["127.0.0.3", "127.0.0.1"]]}
    with serving(always(html(b"<p>here"))) as site:
        reader = fetcher(site, Names(known), robots=True, allowed=lambda address: address.is_loopback)
        assert "no host" in str(reader.get(site.url(host="gone.example")).problem)
        assert reader.get(site.url(host="two.example")).state == "ok"
    found = reader.get(site.url())
    assert (found.state, "cannot be reached" in str(found.problem)) == ("error", True)


def reader(proxy: Site, names: Names) -> Fetcher:
    way = httpcore2.Proxy(f"http://proxy.inner:{proxy.port}", auth=("me", "pass word"))
    return Fetcher(AGENT, PageOptions(seconds=5, robots=False), resolve=names, proxy=way)


def test_a_proxy_is_asked_and_names_are_left_to_it_and_a_tunnel_that_it_refuses_is_an_error() -> None:
    names = Names({"proxy.inner": [["127.0.0.1"]]})
    with serving(always(html(b"<p>here"))) as proxy:
        found = reader(proxy, names).get("http://shop.example/page")
        assert (found.state, names.lookups) == ("ok", ["proxy.inner"])
        (request,) = proxy.requests
        assert request.startswith("GET http://shop.example/page HTTP/1.1\r\n")
        assert base64.b64encode(b"me:pass word").decode() in request
    with serving(always(html(b"", status="403 Forbidden"))) as proxy:
        found = reader(proxy, names).get("https://shop.example/")
    assert (found.state, "proxy" in str(found.problem)) == ("error", True)


def test_no_inner_address_is_asked_of_a_proxy() -> None:
    for url in ("http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "http://localhost/", "http://0x7f.1/"):
        with serving(always(redirect(url))) as proxy:
            fetcher = reader(proxy, Names({"proxy.inner": [["127.0.0.1"]]}))
            assert (fetcher.get(url).state, proxy.connections) == ("blocked", 0), url
            assert (fetcher.get("http://shop.example/").state, proxy.connections) == ("blocked", 1), url


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a key and a certificate for shop.example, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "shop.example")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("shop.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "site.pem"
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(pem + made.public_bytes(serialization.Encoding.PEM))
    return path


def fetched_over_tls(site: HTTPServer, host: str, trusted: Path | None) -> Fetched:
    names = Names({"shop.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]})
    limits = PageOptions(seconds=5, ports=frozenset({site.port}), robots=False)
    tls = ssl.create_default_context(cafile=trusted)
    return Fetcher(AGENT, limits, resolve=names, allowed=only_here, tls=tls).get(f"https://{host}:{site.port}/")


@pytest.mark.parametrize(("host", "known"), [("other.example", True), ("127.0.0.1", True), ("shop.example", False)])
def test_a_certificate_of_another_is_an_error(host: str, known: bool, certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with HTTPServer(ssl_context=context) as site:
        site.expect_request("/").respond_with_data("<p>here", content_type="text/html")
        found = fetched_over_tls(site, host, certificate if known else None)
        assert (found.state, found.body, "certificate" in str(found.problem)) == ("error", b"", True)
        assert site.log == []
        found = fetched_over_tls(site, "shop.example", certificate)
        assert (found.state, found.body) == ("ok", b"<p>here")


MEGABYTE = 1_000_000


def packed(body: bytes, encoding: str) -> bytes:
    return html(body, f"Content-Encoding: {encoding}")


def without_end(start: bytes, more: bytes, pause: float = 0) -> Answering:
    """Sends ``start``, then more and more, after a pause in seconds each time."""

    def answer(_: str, connection: socket.socket) -> None:
        connection.sendall(start)
        while True:
            if pause:  # a sleep of no time would still hand over to others each time
                time.sleep(pause)
            connection.sendall(more)

    return answer


def test_a_packed_page_is_unpacked_and_a_bomb_left_as_soon_as_it_is_too_large() -> None:
    page = b"<p>" + bytes(range(32, 127)) * 5000
    found = fetched(always(packed(gzip.compress(page), "gzip")))
    assert (found.state, found.body) == ("ok", page)
    bomb = gzip.compress(bytes(50 * MEGABYTE))
    assert len(bomb) < 100_000
    found = fetched(always(packed(bomb, "gzip")), body_bytes=MEGABYTE)
    assert (found.state, found.body) == ("error", b"")
    assert "larger than 1,000,000 bytes" in str(found.problem)
    says_so = OK_HEAD + b"Content-Length: 999999999999\r\n\r\n"
    assert fetched(always(says_so)).state == "error"


TWICE = gzip.compress(gzip.compress(bytes(MEGABYTE), mtime=0), mtime=0)
TWO_HEADERS = "gzip\r\nContent-Encoding: gzip"
OTHERS = ("br", "deflate", "gzip, gzip", "x-tar", "gzip;q=1", TWO_HEADERS)
DAMAGED = (b"not packed", gzip.compress(b"x" * 9999, mtime=0)[:-9], b"\x1f\x8b\x08\x00")


def test_what_was_not_asked_for_or_is_damaged_is_not_unpacked() -> None:
    for encoding, body, problem in (
        *((other, TWICE, "not asked for") for other in OTHERS),
        *(("gzip", body, "packed") for body in DAMAGED),
    ):
        found = fetched(always(packed(body, encoding)))
        assert (found.state, found.body, problem in str(found.problem)) == ("error", b"", True), (encoding, problem)


CHUNKED = OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def test_what_is_sent_without_end_is_left() -> None:
    for start, more in (
        (OK_HEAD + b"\r\n", b"x" * 65536),
        (CHUNKED, b"8000\r\n" + b"x" * 0x8000 + b"\r\n"),
        (CHUNKED, b"1;" + b"y" * 500 + b"\r\nx\r\n"),
        (CHUNKED + b"0\r\n", b"X-Trailer: y\r\n" * 500),
        (b"HTTP/1.1 200 OK\r\n", b"X-Header: yyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n" * 500),
        (b"", b"y" * 65536),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500),
    ):
        found = fetched(without_end(start, more), body_bytes=100_000, seconds=60)
        assert (found.state, found.body) == ("error", b""), (start, more[:40])
        assert "in time" not in str(found.problem), (start, more[:40])


def test_a_slow_drip_ends_with_the_time_of_the_page() -> None:
    for start, more in (
        (b"", b"H"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (OK_HEAD + b"\r\n", b"x"),
        (OK_HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"x", mtime=0)[:10], b""),
    ):
        found = fetched(without_end(start, more, pause=0.05), seconds=0.3)
        assert (found.state, "in time" in str(found.problem)) == ("error", True), (start, more)


def test_redirects_that_drip_share_one_time_and_a_circle_of_them_ends() -> None:
    def answer(_: str, connection: socket.socket) -> None:
        time.sleep(0.15)
        connection.sendall(redirect("/on"))

    found = fetched(answer, seconds=0.4, redirects=100)
    assert "in time" in str(found.problem)
    with serving(by_path({"/": redirect("/a"), "/a": redirect("/")})) as site:
        found = fetcher(site, redirects=3).get(site.url())
        assert (found.state, "more than 3 times" in str(found.problem), len(site.requests)) == ("error", True, 4)


def test_a_resolver_that_hangs_takes_no_more_than_the_time_of_the_page() -> None:
    over = Event()

    class Slow(Names):
        def __call__(self, host: str, port: int) -> list[str]:
            over.wait()
            return ["127.0.0.1"]

    found = fetched(always(html(b"x")), names=Slow({}), seconds=0.2)
    assert "in time" in str(found.problem)
    assert not over.is_set()  # it was not waited for
    over.set()


@pytest.mark.parametrize(
    ("errno", "state"), [(socket.EAI_NONAME, "not_found"), (socket.EAI_AGAIN, "error")], ids=["no host", "no network"]
)
def test_a_host_that_does_not_exist_is_told_apart_from_a_resolver_that_does_not_answer(errno: int, state: str) -> None:
    class Failing(Names):
        def __call__(self, host: str, port: int) -> list[str]:
            raise socket.gaierror(errno, "")

    assert fetched(always(html(b"x")), names=Failing({})).state == state


def test_a_redirect_is_followed_and_remembered() -> None:
    for status in ("301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"):
        found = fetched(by_path({"/": redirect("sub/../page?q=ä#part", status), "/page?q=%C3%A4": html(b"<p>here")}))
        assert (found.state, found.body) == ("ok", b"<p>here"), status
        assert found.final_url.endswith("/page?q=%C3%A4"), status
        assert found.url.endswith("/"), status


NAMES = {"shop.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]}
PAGE = html(b"<p>here")
CLOSED = html(b"\xef\xbb\xbfUser-agent: *\nDisallow: /closed\n", kind="text/plain")


def test_a_page_that_the_site_asks_not_to_read_is_left_also_where_a_redirect_leads_to_it() -> None:
    pages = {"/robots.txt": CLOSED, "/closed/x": PAGE, "/open": PAGE, "/in": redirect("/closed/x")}
    with serving(by_path(pages)) as site:
        reader = fetcher(site, robots=True)
        found = reader.get(site.url("/closed/x"))
        assert (found.state, "robots.txt" in str(found.problem)) == ("blocked", True)
        assert reader.get(site.url("/open")).state == "ok"
        found = reader.get(site.url("/in"))
        assert (found.state, found.final_url) == ("blocked", site.url("/closed/x"))
        assert site.paths() == ["/robots.txt", "/open", "/in"]
        assert fetcher(site).get(site.url("/closed/x")).state == "ok"  # turned off


def test_no_robots_forbid_nothing_and_a_site_that_fails_is_left_alone() -> None:
    for robots, state, problem in (
        (redirect("/r"), "blocked", "robots.txt"),
        (html(b"<!doctype html><p>User-agent</p><p>Disallow"), "ok", ""),  # a web page
        *((html(b"no", status=f"{status} No"), "ok", "") for status in (404, 401, 410)),
        *((html(b"", status=f"{status} No"), "blocked", str(status)) for status in (500, 503, 429, 304)),
    ):
        with serving(by_path({"/robots.txt": robots, "/r": CLOSED, "/closed": PAGE})) as site:
            reader = fetcher(site, robots=True)
            found = reader.get(site.url("/closed"))
            assert (found.state, problem in str(found.problem)) == (state, True), robots
            assert reader.get(site.url("/closed")).state == state, robots
            assert site.paths().count("/robots.txt") == 1, robots


@pytest.mark.parametrize(("robots", "times"), [(html(b"", status="503 Busy"), 3), (CLOSED, 2)], ids=["busy", "read"])
def test_what_a_site_said_is_asked_again_after_its_time(robots: bytes, times: int) -> None:
    now = [0.0]
    with serving(by_path({"/robots.txt": robots, "/a": PAGE})) as site:
        limits = PageOptions(ports=frozenset({site.port}))
        reader = Fetcher(AGENT, limits, resolve=Names(NAMES), allowed=only_here, clock=lambda: now[0])
        for moment in (0.0, 299.0, 301.0, 86_401.0):
            now[0] = moment
            reader.get(site.url("/a"))
        assert site.paths().count("/robots.txt") == times


def test_robots_that_do_not_come_end_with_the_time_of_the_page_and_are_asked_for_again_at_once() -> None:
    slow = [True]

    def answer(request: str, connection: socket.socket) -> None:
        if slow[0]:
            time.sleep(0.5)
        connection.sendall(CLOSED if "robots" in request else PAGE)

    with serving(answer) as site:
        reader = fetcher(site, robots=True, seconds=0.2)
        found = reader.get(site.url("/a"))
        assert (found.state, "robots.txt does not come" in str(found.problem)) == ("error", True)
        slow[0] = False
        assert reader.get(site.url("/a")).state == "ok"


def test_header_and_bytes_tell_what_a_page_is() -> None:
    for declared, body, kind, charset in (
        ("text/html; charset=ISO-8859-1", b"<p>x", "text/html", "cp1252"),
        ("application/xhtml+xml", b"<?xml version='1.0'?><html>", "text/html", None),
        ("text/plain", b"<html> in words", "text/plain", None),
        ("", b"  <!-- c --> <!-- d --><!DOCTYPE html><p>x", "text/html", None),
        ("", "zwölf".encode(), "text/plain", None),
        ("text/html", b"\xef\xbb\xbf<p>x", "text/html", "utf-8"),
        ("text/html", "<p>x".encode("utf-16"), "text/html", "utf-16"),
        ("text/html; charset=utf-16le", "<p>x".encode("utf-16-le"), "text/html", "utf-16-le"),
        *((f"text/html; charset={name}", b"<p>x", "text/html", None) for name in ("no-such-thing", "utf-7", "zlib")),
    ):
        assert text_kind(declared, body) == (kind, charset), body


OTHER_TYPES = ("application/pdf", "image/svg+xml", "application/json", "text/javascript")
BODIES = (b"%PDF-1.7 ...", b"PK\x03\x04rest", b"\xff\xd8\xff\xe0", b"RIFF....WEBP", b"\x1f\x8b\x08", b"<p>x\x00y")


@pytest.mark.parametrize(
    ("declared", "body", "reason"),
    [
        *((declared, b"<html>", re.escape(declared)) for declared in OTHER_TYPES),
        *((declared, body, None) for declared in ("text/html", "text/plain", "") for body in BODIES),
    ],
)
def test_another_type_or_what_only_calls_itself_text_is_none(declared: str, body: bytes, reason: str | None) -> None:
    with pytest.raises(Empty, match=reason):
        text_kind(declared, body)
