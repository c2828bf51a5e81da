"""A connection without a whole request does not stay open. refusal_of_strangers: tests/tools/test_mcp.py."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

pytest.importorskip("uvicorn", reason="no server: pip install uvicorn starlette")

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from drretail.errors import UserError
from drretail.tools import local_server
from drretail.tools.local_server import HOST, bound, port_of, serving


async def read(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def never(request: Request) -> Response:
    await asyncio.Event().wait()
    raise AssertionError("nobody waits so long")


LIVES: list[str] = []


@asynccontextmanager
async def alive(_: Starlette) -> AsyncGenerator[None]:
    LIVES.append("begun")
    yield
    LIVES.append("ended")


APP = Starlette(routes=[Route("/read", read, methods=["POST"]), Route("/never", never)], lifespan=alive)
POST = b"POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbody"
GET = b"GET /never HTTP/1.1\r\nhost: x\r\nconnection: close\r\n"


def test_a_connection_without_a_request_is_closed_and_an_answered_one_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "HEAD", 0.1)
    monkeypatch.setattr(local_server, "_PATIENCE", 0.1)  # who never ends is not waited for

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
        with bound(0) as listening:
            async with serving(APP, listening):
                sent = ((b"", b""), (GET + b"x-long: ", b"x"), (POST, b"GET"), (GET + b"\r\n", b""))
                return await asyncio.gather(*(closed(port_of(listening), *each) for each in sent))

    assert asyncio.run(wait()) == [True, True, True, False]
    assert LIVES == ["begun", "ended"]


def test_a_port_that_cannot_be_had_says_why() -> None:
    with bound(0) as listening, pytest.raises(UserError, match=r"^Port \d+ is in use: give --port another one"):
        bound(port_of(listening))
    with pytest.raises(UserError, match=r"^Port 70000 can't be opened: "):
        bound(70_000)
