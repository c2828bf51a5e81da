"""The server's routes, and its answers to errors."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from drretail.addons.live.access import Guard
from drretail.addons.live.layout import KINDS, asset, message_page, page_response
from drretail.addons.live.report_pages import FileWatch, ReportPages
from drretail.addons.live.voting_pages import Voting
from drretail.errors import UserError, file_error
from drretail.experiment import read_definition, run_files
from drretail.tools.local_server import TooLong
from drretail.viewer.summary import Listed, experiments_in, holds_several, read_listed

VOTING = tuple((f"/{kind.path}", kind.title) for kind in KINDS.values())


def routes_of(experiment: Path, port: int, plan: int | None = None, *, with_report: bool = True) -> list[BaseRoute]:
    """Pages of an experiment or of each one in a folder.

    Without ``with_report`` voters can't look up which system wrote what. Raises UserError if there is no experiment,
    or if a plan is asked for with several.
    """
    if holds_several(experiment):
        if plan is not None:
            example = experiments_in(experiment)[0]
            raise UserError(f"{experiment} holds several experiments: name one, such as {example}, with --n.")
        return Experiments(experiment, port).routes()
    read_definition(experiment)
    watch = FileWatch(experiment)
    pages = ReportPages(experiment, watch, VOTING).routes() if with_report else []
    return [*pages, *Voting(experiment, port, watch, plan, with_report=with_report).routes()]


def live_app(routes: Sequence[BaseRoute], token: str, port: int) -> Starlette:
    """The server's application: these routes for clients with the token, and nothing for others."""
    return Starlette(
        routes=[
            *routes,
            Route("/assets/{name}", asset),
            Route("/favicon.ico", lambda request: Response(status_code=204)),
        ],
        middleware=[Middleware(Guard, token=token, port=port)],
        exception_handlers={
            HTTPException: _refused,
            UserError: _not_possible,
            OSError: _not_possible,
            TooLong: _too_long,
        },
    )


async def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    if request.method == "POST":
        return PlainTextResponse(problem.detail, problem.status_code)
    return message_page(HTTPStatus(problem.status_code).phrase, problem.detail, problem.status_code)


async def _not_possible(request: Request, problem: Exception) -> Response:
    text = f"{file_error(problem)}." if isinstance(problem, OSError) else str(problem)
    if request.method == "POST" and not request.url.path.endswith("/name"):
        return PlainTextResponse(text, 409)
    return message_page("This can't be shown", text, 409)


async def _too_long(request: Request, problem: Exception) -> Response:
    return PlainTextResponse("This is longer than any vote.", 413)


@dataclass(slots=True)
class Experiments:
    """The experiments of one folder; new ones appear when the page is reloaded."""

    folder: Path
    port: int
    _listed: dict[Path, tuple[list[tuple[int, int]], Listed]] = field(
        default_factory=dict[Path, tuple[list[tuple[int, int]], Listed]], init=False
    )
    """What was read of each folder, with the times and sizes of the files that it was read from."""
    _routers: dict[str, Router] = field(default_factory=dict[str, Router], init=False)

    def routes(self) -> list[BaseRoute]:
        return [Route("/", self.index), Mount("/e/{name}", app=self.experiment)]

    async def index(self, request: Request) -> Response:
        listed = await run_in_threadpool(lambda: [self._read(folder) for folder in experiments_in(self.folder)])
        return page_response(
            "experiments.html.jinja",
            folder=self.folder.resolve().name,
            listed=sorted(listed, key=lambda listing: (listing.day, listing.folder.name), reverse=True),
            address=lambda listing: address_of_experiment(listing.folder),
        )

    async def experiment(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Report and voting pages of the experiment that the address names."""
        name = scope["path_params"]["name"]
        router = self._routers.get(name)
        if router is None:
            folder = next((path for path in experiments_in(self.folder) if path.name == name), None)
            if folder is None:
                raise HTTPException(404, f"There is no experiment {name} in {self.folder}.")
            root = address_of_experiment(folder).rstrip("/")
            links = (("/", "All experiments"), *((f"{root}{path}", title) for path, title in VOTING))
            watch = FileWatch(folder)
            pages = ReportPages(folder, watch, links), Voting(folder, self.port, watch, root=root)
            router = self._routers[name] = Router([route for page in pages for route in page.routes()])
        await router(scope, receive, send)

    def _read(self, folder: Path) -> Listed:
        files = [folder / "experiment.json", folder / "scores.json"]
        stamp: list[tuple[int, int]] = []
        with suppress(PermissionError):  # its row says so
            stamp += [(path.stat().st_mtime_ns, path.stat().st_size) for path in files if path.exists()]
            stamp.append((len(run_files(folder)), 0))
        kept = self._listed.get(folder)
        if kept is None or kept[0] != stamp:
            kept = self._listed[folder] = (stamp, read_listed(folder))
        return kept[1]


def address_of_experiment(folder: Path) -> str:
    return f"/e/{quote(folder.name, safe='')}/"
