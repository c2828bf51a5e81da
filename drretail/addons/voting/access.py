"""Access control: a browser on this machine that has the token, from pages of this server."""

from dataclasses import dataclass
from socket import socket
from urllib.parse import parse_qs, quote, unquote, urlencode

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from drretail.addons.voting.layout import KINDS
from drretail.errors import UserError
from drretail.eval.ballots import annotator_of
from drretail.tools.local_server import HOST, is_from_elsewhere, is_same, port_of, refusal_of_strangers

TOKEN = "token"  # noqa: S105 — the name of a parameter
MOST_BYTES = 256 * 1024
"""The most bytes of a request body. An answer with its note is a few thousand."""
_SAFE = ("GET", "HEAD")
_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Forms of a page that sends no referrer come with "Origin: null", which could be anybody's.
    "referrer-policy": "same-origin",
}


class Guard:
    """Admits requests from this machine's browser with the token's cookie, and refuses all others.

    A page elsewhere can make a browser send requests to this server. It does not know the token, and its requests carry
    its own Origin. If its own name resolves to this machine (DNS rebinding), they carry that name as Host.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._port = port
        self._cookie = cookie_name("drretail", port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        answer = self._answer(scope)
        if answer is not None:
            await answer(scope, receive, _with_headers(send))
            return
        await self._app(scope, _limited(receive), _with_headers(send))

    def _answer(self, scope: Scope) -> Response | None:
        """A refusal, or a redirect that turns the address's token into a cookie; None if the cookie is there."""
        refused = refusal_of_strangers(scope, self._port, MOST_BYTES)
        if refused is not None:
            return refused
        if scope["method"] not in (*_SAFE, "POST"):
            return PlainTextResponse("Only GET and POST are answered.", 405)
        if scope["method"] == "POST" and (is_from_elsewhere(scope) or "origin" not in Headers(scope=scope)):
            return PlainTextResponse("This was sent by a page of another address.", 403)
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["method"] in _SAFE and is_same(query.pop(TOKEN, [""])[0], self._token):
            address = f"{scope['path']}?{urlencode(query, doseq=True)}" if query else scope["path"]
            # An address that begins with two slashes would lead to another server.
            answer = RedirectResponse(f"/{address.lstrip('/')}", 303)
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="lax")
            return answer
        if is_same(HTTPConnection(scope).cookies.get(self._cookie, ""), self._token):
            return None
        return PlainTextResponse("Open the address that drretail vote has printed, with its token.", 403)


def browser_address(listening: socket, token: str) -> str:
    """The address, with the token, at which a browser opens the server."""
    return f"http://{HOST}:{port_of(listening)}/?token={token}"


def cookie_name(name: str, port: int) -> str:
    """A cookie's name with the port, since all ports of a host share their cookies."""
    return f"{name}-{port}"


YEAR = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class RaterNames:
    """The names under which people answer on pages, each kept in a cookie of its browser."""

    port: int

    async def name(self, request: Request) -> Response:
        """Keeps the name in a form, and leads back. Raises UserError for an unusable name."""
        form = await form_of(request)
        typed, back = form.get("name", ""), form.get("back", "")
        back = back if back in KINDS else next(iter(KINDS))
        answer = RedirectResponse(f"/{back}", 303)
        answer.set_cookie(self._cookie, quote(annotator_of(typed)), max_age=YEAR, httponly=True, samesite="lax")
        return answer

    def name_in(self, request: Request) -> str | None:
        """The name of who asks, as the files of votes have it; None before one is given."""
        try:
            return annotator_of(unquote(request.cookies.get(self._cookie, "")))
        except UserError:
            return None

    def annotator_of(self, request: Request) -> str:
        """The name of who answers. Raises HTTPException before one is given."""
        name = self.name_in(request)
        if name is None:
            raise HTTPException(403, "Say first who you are.")
        return name

    @property
    def _cookie(self) -> str:
        return cookie_name("person", self.port)


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a submitted form; the last value if one has several."""
    body = (await request.body()).decode("utf-8", "replace")
    return {name: values[-1].replace("\r\n", "\n") for name, values in parse_qs(body, keep_blank_values=True).items()}


def _limited(receive: Receive) -> Receive:
    """A ``receive`` that refuses the request once its body is too long: Content-Length may be missing."""
    read = 0

    async def counted() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MOST_BYTES:
            raise HTTPException(413, "This is longer than any vote.")
        return message

    return counted


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name for name, _ in message["headers"]}
            security = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message["headers"] = [*message["headers"], *(pair for pair in security if pair[0] not in names)]
        await send(message)

    return sent
