"""A server on a local socket for the time of a ``with`` block: what all stand-ins of providers share."""

import json
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class LocalServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """Reads JSON and answers with bytes of a known length, on a connection that stays open."""

    protocol_version = "HTTP/1.1"

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Nothing: a test's output is not a log."""

    def do_GET(self) -> None:
        self.get()

    def do_POST(self) -> None:
        self.post()

    def get(self) -> None: ...

    def post(self) -> None: ...

    def read(self) -> Any:
        return json.loads(self.rfile.read(int(self.headers["content-length"])))

    def begin(self, status: int, length: int, kind: str | None, headers: Iterable[tuple[str, str]] = ()) -> None:
        self.send_response(status)
        if kind is not None:
            self.send_header("content-type", kind)
        self.send_header("content-length", str(length))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
