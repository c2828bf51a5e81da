"""What stands before a real server: a TCP proxy that makes trouble, and an HTTP server that refuses by a rule."""

import http.client
import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tests.llm.local_server import LocalServer

PIECE = 65_536


class Proxy:
    """Passes bytes on between clients of ``port`` on this machine and a server; close it."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener: socket.socket | None = None
        self.port = 0
        self.accept()

    def accept(self) -> None:
        """Takes connections, on the same port as before."""
        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._serve, args=(listener,), daemon=True).start()

    def refuse(self) -> None:
        """As if the server were down: open connections are cut, new ones refused, until ``accept``."""
        listener, self._listener = self._listener, None
        if listener is not None:
            # Closing alone would leave the port open for as long as a thread waits in accept().
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        with self._lock:
            open_now, self._open = self._open, set()
        for connection in open_now:
            cut(connection)

    def close(self) -> None:
        self.refuse()

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._server)
            except OSError:
                cut(client)
                continue
            with self._lock:
                self._open |= {client, server}
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, target), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(PIECE):
                target.sendall(piece)
        for connection in (source, target):
            with self._lock:
                self._open.discard(connection)
            cut(connection)


def cut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


PASSED_ON = ("Content-Type", "Content-Encoding", "Accept", "Accept-Encoding")
Rule = Callable[[BaseHTTPRequestHandler], int | None]
"""The status to refuse a request with, None to pass it on."""


class Front(LocalServer):
    """``rule`` may be changed at any time; ``refused`` counts the requests that it refused."""

    def __init__(self, url: str) -> None:
        super().__init__(_Handler)
        self.behind = urlsplit(url)
        self.rule: Rule | None = None
        self.refused = 0
        self.lock = threading.Lock()

    def status(self, request: BaseHTTPRequestHandler) -> int | None:
        with self.lock:
            status = None if self.rule is None else self.rule(request)
            self.refused += status is not None
            return status


def always(status: int, *words: str) -> Rule:
    return lambda request: status if not words or any(word in request.path for word in words) else None


def only_with(authorization: str) -> Rule:
    """401 for who does not send this header, as Elasticsearch answers when its security is on."""
    return lambda request: None if request.headers.get("Authorization") == authorization else 401


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without it each small answer waits 40 ms for an acknowledgement.
    disable_nagle_algorithm = True

    def answer(self) -> None:
        front = self.server
        assert isinstance(front, Front)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status = front.status(self)
        if status is not None:
            error = {"type": "refused_by_rule", "reason": "refused by the test"}
            content = json.dumps({"error": {**error, "root_cause": [error]}, "status": status}).encode()
            self.send(status, {"Content-Type": "application/json", "X-elastic-product": "Elasticsearch"}, content)
            return
        connection = http.client.HTTPConnection(str(front.behind.hostname), front.behind.port, timeout=30)
        try:
            kept = {name: self.headers[name] for name in PASSED_ON if name in self.headers}
            connection.request(self.command, self.path, body, kept)
            reply = connection.getresponse()
            content = reply.read()
        except OSError:
            self.close_connection = True
            return
        finally:
            connection.close()
        self.send(reply.status, dict(reply.getheaders()), content)

    def send(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        del code, size


for method in ("GET", "POST", "PUT", "DELETE", "HEAD"):
    setattr(_Handler, f"do_{method}", _Handler.answer)
