"""The one local address of a run: a proxy that ends TLS with the run's own authority, and the run's own services.

Hard-coded addresses of vendors reach it as ``HTTPS_PROXY``, and in a sealed network by name: a client that trusts the
authority's certificate cannot tell it from the host that it asked for.
"""

import asyncio
import base64
import ipaddress
import re
import socket
import ssl
import tempfile
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from starlette.types import ASGIApp, Receive, Scope, Send

from drretail.tools.local_server import HEAD, HOST, bound, is_same, port_of, serving

MOST_CONNECTIONS = 256
"""Open connections of one run; further ones are closed at once."""
MOST_HOSTS = 1000
"""Hosts for which one run gets certificates."""
OWN, PLAIN, SECURE, TLS, GATE = "own", "http", "https", "tls", "gate"
"""The gateway's sockets by name: its own services, hosts behind http and https, raw TLS, and the gateway itself."""
_PEM = serialization.Encoding.PEM
_REFUSED = b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=run\r\nContent-Length: 0\r\n"
_HOP_BY_HOP = re.compile(rb"(?im)^(proxy-[^\r]*|connection:[^\r]*)\r\n")
_PASSWORD = re.compile(rb"(?im)^proxy-authorization:\s*basic\s+(\S+)")


class Authority:
    """A certificate authority that lives as long as the run; its key stays in this process."""

    def __init__(self, folder: Path) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "drretail run")])
        self._folder, self._contexts = folder, dict[str, ssl.SSLContext]()
        signs = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
        is_authority = x509.BasicConstraints(ca=True, path_length=0)
        self.certificate = self._signed(self._name, self._key, (is_authority, True), (signs, True)).public_bytes(_PEM)

    def context(self, host: str) -> ssl.SSLContext:
        """What a server of this host needs to end TLS. Raises ValueError for a host that can't be named."""
        host = host.casefold()[:253]
        if host not in self._contexts:
            if len(self._contexts) >= MOST_HOSTS:
                raise ValueError("too many hosts")
            try:
                name: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
            except ValueError:
                name = x509.DNSName(host.encode("idna").decode())
            key = ec.generate_private_key(ec.SECP256R1())
            subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host[:60] or "-")])
            leaf = self._signed(subject, key, (x509.SubjectAlternativeName([name]), False))
            private = key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            file = self._folder / f"{len(self._contexts)}.pem"
            file.write_bytes(leaf.public_bytes(_PEM) + private)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(file)
            self._contexts[host] = context
        return self._contexts[host]

    def _signed(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *extensions: tuple[x509.ExtensionType, bool]
    ) -> x509.Certificate:
        now, own = datetime.now(UTC), self._key.public_key()
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=30))
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(own), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        for extension, is_critical in extensions:
            builder = builder.add_extension(extension, critical=is_critical)
        return builder.sign(self._key, hashes.SHA256())


@dataclass(frozen=True, slots=True)
class Gateway:
    """Where a run's gateway is."""

    port: int
    folder: Path
    """Holds its sockets, by name, and the authority's certificate. Only this user may look into it."""
    token: str = field(repr=False)

    @property
    def certificate(self) -> Path:
        return self.folder / "authority.pem"

    @property
    def here(self) -> str:
        """The address of the run's own services."""
        return f"http://{HOST}:{self.port}/r/{self.token}"

    @property
    def proxy(self) -> str:
        return f"http://run:{self.token}@{HOST}:{self.port}"


@asynccontextmanager
async def gateway(own: Callable[[int], ASGIApp], world: ASGIApp, token: str, port: int = 0) -> AsyncGenerator[Gateway]:
    """Serves a run during the block, on this machine alone.

    ``own`` makes the application for the gateway's own port, and checks the token itself. ``world`` answers for every
    other host: who asks through the proxy has given the token, and who comes by a socket may look into the folder.
    """
    with tempfile.TemporaryDirectory(prefix="drretail-") as name, closing(bound(port)) as listening:
        place = Gateway(port_of(listening), Path(name), token)
        authority = Authority(place.folder)
        place.certificate.write_bytes(authority.certificate)
        apps = {OWN: _behind("http", own(place.port)), PLAIN: _behind("http", world), SECURE: _behind("https", world)}
        entrance = _Entrance(place, authority)
        async with AsyncExitStack() as stack:
            for socket_name, app in apps.items():
                inner = socket.socket(socket.AF_UNIX)
                inner.bind(str(place.folder / socket_name))
                inner.listen(MOST_CONNECTIONS)
                stack.enter_context(closing(inner))
                await stack.enter_async_context(serving(app, inner))
            sockets = (
                await asyncio.start_unix_server(entrance.tls, str(place.folder / TLS), ssl=_by_name(authority)),
                await asyncio.start_unix_server(entrance.gate, str(place.folder / GATE)),
                await asyncio.start_server(entrance.gate, sock=listening),
            )
            try:
                yield place
            finally:
                for server in sockets:
                    server.close()
                entrance.close()


class _Entrance:
    """Leads each connection to the application that answers it."""

    def __init__(self, place: Gateway, authority: Authority) -> None:
        self._place, self._authority = place, authority
        self._open: set[asyncio.StreamWriter] = set()

    async def gate(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A connection to the gateway's own port: of a proxy's client, or to the run's services."""
        await self._held(writer, self._led(reader, writer))

    async def tls(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A connection whose TLS was ended by the name that its client asked for."""
        await self._held(writer, self._joined(reader, writer, SECURE))

    def close(self) -> None:
        for writer in self._open:
            writer.close()

    async def _held(self, writer: asyncio.StreamWriter, serving: Coroutine[Any, Any, None]) -> None:
        if len(self._open) >= MOST_CONNECTIONS:
            serving.close()
            writer.close()
            return
        self._open.add(writer)
        try:
            with suppress(OSError, ValueError, EOFError, TimeoutError, asyncio.LimitOverrunError):
                await serving
        finally:
            self._open.discard(writer)
            writer.close()

    async def _led(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD)
        method, target, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        if method != "CONNECT" and not target.startswith("http://"):
            await self._joined(reader, writer, OWN, head)
            return
        if not self._knows_token(head):
            writer.write(_REFUSED + b"Connection: close\r\n\r\n")
            await writer.drain()
        elif method == "CONNECT":
            context = self._authority.context(target.rpartition(":")[0].strip("[]"))
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await writer.drain()
            transport = writer.transport
            try:
                await writer.start_tls(context)
            finally:  # Python 3.11 leaves the writer without any if the client breaks off
                vars(writer)["_transport"] = writer.transport or transport
            await self._joined(reader, writer, SECURE)
        else:
            parts = urlsplit(target)
            path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
            # One request a connection: the next may be for another host.
            first = f"{method} {path} HTTP/1.1\r\nConnection: close\r\n".encode("latin-1")
            headers = _HOP_BY_HOP.sub(b"", head.split(b"\r\n", 1)[1])
            await self._joined(reader, writer, PLAIN, first + headers)

    def _knows_token(self, head: bytes) -> bool:
        sent = _PASSWORD.search(head)
        password = base64.b64decode(sent[1]).decode().partition(":")[2] if sent else ""
        return is_same(password, self._place.token)

    async def _joined(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str, head: bytes = b""
    ) -> None:
        inner_reader, inner_writer = await asyncio.open_unix_connection(str(self._place.folder / name))
        inner_writer.write(head)
        await asyncio.gather(_copied(reader, inner_writer), _copied(inner_reader, writer))


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with suppress(OSError):
        writer.close()


def _by_name(authority: Authority) -> ssl.SSLContext:
    def named(connection: ssl.SSLObject, host: str | None, _: ssl.SSLContext) -> int | None:
        try:
            connection.context = authority.context(host or "localhost")
        except ValueError:
            return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
        return None

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sni_callback = named
    return context


def _behind(scheme: str, app: ASGIApp) -> ASGIApp:
    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "scheme": scheme} if scope["type"] == "http" else scope, receive, send)

    return asked
