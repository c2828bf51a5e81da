"""The connection goes to a number, the certificate must be for the name."""

import datetime
import ssl
from collections.abc import Generator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_httpserver import HTTPServer

from drretail.env.web.fetching.client import Client, Limits
from drretail.env.web.fetching.fetched import Fetched
from drretail.env.web.fetching.fetcher import Fetcher
from tests.env.web.fetching.local_site import AGENT, Names, only_here


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


def fetched(site: HTTPServer, host: str, trusted: Path | None) -> Fetched:
    names = Names({"shop.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]})
    limits = Limits(seconds=5, ports=frozenset({site.port}))
    client = Client(
        AGENT, limits, resolve=names, allowed=only_here, tls=lambda: ssl.create_default_context(cafile=trusted)
    )
    return Fetcher(client, None).fetch(f"https://{host}:{site.port}/")


@pytest.mark.parametrize(("host", "known"), [("other.example", True), ("127.0.0.1", True), ("shop.example", False)])
def test_a_certificate_of_another_is_an_error(host: str, known: bool, site: HTTPServer, certificate: Path) -> None:
    found = fetched(site, host, certificate if known else None)
    assert (found.state, found.body, "certificate" in str(found.problem)) == ("error", b"", True)
    assert site.log == []
    found = fetched(site, "shop.example", certificate)
    assert (found.state, found.body) == ("ok", b"<p>here")
