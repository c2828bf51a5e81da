"""All doors of one run as one application: whose request it is, and what answers it."""

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from drretail.doors.gateway import Gateway, gateway
from drretail.doors.model_door import ModelDoor
from drretail.doors.sealing import Network
from drretail.doors.services import BY_HOST, BY_PATH
from drretail.doors.world_door import SHOP_HOST, WorldDoor
from drretail.env.session import Session
from drretail.errors import CommandStopped, ModelError
from drretail.llm.models import Models
from drretail.parsing import parse_toml
from drretail.records.shop import SHOP_URL
from drretail.tools.local_server import HOST, is_from_elsewhere, is_same, refusal_of_strangers
from drretail.tools.mcp import UnrecordedRun, mcp_server
from drretail.tools.mcp_http import ADDRESS, http_app

MODEL_HOSTS = frozenset({"api.openai.com", "api.anthropic.com"})
MOST_BYTES = 16 * 1024 * 1024
"""Bytes of a request's body: a long conversation with some images."""
MOST_REQUESTS = 20_000
"""Requests of one run; further ones are refused."""
AT_ONCE = 16
"""Requests of one run that are answered at the same time; the others wait."""
_V1 = re.compile(r"^(?:/(?:openai|anthropic))?/v1(?=/)")
_TOKEN_PREFIXES = ("tvly-", "fc-")


@dataclass
class Doors:
    """What an agent finds during a run, and what is known of it afterwards."""

    world: WorldDoor
    models: ModelDoor
    place: Gateway
    mcp: str
    """The address of the nine tools over MCP; the token is that of the gateway."""
    requests: int = 0

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
    session: Session, models: Models | None, instructions: str, *, token: str = "", port: int = 0
) -> AsyncGenerator[Doors]:
    """The doors of a session during the block. Effects are known by what is asked, not by the order of requests.

    ``instructions`` is what clients of MCP are told. Without a ``token``, and with port 0, both are new ones.
    """
    session.by_request = True
    token = token or secrets.token_urlsafe(24)
    world, model_door = WorldDoor(session, session.settings.mix), ModelDoor(models)
    # All connections share one run: the agent may connect as often as it likes.
    server = mcp_server(session, lambda: UnrecordedRun(session.settings, world.toolkit), instructions)
    application = _Application(world, model_door, token)

    def own(port: int) -> ASGIApp:
        application.mcp, application.port = http_app(server, token, port), port
        return application.own

    async with gateway(own, application.world, token, port) as place:
        application.doors = Doors(world, model_door, place, f"http://{HOST}:{place.port}{ADDRESS}")
        yield application.doors


class _Application:
    """Answers for the gateway's own address, and for every host of the world."""

    def __init__(self, world: WorldDoor, models: ModelDoor, token: str) -> None:
        self._world, self._models, self._token = world, models, token
        self._gate = asyncio.Semaphore(AT_ONCE)
        self.mcp: Starlette | None = None
        self.port = 0
        self.doors: Doors | None = None

    async def own(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Requests at the gateway's port, which have to bring the token."""
        assert self.mcp is not None
        if scope["type"] != "http" or scope["path"] == ADDRESS:
            if self.doors is not None:
                self.doors.requests += 1
            await self.mcp(scope, receive, send)  # checks host, origin and token itself
        else:
            request = Request(scope, receive)
            refused = refusal_of_strangers(scope, self.port, MOST_BYTES)
            await (refused or await self._counted(request, is_own=True))(scope, receive, send)

    async def world(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Requests to any host, by the proxy or in a sealed network."""
        if scope["type"] != "http":
            await _lives(scope, receive, send)
            return
        request = Request(scope, receive)
        is_own = request.url.hostname in (HOST, "localhost")
        if is_own and scope["path"] == ADDRESS:  # a client that takes no notice of NO_PROXY
            await self.own(scope, receive, send)
        else:
            await (await self._counted(request, is_own=is_own))(scope, receive, send)

    async def _counted(self, request: Request, *, is_own: bool) -> Response:
        if self.doors is not None:
            self.doors.requests += 1
            if self.doors.requests > MOST_REQUESTS:
                return PlainTextResponse("This run has made too many requests.", 429)
        length = request.headers.get("content-length", "0")
        if (
            not length.isdecimal()
            or int(length) > MOST_BYTES
            or "chunked" in request.headers.get("transfer-encoding", "")
        ):
            return PlainTextResponse("This is longer than anything that is asked here.", 413)
        try:
            async with self._gate:
                return await (self._own(request) if is_own else self._of_world(request))
        except ClientDisconnect:
            return PlainTextResponse("", 499)
        except (ModelError, CommandStopped) as problem:
            return JSONResponse({"error": str(problem)}, 502)

    async def _own(self, request: Request) -> Response:
        path, given = request.url.path, _tokens(request.headers)
        prefix, _, rest = path.removeprefix("/r/").partition("/")
        if path.startswith("/r/"):
            path, given = f"/{rest}", [prefix]
        if not any(is_same(text, self._token) for text in given):
            return PlainTextResponse("No run has this token.", 401)
        if (found := _V1.match(path)) is not None and path not in BY_PATH:
            return await self._models(request, path[found.end() :])
        if (service := BY_PATH.get(path.rstrip("/"))) is not None:
            return await service(self._world, request)
        return await self._shop(request, path, f"/r/{self._token}")

    async def _of_world(self, request: Request) -> Response:
        host, path = request.url.hostname or "", request.url.path
        if host in MODEL_HOSTS and (found := _V1.match(path)) is not None:
            return await self._models(request, path[found.end() :])
        if (service := BY_HOST.get(host, {}).get(path.rstrip("/"))) is not None:
            return await service(self._world, request)
        if host.removeprefix("www.") == SHOP_HOST:
            return await self._shop(request, path, SHOP_URL)
        if request.method not in ("GET", "HEAD"):
            self._world.refused[host] += 1
            return JSONResponse({"error": f"Nothing answers {request.method} at {host} in this world."}, 403)
        page = await self._world.page(str(request.url))
        return HTMLResponse(page.html(), page.status)

    async def _shop(self, request: Request, path: str, base: str) -> Response:
        if request.method == "POST" and path == "/cart" and not is_from_elsewhere(request.scope):
            form = dict(re.findall(r"([^&=]+)=([^&]*)", (await request.body()).decode("utf-8", "replace")))
            offer = form.get("offer", "").replace("%2F", "/")
            if not self._world.put(offer, form.get("quantity", "1"), replaces="set" in form):
                return PlainTextResponse("The shop has no such offer, or not so many pieces.", 409)
            return RedirectResponse(f"{base}/cart", 303)
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("Only /cart takes what is sent.", 405)
        page = await self._world.page(f"{SHOP_URL}{path}?{urlsplit(str(request.url)).query}")
        return HTMLResponse(page.html(base), page.status)


def _tokens(headers: Headers | Mapping[str, str]) -> list[str]:
    """The keys that a request brings, as clients of services and providers send them."""
    sent = [headers.get("authorization", "").partition(" ")[2], headers.get("x-api-key", "")]
    sent = [text.strip() for text in sent if text.strip()]
    return sent + [text.removeprefix(prefix) for text in sent for prefix in _TOKEN_PREFIXES if text.startswith(prefix)]


async def _lives(scope: Scope, receive: Receive, send: Send) -> None:
    """ASGI's startup and shutdown, at which nothing has to be done."""
    if scope["type"] == "lifespan":
        for event in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{event}.complete"})
