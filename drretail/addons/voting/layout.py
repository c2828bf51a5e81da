"""What all pages share: kinds of items, templates, assets, and the content security policy."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from drretail.viewer.page.frame import TEMPLATES, displayable, template


@dataclass(frozen=True, slots=True)
class ItemKind:
    """A kind of items that people work on: the path of its pages, and the words for its items."""

    path: str
    title: str
    item: str
    many: str


KINDS = {
    kind.path: kind
    for kind in (
        ItemKind("vote", "Compare reports", "comparison", "comparisons"),
        ItemKind("rate", "Rate reports", "report", "reports"),
        ItemKind("label", "Check claims", "claim", "claims"),
    )
}
PAGES = TEMPLATES / "voting"
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_KINDS = {".css": "text/css", ".js": "text/javascript"}
_ASSETS: dict[str, Path] = {
    "page.css": TEMPLATES / "page.css",
    **{name: PAGES / name for name in ("voting.css", "voting.js")},
}


def page_response(name: str, status: int = 200, **values: Any) -> Response:
    """A page rendered from a template; values are escaped."""
    text = template(f"voting/{name}").render(values)
    return HTMLResponse(displayable(text), status, {"content-security-policy": _POLICY})


def message_page(title: str, text: str, status: int) -> Response:
    """A page with a single sentence."""
    return page_response("message.html.jinja", status, title=title, text=text)


async def asset(request: Request) -> Response:
    """A style or script of the package; no other file is served here."""
    path = _ASSETS.get(request.path_params["name"])
    if path is None:
        raise HTTPException(404)
    return Response(path.read_bytes(), media_type=_KINDS[path.suffix])
