"""The one local address of a run, which is a proxy too and ends TLS with the run's own authority.

Hard-coded addresses of vendors reach it as ``HTTPS_PROXY``, and in a sealed network by name: a client that trusts the
authority's certificate cannot tell it from the host that it asked for.
"""

import asyncio
import base64
import ipaddress
import socket
import ssl
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from drretail.tools.local_server import HEAD, HOST, Impatient, bound, is_same, port_of, serving

MOST_CONNECTIONS = 256
"""Open connections of one run; further ones are closed at once."""
MOST_HOSTS = 1000
"""Hosts for which one run gets certificates."""
GATE = "gate"
"""The name of the gateway's socket, by which a sealed network reaches it."""
LET_IN = "let_in"
"""In a scope's state: True for a request of the run, by the proxy's password or by the socket."""
_PEM = serialization.Encoding.PEM


class Authority:
    """A certificate authority that lives as long as the run; its key stays in this process."""

    def __init__(self, folder: Path) -> None:
        self._key, self._leaf_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "drretail run")])
        self._folder, self._contexts = folder, dict[str, ssl.SSLContext]()
        signs = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
        is_authority = x509.BasicConstraints(ca=True, path_length=0)
        self.certificate = self._signed(self._name, self._key, (is_authority, True), (signs, True))

    def context(self, host: str) -> ssl.SSLContext:
        """What ends TLS for the name that a client says or, if it says none, for this host."""

        def named(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> int | None:
            try:
                connection.context = self.context_of(name or host)
            except ValueError:
                return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
            return None

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.sni_callback = named
        return context

    def context_of(self, host: str) -> ssl.SSLContext:
        """What a server of this host needs to end TLS. Raises ValueError for a host that can't be named."""
        host = host.casefold()[:253]
        if host not in self._contexts:
            if len(self._contexts) >= MOST_HOSTS:
                raise ValueError("too many hosts")
            try:
                name: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
            except ValueError:
                name = x509.DNSName(host.encode("idna").decode())
            subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host[:60] or "-")])
            leaf = self._signed(subject, self._leaf_key, (x509.SubjectAlternativeName([name]), False))
            form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            file = self._folder / "leaf.pem"
            file.write_bytes(leaf + self._leaf_key.private_bytes(_PEM, form, plain))
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(file)
            self._contexts[host] = context
        return self._contexts[host]

    def _signed(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *extensions: tuple[x509.ExtensionType, bool]
    ) -> bytes:
        now, own = datetime.now(UTC), self._key.public_key()
        builder = (
            x509.CertificateBuilder(self._name, subject, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=30))
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(own), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        for extension, is_critical in extensions:
            builder = builder.add_extension(extension, critical=is_critical)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(_PEM)


@dataclass(frozen=True, slots=True)
class Gateway:
    """Where a run's gateway is."""

    port: int
    folder: Path
    """Holds its socket and the authority's certificate. Only this user may look into it."""
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
async def gateway(app: Callable[[int], ASGIApp], token: str, port: int = 0) -> AsyncGenerator[Gateway]:
    """Serves a run during the block, on this machine alone.

    ``app`` makes the application for a port, which gets the requests to every host. It checks the token of those whose
    scope is not ``LET_IN``.
    """
    with (
        tempfile.TemporaryDirectory(prefix="drretail-") as name,
        closing(bound(port)) as listening,
        closing(socket.socket(socket.AF_UNIX)) as within,
    ):
        place = Gateway(port_of(listening), Path(name), token)
        authority = Authority(place.folder)
        place.certificate.write_bytes(authority.certificate)
        within.bind(str(place.folder / GATE))
        async with serving(app(place.port), listening, within, http=partial(_Gate, authority, token)):
            yield place


class _Gate(Impatient):
    """A connection to the gateway: of a client that asks for the run's own services, or of one that takes it for a
    proxy. After CONNECT, the TLS within goes on as another such connection.
    """

    def __init__(self, authority: Authority, token: str, is_let_in: bool = False, **server: Any) -> None:
        super().__init__(**server)
        self._authority, self._token, self._server, self._is_let_in = authority, token, server, is_let_in
        self._application, self.app = self.app, self._entered
        self._is_made, self._early = False, b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._is_made = True
        self._is_let_in |= transport.get_extra_info("socket").family == socket.AF_UNIX
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        if not self._is_made:  # came with the end of the handshake, before start_tls returned
            self._early += data
        else:
            super().data_received(data)

    async def _entered(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, target = Headers(scope=scope), scope["raw_path"].decode("ascii")
        is_proxied = scope["method"] == "CONNECT" or target.startswith("http://")
        is_let_in = self._is_let_in or (is_proxied and self._knows_token(headers))
        if is_proxied and not is_let_in:
            asking = {"proxy-authenticate": 'Basic realm="run"', "connection": "close"}
            await PlainTextResponse("No run has this token.", 407, asking)(scope, receive, send)
        elif scope["method"] == "CONNECT":
            await self._tunnelled(target.rpartition(":")[0].strip("[]"), send)
        else:
            if is_proxied:
                parts = urlsplit(target.replace("[", "%5B"))  # no address of IPv6 is in any world
                others = [(name, text) for name, text in scope["headers"] if name != b"host"]
                scope["headers"] = [(b"host", parts.netloc.encode()), *others]
                scope.update({"path": unquote(parts.path) or "/", "raw_path": parts.path.encode() or b"/"})
            scope["state"][LET_IN] = is_let_in
            await self._application(scope, receive, send)

    async def _tunnelled(self, host: str, send: Send) -> None:
        """Answers CONNECT, and ends the TLS that follows."""
        await send({"type": "http.response.start", "status": 200, "headers": []})
        self.cycle.disconnected = True  # from HTTP: nothing of a response follows
        self.connections.discard(self)
        within = _Gate(self._authority, self._token, is_let_in=True, **self._server)
        within.transport = self.transport  # until it has its own
        context = self._authority.context(host)
        with suppress(OSError):  # the client broke off, or trusts no such authority
            transport = await self.loop.start_tls(
                self.transport, within, context, server_side=True, ssl_handshake_timeout=HEAD
            )
            if transport is not None:
                within.connection_made(transport)
                if within._early:  # h11 takes no bytes for the end of all
                    within.data_received(within._early)

    def _knows_token(self, headers: Headers) -> bool:
        kind, _, encoded = headers.get("proxy-authorization", "").partition(" ")
        try:
            password = base64.b64decode(encoded).decode().partition(":")[2]
        except ValueError:
            return False
        return kind.casefold() == "basic" and is_same(password, self._token)
