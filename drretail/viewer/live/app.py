"""The server's routes, and its answers to errors."""

from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiment import read_definition
from drretail.local_server import TooLong
from drretail.querygen.reading import read_queries
from drretail.viewer.live.access import Guard
from drretail.viewer.live.experiment_list import Experiments
from drretail.viewer.live.layout import asset, message_page
from drretail.viewer.live.report_pages import ReportPages
from drretail.viewer.live.review_pages import QueryReview
from drretail.viewer.live.voting_pages import Voting
from drretail.viewer.live.watch import Watch
from drretail.viewer.timeline import experiments_in, holds_several

VOTING = (("/vote", "Compare reports"), ("/rate", "Rate reports"), ("/label", "Check claims"))
REVIEW = ("/review", "Review queries")


class Pages(Protocol):
    """A part of the server."""

    def routes(self) -> Sequence[BaseRoute]: ...


def parts_of(
    experiment: Path | None,
    port: int,
    plan: int | None = None,
    review: tuple[Path, World] | None = None,
    *,
    with_report: bool = True,
) -> list[Pages]:
    """Pages of an experiment or of each one in a folder, the review of queries in their world, or both.

    Without ``with_report`` voters can't look up which system wrote what. Raises UserError if there is no experiment or
    no query to review, or if a plan or a review is asked for with several experiments.
    """
    parts: list[Pages] = []
    if experiment is not None and holds_several(experiment):
        if plan is not None or review is not None:
            one = experiments_in(experiment)[0]
            raise UserError(
                f"{experiment} holds several experiments: name one, such as {one}, with --plan or --review."
            )

        def pages_of(experiment: Path, root: str) -> list[Route]:
            """Report and voting pages of one of several experiments, with addresses below ``root``."""
            watch = Watch(experiment)
            links = (("/", "All experiments"), *((f"{root}{path}", name) for path, name in VOTING))
            report = ReportPages(experiment, watch, links)
            return [*report.routes(), *Voting(experiment, port, watch, root=root).routes()]

        parts.append(Experiments(experiment, pages_of))
    elif experiment is not None:
        read_definition(experiment)
        watch = Watch(experiment)
        links = (*VOTING, REVIEW) if review is not None else VOTING
        parts += [ReportPages(experiment, watch, links)] if with_report else []
        parts.append(Voting(experiment, port, watch, plan, with_report=with_report))
    if review is not None:
        file, world = review
        read_queries(file)
        parts.append(QueryReview(file, world, port, with_report=experiment is not None and with_report))
    return parts


def create_app(parts: Sequence[Pages], token: str, port: int) -> Starlette:
    """The server's application: these parts for clients with the token, and nothing for others."""
    routes = [route for part in parts for route in part.routes()]
    return Starlette(
        routes=[*routes, Route("/assets/{name}", asset), Route("/favicon.ico", _no_icon)],
        middleware=[Middleware(Guard, token=token, port=port)],
        exception_handlers={HTTPException: _refused, UserError: _not_possible, TooLong: _too_long},
    )


async def _no_icon(request: Request) -> Response:
    return Response(status_code=204)


async def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    if request.method == "POST":
        return PlainTextResponse(problem.detail, problem.status_code)
    return message_page(HTTPStatus(problem.status_code).phrase, problem.detail, problem.status_code)


async def _not_possible(request: Request, problem: Exception) -> Response:
    if request.method == "POST" and not request.url.path.endswith("/name"):
        return PlainTextResponse(str(problem), 409)
    return message_page("This can't be shown", str(problem), 409)


async def _too_long(request: Request, problem: Exception) -> Response:
    return PlainTextResponse("This is longer than any vote.", 413)
