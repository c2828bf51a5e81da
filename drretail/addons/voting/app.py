"""The server's routes, and its answers to errors."""

from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from drretail.addons.voting.access import Guard
from drretail.addons.voting.layout import asset, message_page
from drretail.addons.voting.voting_pages import Voting
from drretail.errors import UserError, file_error
from drretail.experiments.experiment import read_definition


def routes_of(experiment: Path, port: int, plan: int | None = None) -> list[BaseRoute]:
    """The voting pages of an experiment. Raises UserError if there is none."""
    read_definition(experiment)
    return list(Voting(experiment, port, plan).routes())


def voting_app(routes: Sequence[BaseRoute], token: str, port: int) -> Starlette:
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
