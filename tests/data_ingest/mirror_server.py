"""A local server that misbehaves by script: each request takes the next answer, the last one goes on for ever."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.llm.local_server import Handler, LocalServer

ETAG = '"one"'


@dataclass
class Answer:
    """How one request is answered; by default rightly."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    cut: int | None = None
    """Bytes of the body after which the connection drops."""
    says: int | None = None
    """A Content-Length that is not true."""
    ignores_range: bool = False
    etag: str = ETAG
    body: bytes | None = None
    """Instead of the file."""


@dataclass
class Script:
    """The files of a server, what it does with them, and what it was asked."""

    files: dict[str, bytes]
    answers: dict[str, list[Answer]] = field(default_factory=dict[str, list[Answer]])
    asked: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])
    """Path and Range of each request."""
    address: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def serve(script: Script) -> Generator[Script]:
    class Files(Handler):
        def get(self) -> None:
            with script.lock:
                script.asked.append((self.path, self.headers.get("Range")))
                answers = script.answers.get(self.path) or [Answer()]
                answer = answers.pop(0) if len(answers) > 1 else answers[0]
            _respond(self, script, answer)

    with LocalServer(Files) as server:
        script.address = server.url
        yield script


def _begin(handler: Handler, status: int, headers: dict[str, str]) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()


def _respond(handler: Handler, script: Script, answer: Answer) -> None:
    data = script.files.get(handler.path)
    if answer.status != 200 or data is None:
        _begin(handler, answer.status if answer.status != 200 else 404, {"Content-Length": "0", **answer.headers})
        return
    data, whole = answer.body if answer.body is not None else data, len(data)
    asked = handler.headers.get("Range")
    start, part = 0, dict[str, str]()
    if asked and not answer.ignores_range and handler.headers.get("If-Range") == answer.etag:
        start = int(asked.removeprefix("bytes=").rstrip("-"))
        if start >= whole:
            _begin(handler, 416, {"Content-Range": f"bytes */{whole}", "Content-Length": "0"})
            return
        part = {"Content-Range": f"bytes {start}-{whole - 1}/{whole}"}
    body = data[start:]
    length = answer.says if answer.says is not None else len(body)
    # Without this header the client may send its next request into a connection that is about to end.
    connection = "close" if answer.cut is not None or length != len(body) else "keep-alive"
    headers = {"ETag": answer.etag, "Content-Length": str(length), "Connection": connection}
    _begin(handler, 206 if part else 200, headers | part)
    handler.wfile.write(body if answer.cut is None else body[: answer.cut])
    handler.wfile.flush()
