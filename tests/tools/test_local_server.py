"""A client that leaves a server at any moment is no error, and neither is a server that ends while one waits."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

pytest.importorskip("uvicorn", reason="no server: pip install uvicorn starlette")

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from drretail.tools import local_server
from drretail.tools.local_server import HOST, bound, port_of, serving


async def read(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def never(request: Request) -> Response:
    await asyncio.Event().wait()
    raise AssertionError("nobody waits so long")


APP = Starlette(routes=[Route("/read", read, methods=["POST"]), Route("/never", never)])
POST = b"POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n" + b"x" * 500


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode()


@asynccontextmanager
async def served() -> AsyncGenerator[int]:
    """The port of the server."""
    listening = bound(0)
    with listening:
        async with serving(APP, listening):
            yield port_of(listening)


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who never ends is not waited for."""
    monkeypatch.setattr(local_server, "_PATIENCE", 0.1)


def test_a_connection_without_a_request_is_closed_and_an_answered_one_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "HEAD", 0.1)

    async def closed(port: int, begun: bytes, more: bytes) -> bool:
        reader, writer = await asyncio.open_connection(HOST, port)
        writer.write(begun)
        ended = asyncio.ensure_future(reader.read())
        for _ in range(20):
            await asyncio.wait([ended], timeout=0.05)
            if ended.done():
                return True
            writer.write(more)  # a byte at a time is no request either
        writer.transport.abort()
        return False

    async def wait() -> list[bool]:
        async with served() as port:
            whole = get("/never")[:-2] + b"x-long: "
            silent = [closed(port, b"", b""), closed(port, whole, b"x"), closed(port, POST + b"x" * 500, b"GET")]
            return await asyncio.gather(*silent, closed(port, get("/never"), b""))

    assert asyncio.run(wait()) == [True, True, True, False]
