"""What all pages except the report's share: kinds of items, templates, assets, and the content security policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from drretail.viewer.page.frame import TEMPLATES, template, writable


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of items that people work on: the path of its pages, and the words for its items."""

    path: str
    title: str
    one: str
    many: str


KINDS = {
    kind.path: kind
    for kind in (
        Kind("vote", "Compare reports", "comparison", "comparisons"),
        Kind("rate", "Rate reports", "report", "reports"),
        Kind("label", "Check claims", "claim", "claims"),
        Kind("review", "Review queries", "query", "queries"),
    )
}
OF_REPORTS = tuple(KINDS)[:3]
"""The kinds about an experiment's reports, which its voting plan has items of."""

T = TypeVar("T")
LIVE = TEMPLATES / "live"
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_KINDS = {".css": "text/css", ".js": "text/javascript"}
_ASSETS: dict[str, Path] = {
    "page.css": TEMPLATES / "page.css",
    **{name: LIVE / name for name in ("bar.css", "live.css", "live.js", "voting.js")},
}


def page_response(name: str, status: int = 200, **given: Any) -> Response:
    """A page rendered from a live template; values are escaped."""
    text = template(f"live/{name}").render(given)
    return HTMLResponse(writable(text), status, {"content-security-policy": _POLICY})


def home_page(kind: Kind, root: str, person: str | None, states: Sequence[bool], **shown: Any) -> Response:
    """The first page of a kind: its instructions, and this person's progress; ``states`` tell which items are done."""
    following = next((number for number, done in enumerate(states, 1) if not done), 1)
    beside = [KINDS[path] for path in OF_REPORTS if kind.path in OF_REPORTS]
    own: dict[str, Any] = {"kind": kind, "root": root, "person": person, "states": states, "next": following}
    return page_response("home.html.jinja", 200, **{"file": "", "kinds": beside, **own, **shown})


def item_page(name: str, kind: Kind, root: str, number: int, total: int, **shown: Any) -> Response:
    """The page of one item; ``item_id`` names it to its readers, and is empty where it would say too much."""
    own: dict[str, Any] = {"kind": kind, "root": root, "number": number, "total": total}
    return page_response(name, 200, **{"item_id": "", **own, **shown})


def item_in(request: Request, items: Sequence[T], kind: Kind) -> tuple[T, int]:
    """The item whose number the address has. Raises HTTPException if there is none."""
    number = request.path_params["number"]
    if not 1 <= number <= len(items):
        raise HTTPException(404, f"There is no {kind.one} {number}.")
    return items[number - 1], number


def message_page(title: str, text: str, status: int) -> Response:
    """A page with a single sentence."""
    return page_response("message.html.jinja", status, title=title, text=text)


async def asset(request: Request) -> Response:
    """A style or script of the package; no other file is served here."""
    path = _ASSETS.get(request.path_params["name"])
    if path is None:
        raise HTTPException(404)
    return Response(path.read_bytes(), media_type=_KINDS[path.suffix])
