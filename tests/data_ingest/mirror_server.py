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

    def next_answer(self, path: str) -> Answer:
        answers = self.answers.get(path, [])
        return (answers.pop(0) if len(answers) > 1 else answers[0]) if answers else Answer()


@contextmanager
def serve(script: Script) -> Generator[Script]:
    class Files(Handler):
        def get(self) -> None:
            with script.lock:
                script.asked.append((self.path, self.headers.get("Range")))
                answer = script.next_answer(self.path)
            _respond(self, script, answer)

    with LocalServer(Files) as server:
        script.address = server.url
        yield script


def _respond(handler: Handler, script: Script, answer: Answer) -> None:
    data = script.files.get(handler.path)
    if answer.status != 200 or data is None:
        handler.send_response(answer.status if answer.status != 200 else 404)
        for name, value in {"Content-Length": "0", **answer.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        return
    data, whole = answer.body if answer.body is not None else data, len(data)
    asked = handler.headers.get("Range")
    start = 0
    if asked and not answer.ignores_range and handler.headers.get("If-Range") == answer.etag:
        start = int(asked.removeprefix("bytes=").rstrip("-"))
        if start >= whole:
            handler.send_response(416)
            handler.send_header("Content-Range", f"bytes */{whole}")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes {start}-{whole - 1}/{whole}")
    else:
        handler.send_response(200)
    handler.send_header("ETag", answer.etag)
    length = answer.says if answer.says is not None else len(data) - start
    handler.send_header("Content-Length", str(length))
    body = data[start:]
    ends = answer.cut is not None or length != len(body)
    # Without this header the client may send its next request into a connection that is about to end.
    handler.send_header("Connection", "close" if ends else "keep-alive")
    handler.end_headers()
    handler.wfile.write(body if answer.cut is None else body[: answer.cut])
    handler.wfile.flush()
