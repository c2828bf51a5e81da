"""An HTTP server in front of Elasticsearch that refuses some requests by a rule and passes the others on."""

import http.client
import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

PASSED_ON = ("Content-Type", "Content-Encoding", "Accept", "Accept-Encoding")


@dataclass(frozen=True)
class Request:
    """A request as it came."""

    method: str
    path: str
    authorization: str | None


Rule = Callable[[Request], int | None]
"""The status to refuse a request with, None to pass it on."""


@dataclass
class Front:
    """The stand-in: ``rule`` may be changed at any time; ``refused`` counts the requests that it refused."""

    url: str = ""
    rule: Rule | None = None
    refused: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def status(self, request: Request) -> int | None:
        with self.lock:
            status = None if self.rule is None else self.rule(request)
            self.refused += status is not None
            return status


def always(status: int, *words: str) -> Rule:
    return lambda request: status if not words or any(word in request.path for word in words) else None


def only_with(authorization: str) -> Rule:
    """401 for who does not send this header, as Elasticsearch answers when its security is on."""
    return lambda request: None if request.authorization == authorization else 401


@contextmanager
def front_of(url: str) -> Generator[Front]:
    """A front before the Elasticsearch at ``url``, on a port of its own."""
    front = Front()
    where = urlsplit(url)
    assert where.hostname

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Without it each small answer waits 40 ms for an acknowledgement.
        disable_nagle_algorithm = True

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status = front.status(Request(self.command, self.path, self.headers.get("Authorization")))
            if status is not None:
                self.refuse(status)
                return
            connection = http.client.HTTPConnection(str(where.hostname), where.port, timeout=30)
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

        def refuse(self, status: int) -> None:
            error = {"type": "refused_by_rule", "reason": "refused by the test"}
            content = json.dumps({"error": {**error, "root_cause": [error]}, "status": status}).encode()
            self.send(status, {"Content-Type": "application/json", "X-elastic-product": "Elasticsearch"}, content)

        def send(self, status: int, headers: dict[str, str], content: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def log_message(self, *args: Any, **_named: Any) -> None:
            del args

    for method in ("GET", "POST", "PUT", "DELETE", "HEAD"):
        setattr(Handler, f"do_{method}", Handler.answer)

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        front.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield front
        server.shutdown()
