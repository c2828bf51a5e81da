"""An HTTP server in front of Elasticsearch that refuses some requests by a rule and passes the others on."""

import http.client
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tests.llm.local_server import LocalServer

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
