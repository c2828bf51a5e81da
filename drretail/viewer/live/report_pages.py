"""The report's own pages, as ``drretail report`` writes them, kept up to date in the browser."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from drretail.viewer.experiment import ExperimentView, read_view
from drretail.viewer.live.watch import Watch
from drretail.viewer.page.document import page_of
from drretail.viewer.page.frame import template

_META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="(?P<policy>[^"]*)">\n?')
_BODY = re.compile(r"<body[^>]*>\n?")


@dataclass(slots=True)
class ReportPages:
    """The report of one experiment; made when it is asked for and something has changed."""

    experiment: Path
    watch: Watch
    links: tuple[tuple[str, str], ...]
    """Other pages of the server: address and name."""
    render: Callable[[ExperimentView], str] = page_of
    _made: tuple[str, str, str] = field(default=("", "", ""), init=False)

    def routes(self) -> list[Route]:
        return [Route("/", self.page), Route("/changes", self.changes)]

    async def changes(self, request: Request) -> Response:
        """What a browser asks every two seconds."""
        return JSONResponse({"version": self.watch.version()})

    async def page(self, request: Request) -> Response:
        version = self.watch.version()
        if self._made[0] != version:
            page, policy = await run_in_threadpool(self._dressed, version)
            self._made = (version, page, policy)
        _, page, policy = self._made
        return HTMLResponse(page, headers={"content-security-policy": policy})

    def _dressed(self, version: str) -> tuple[str, str]:
        """The page with a bar of links above it, and its own policy grown by what the bar needs."""
        view = read_view(self.experiment)
        page = self.render(view)
        meta = _META.search(page)
        assert meta is not None, "every page of the report says its policy"
        bar = template("live/bar.html.jinja").render(links=self.links, version=version, told=_told(view))
        page = page[: meta.start()] + page[meta.end() :]
        page = _BODY.sub(lambda body: f"{body[0]}{bar}", page, count=1)
        return page, grown(unescape(meta["policy"]))


def grown(policy: str) -> str:
    """A policy that also lets the server's own style and script in, and lets the page ask the server."""
    rules = [rule.strip() for rule in policy.split(";")]
    own = [f"{rule} 'self'" if rule.startswith(("style-src ", "script-src ")) else rule for rule in rules]
    return "; ".join([*own, "connect-src 'self'", "frame-ancestors 'none'"])


def _told(view: ExperimentView) -> str:
    """How far the runs are, while they are going on."""
    going, missing = (sum(run.state == state for run in view.runs) for state in ("interrupted", "not run"))
    if not going and not missing:
        return ""
    begun = f", {going} begun" if going else ""
    return f"{len(view.runs) - going - missing} of {len(view.runs)} runs have ended{begun}"
