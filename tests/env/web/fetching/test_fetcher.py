"""The connection goes to a number, the certificate must be for the name."""

import base64
import datetime
import ssl
from collections.abc import Generator
from pathlib import Path

import httpcore2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_httpserver import HTTPServer

from drretail.env.web.base import Fetched, PageOptions
from drretail.env.web.fetcher import Client, Fetcher
from tests.env.web.fetching.local_site import (
    AGENT,
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


def test_a_page_comes_with_all_that_is_known_of_it() -> None:
    with serving(always(html("<p>grün".encode(), kind="Text/HTML; Charset=UTF-8"))) as site:
        url = site.url("/a%20b?q=1#part", "Shop.Example")
        found = fetcher(site).fetch(url)
    assert (found.url, found.final_url) == (url, site.url("/a%20b?q=1"))
    assert (found.state, found.status, found.content_type, found.charset) == ("ok", 200, "text/html", "utf-8")
    assert (found.body.decode(), found.problem) == ("<p>grün", None)


def test_nothing_is_sent_that_tells_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://user:secret@127.0.0.1:9")
    cookie = "Set-Cookie: who=you; Path=/"
    with serving(by_path({"/": redirect("/page").replace(b"Location", f"{cookie}\r\nLocation".encode())})) as site:
        reader = fetcher(site)
        reader.fetch(site.url())
        reader.fetch(site.url("/page"))
        assert len(site.requests) == 3
        for request in site.requests:
            names = {line.partition(":")[0].lower() for line in request.splitlines()[1:] if line}
            assert names == {"host", "user-agent", "accept", "accept-language", "accept-encoding", "connection"}
            assert "User-Agent: drretail/test\r\nAccept:" in request
            assert request.startswith("GET /")


@pytest.mark.parametrize(
    ("sent", "state"),
    [
        *((html(b"<p>log in", status=f"{status} No"), "blocked") for status in (401, 402, 403, 429, 451)),
        *((html(b"<p>log in", status=f"{status} No"), "error") for status in (304, 400, 404, 410, 500, 503, 999)),
        *((sent, "no_content") for sent in (html(b""), html(b" \n\t "), b"HTTP/1.1 204 No Content\r\n\r\n")),
        *((html(b"<p>words", kind=kind), "no_content") for kind in ("application/pdf", "x/y; a=b")),
        *((sent, "error") for sent in (b"", b"SSH-2.0-OpenSSH_9\r\n", b"HTTP/1.1 20x OK\r\n\r\n")),
        (OK_HEAD + b"Content-Length: 100\r\n\r\nshort", "error"),
    ],
)
def test_an_answer_without_a_page_is_told_apart_and_its_body_left(sent: bytes, state: str) -> None:
    found = fetched(always(sent))
    assert (found.state, found.body) == (state, b"")
    assert found.problem


def test_a_host_that_is_not_there_or_does_not_listen_is_an_error_unless_it_has_another_address() -> None:
    known = {"shop.example": [["127.0.0.1"]], "gone.example": [[]], "two.example": [["127.0.0.3", "127.0.0.1"]]}
    with serving(always(html(b"<p>here"))) as site:
        reader = fetcher(site, Names(known), robots=True, allowed=lambda address: address.is_loopback)
        assert "no host" in str(reader.fetch(site.url(host="gone.example")).problem)
        assert reader.fetch(site.url(host="two.example")).state == "ok"
    found = reader.fetch(site.url())
    assert (found.state, "cannot be reached" in str(found.problem)) == ("error", True)


def reader(proxy: Site, names: Names) -> Fetcher:
    way = httpcore2.Proxy(f"http://proxy.inner:{proxy.port}", auth=("me", "pass word"))
    return Fetcher(Client(AGENT, PageOptions(seconds=5), resolve=names, proxy=way), None)


def test_a_proxy_is_asked_and_names_are_left_to_it_and_a_tunnel_that_it_refuses_is_an_error() -> None:
    names = Names({"proxy.inner": [["127.0.0.1"]]})
    with serving(always(html(b"<p>here"))) as proxy:
        found = reader(proxy, names).fetch("http://shop.example/page")
        assert (found.state, names.lookups) == ("ok", ["proxy.inner"])
        (request,) = proxy.requests
        assert request.startswith("GET http://shop.example/page HTTP/1.1\r\n")
        assert base64.b64encode(b"me:pass word").decode() in request
    with serving(always(html(b"", status="403 Forbidden"))) as proxy:
        found = reader(proxy, names).fetch("https://shop.example/")
    assert (found.state, "proxy" in str(found.problem)) == ("error", True)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "http://localhost/", "http://0x7f.1/"]
)
def test_no_inner_address_is_asked_of_a_proxy(url: str) -> None:
    with serving(always(redirect(url))) as proxy:
        fetcher = reader(proxy, Names({"proxy.inner": [["127.0.0.1"]]}))
        assert (fetcher.fetch(url).state, proxy.connections) == ("blocked", 0)
        assert (fetcher.fetch("http://shop.example/").state, proxy.connections) == ("blocked", 1)


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
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def site(certificate: Path) -> Generator[HTTPServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with HTTPServer(ssl_context=context) as server:
        server.expect_request("/").respond_with_data("<p>here", content_type="text/html")
        yield server


def fetched_over_tls(site: HTTPServer, host: str, trusted: Path | None) -> Fetched:
    names = Names({"shop.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]})
    limits = PageOptions(seconds=5, ports=frozenset({site.port}))
    client = Client(
        AGENT, limits, resolve=names, allowed=only_here, tls=lambda: ssl.create_default_context(cafile=trusted)
    )
    return Fetcher(client, None).fetch(f"https://{host}:{site.port}/")


@pytest.mark.parametrize(("host", "known"), [("other.example", True), ("127.0.0.1", True), ("shop.example", False)])
def test_a_certificate_of_another_is_an_error(host: str, known: bool, site: HTTPServer, certificate: Path) -> None:
    found = fetched_over_tls(site, host, certificate if known else None)
    assert (found.state, found.body, "certificate" in str(found.problem)) == ("error", b"", True)
    assert site.log == []
    found = fetched_over_tls(site, "shop.example", certificate)
    assert (found.state, found.body) == ("ok", b"<p>here")
