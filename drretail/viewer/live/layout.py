"""What all pages of the server share but the report's: templates, assets, and the policy that lets nothing else in."""

from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from drretail.viewer.page.frame import TEMPLATES, template, writable

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
    """A page made of one of the live templates; what is put into it is escaped."""
    text = template(f"live/{name}").render(given)
    return HTMLResponse(writable(text), status, {"content-security-policy": _POLICY})


def message_page(title: str, text: str, status: int) -> Response:
    """A sentence in the place of a page."""
    return page_response("message.html.jinja", status, title=title, text=text)


async def asset(request: Request) -> Response:
    """A style or script of the package's own; nothing else is a file here."""
    path = _ASSETS.get(request.path_params["name"])
    if path is None:
        raise HTTPException(404)
    return Response(path.read_bytes(), media_type=_KINDS[path.suffix])
