"""All doors of one run as one application: whose request it is, and what answers it."""

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from drretail.doors.gateway import LET_IN, Gateway, gateway
from drretail.doors.model_door import ModelDoor
from drretail.doors.sealing import Network
from drretail.doors.services import fields_of, services
from drretail.doors.world_door import SHOP_HOST, WorldDoor
from drretail.env.session import Session
from drretail.errors import CommandStopped, ModelError
from drretail.llm.models import Models
from drretail.parsing import parse_toml
from drretail.records.shop import SHOP_URL
from drretail.tools.local_server import HOST, is_from_elsewhere, is_same
from drretail.tools.mcp import UnrecordedRun, mcp_server
from drretail.tools.mcp_http import ADDRESS, http_app

MOST_BYTES = 16 * 1024 * 1024
"""Bytes of a request's body: a long conversation with some images."""
MOST_REQUESTS = 20_000
"""Requests of one run; further ones are refused."""
AT_ONCE = 16
"""Requests of one run that are answered at the same time; the others wait."""
_MODEL = re.compile(r"^(?:api\.openai\.com|api\.anthropic\.com|(?:/openai|/anthropic)?)/v1(?=/)")
"""Addresses of models' providers; those of the gateway itself name no host."""
_TOKEN_PREFIX = re.compile(r"^(?:Bearer\s+)?(?:tvly-|fc-)?", re.IGNORECASE)
"""What clients of services send before a key."""


@dataclass
class Doors:
    """What an agent finds during a run, and what is known of it afterwards."""

    world: WorldDoor
    models: ModelDoor
    place: Gateway
    requests: int = 0

    @property
    def mcp(self) -> str:
        """The address of the nine tools over MCP; the token is that of the gateway."""
        return f"http://{HOST}:{self.place.port}{ADDRESS}"

    @property
    def fatal(self) -> ModelError | CommandStopped | None:
        """Why the run can't go on; None if it can."""
        return self.world.problem or self.models.fatal

    def environment(self, network: Network) -> dict[str, str]:
        """The variables by which clients find the doors, for one way of reaching them."""
        tables = parse_toml(Path(__file__).with_name("environment.toml").read_text("utf-8"))
        of = {"sealed": ["certificate"], "proxy": ["proxy", "certificate"], "settings": []}[network]
        of += ["settings", *(["model"] if self.models.models is not None else [])]
        values = {"here": self.place.here, "token": self.place.token, "mcp": self.mcp}
        values |= {"proxy": self.place.proxy, "certificate": str(self.place.certificate)}
        return {name: text.format(**values) for table in of for name, text in tables[table].items()}


@asynccontextmanager
async def open_doors(
    session: Session, models: Models | None, instructions: str, *, port: int = 0
) -> AsyncGenerator[Doors]:
    """The doors of a session during the block. Effects are known by what is asked, not by the order of requests.

    ``instructions`` is what clients of MCP are told.
    """
    session.by_request = True
    token = secrets.token_urlsafe(24)
    world, models_door = WorldDoor(session, session.settings.mix), ModelDoor(models)
    # All connections share one run: the agent may connect as often as it likes.
    server = mcp_server(session, lambda: UnrecordedRun(session.settings, world.toolkit), instructions)
    application = _Application()

    def app(port: int) -> ASGIApp:
        application.mcp = http_app(server, token, port)
        return application

    async with gateway(app, token, port) as place:
        application.doors = Doors(world, models_door, place)
        yield application.doors


class _Application:
    """Answers for the gateway's own address, and for every host of the world."""

    doors: Doors
    mcp: Starlette

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.mcp(scope, receive, send)
            return
        request, doors = Request(scope, receive), self.doors
        is_own = request.url.hostname in (HOST, "localhost")
        doors.requests += 1
        if doors.requests > MOST_REQUESTS:
            answer: ASGIApp = PlainTextResponse("This run has made too many requests.", 429)
        elif is_own and scope["path"] == ADDRESS:
            answer = self.mcp  # checks host, origin and token itself
        elif not is_own and not scope["state"][LET_IN]:
            answer = PlainTextResponse("This server answers on this machine only.", 421)
        else:
            answer = await self._answered(request, is_own)
        await answer(scope, receive, send)

    async def _answered(self, request: Request, is_own: bool) -> Response:
        host, path, base = request.url.hostname or "", request.url.path, SHOP_URL
        if is_own:
            token = self.doors.place.token
            keys = [request.headers.get(name, "") for name in ("authorization", "x-api-key")]
            if path.startswith("/r/"):
                prefix, _, rest = path.removeprefix("/r/").partition("/")
                path, keys = f"/{rest}", [prefix]
            if not any(is_same(_TOKEN_PREFIX.sub("", key), token) for key in keys):
                return PlainTextResponse("No run has this token.", 401)
            host, base = "", f"/r/{token}"
        try:
            body = bytearray()
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    return PlainTextResponse("This is longer than anything that is asked here.", 413)
            async with self._turns:
                return await self._of(request, host, path, base, bytes(body))
        except ClientDisconnect:
            return PlainTextResponse("", 499)
        except (ModelError, CommandStopped) as problem:
            return JSONResponse({"error": str(problem)}, 502)
        except (ValueError, TypeError, RecursionError) as problem:
            return JSONResponse({"error": f"The request can't be read: {problem}."}, 400)

    async def _of(self, request: Request, host: str, path: str, base: str, body: bytes) -> Response:
        world, address = self.doors.world, f"{host}{path}"
        if (service := services().get(address.rstrip("/"))) is not None:
            return await service(world, fields_of(request.query_params, body))
        if (provider := _MODEL.match(address)) is not None:
            return await self.doors.models(request.method, address[provider.end() :], body)
        is_shop = host.removeprefix("www.") in ("", SHOP_HOST)
        if request.method == "POST" and is_shop and path == "/cart" and not is_from_elsewhere(request.scope):
            form = fields_of({}, body)
            if not world.put(str(form.get("offer")), str(form.get("quantity", 1)), replaces="set" in form):
                return PlainTextResponse("The shop has no such offer, or not so many pieces.", 409)
            return RedirectResponse(f"{base}/cart", 303)
        if request.method not in ("GET", "HEAD"):
            world.refused[host or SHOP_HOST] += 1
            return JSONResponse({"error": f"Nothing here answers {request.method}."}, 405)
        url = f"{SHOP_URL}{path}?{request.url.query}" if is_shop else str(request.url)
        page = await world.page(url)
        return HTMLResponse(page.html(base), page.status)
