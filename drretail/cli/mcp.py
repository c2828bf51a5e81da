"""``drretail mcp``: the nine tools for any client that speaks the Model Context Protocol."""

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.api.option import Option
from drretail.api.options import research, shared
from drretail.api.worlds import check_askable, check_user, chosen_web, open_world
from drretail.cli.options import flags
from drretail.errors import UnknownName, UserError
from drretail.event_loop import meant_to_end, run_loop
from drretail.viewer.output import remark, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from drretail.agents.running.client_runs import Recording
    from drretail.api.settings import Settings
    from drretail.env.session import Session
    from drretail.env.world import World
    from drretail.records.query import Query

TOKEN_VARIABLE = "MCP_TOKEN"  # noqa: S105 — the name of a variable
SHORTEST_TOKEN = 16
NO_USER = "Without --user or --vary scope=any, the user's tools refuse every id."
NO_CLIENT = "An MCP client starts this command, and talks to it over stdin and stdout. Ctrl-C stops it."


@dataclass(frozen=True, slots=True)
class Recorded:
    """The experiment in which the clients' runs are recorded, and the query that they answer."""

    to: Annotated[Path | None, Option("Record each client as a run in this experiment folder.", metavar="EXP")] = None
    question: Annotated[str | None, Option("With --to: the question for the clients.")] = None
    queries: Annotated[Path | None, Option("With --to: the file that holds the query.", metavar="FILE")] = None
    only: Annotated[str | None, Option("With --queries: the id of the query.", metavar="ID")] = None
    system: Annotated[str | None, Option("With --to: the system's name (mcp@NAME).", metavar="NAME")] = None
    seed: shared.Seed = "42"

    def check(self) -> None:
        """Raises UserError for flags that don't go together."""
        if self.to is None and (self.question, self.queries, self.only, self.system) != (None, None, None, None):
            raise UserError("--question, --queries, --only and --system say what is recorded: add --to EXP.")
        if self.to is not None and (self.question is None) == (self.queries is None):
            raise UserError(
                "A run answers a query: name it with --question TEXT, or with --queries FILE and --only ID."
            )
        if (self.queries is None) != (self.only is None):
            raise UserError("--queries FILE and --only ID go together.")

    def asked(self, shop: "World", user: str | None) -> "Query":
        """The query that clients answer. Raises UserError for a query that this world can't be asked."""
        from drretail.agents.running.new_experiment import question_as_query
        from drretail.querygen.reading import read_queries

        if self.question is not None:
            return question_as_query(self.question, user, shop)
        assert self.queries is not None
        assert self.only is not None
        found = {each.query_id: each for each in read_queries(self.queries)}
        if self.only not in found:
            raise UnknownName("query", self.only, found)
        query = found[self.only]
        if user not in (None, query.user_id):
            raise UserError(f"{self.only} is asked by {query.user_id or 'nobody in particular'}: leave --user out.")
        check_askable(shop, [query])
        return query

    def recording(
        self, query: "Query", session: "Session", spec: str, without: "Sequence[str]", settings: "Settings"
    ) -> "Recording":
        """The experiment, opened for runs of clients in sessions like this one."""
        from drretail.agents.running.client_runs import Recording
        from drretail.agents.running.system import client_options
        from drretail.api.systems import runner_of
        from drretail.env.offers import Offers

        assert self.to is not None
        return Recording(
            self.to,
            runner_of(session.world, settings, spec),
            query,
            scope=session.scope,
            options=client_options(without, redact=session.redact, asks=bool(query.hidden)),
            name=self.system,
            seed=self.seed,
            reference=None if self.queries is None else Offers(session.world).reference,
        )


@dataclass(frozen=True, slots=True)
class Served:
    """What clients are served: the tools of which user, on which shop and web, and over which transport."""

    world: research.World = "demo"
    user: Annotated[str | None, Option("The shopper who asks.", metavar="ID")] = None
    vary: research.ClientVary = None
    web: research.Web = None
    http: Annotated[bool, Option("Serve over HTTP on this machine, instead of stdin and stdout.")] = False
    port: Annotated[int | None, Option("With --http: the port (default: any free one).", min=0, max=65535)] = None


def mcp(recorded: Recorded, served: Served, output: flags.Progress) -> None:
    """Serves the nine tools over MCP, to one client or with --http to several.

    Each connection has its own copy of the world. With --to, each connection is recorded as a run, and a tenth tool
    takes the report (docs/tools.md).
    """
    if find_spec("mcp") is None:
        raise UserError("The MCP server needs mcp: pip install mcp.")
    recorded.check()
    if served.port is not None and not served.http:
        raise UserError("--port is only for the server over HTTP: add --http.")
    from drretail.agents.information import instructions, question_instructions
    from drretail.api.settings import read_settings
    from drretail.conditions.tools import client_conditions
    from drretail.env.session import Session, Shopper
    from drretail.tools.mcp import UnrecordedRun, mcp_server, serve_stdio
    from drretail.tools.registry import tools_of

    world, user = str(served.world), served.user
    under = client_conditions(served.vary)
    settings = read_settings(web=None if served.web is None else str(served.web))
    with open_world(world, web=chosen_web(settings)) as shop, ExitStack() as stack:
        check_user(shop, user)
        query = None if recorded.to is None else recorded.asked(shop, user)
        session = Session(
            shop,
            user_id=user if query is None else query.user_id,
            scope=under.scope,
            redact=under.redact,
            without=tools_of(under.without),
            tool_timeout=settings.tool_timeout,
            tool_threads=settings.tool_threads,
            shopper=Shopper(query) if query is not None and query.hidden else None,
        )
        if session.user_id is None and session.scope == "own":
            remark(NO_USER)
        if query is None:
            server = mcp_server(session, lambda: UnrecordedRun(session), instructions(session), elicits=True)
        else:
            runs = stack.enter_context(recorded.recording(query, session, world, under.without, settings))
            guide = question_instructions(session, query.text)
            server = mcp_server(session, runs.opened, guide, takes_report=True)
        if served.http:
            _serve_http(server, served.port or 0)
            return
        if sys.stdin.isatty():
            remark(NO_CLIENT)
        with meant_to_end():
            run_loop(serve_stdio(server))


def _serve_http(server: Any, port: int) -> None:
    from drretail.tools.local_server import HOST, bound, port_of, serve
    from drretail.tools.mcp_http import ADDRESS, http_app

    token, printed = _token()
    listening = bound(port)
    app = http_app(server, token, port_of(listening))

    def begun() -> None:
        typer.echo(f"http://{HOST}:{port_of(listening)}{ADDRESS}")
        typer.echo(f"Authorization: Bearer {token if printed else f'${TOKEN_VARIABLE}'}")
        say("The server answers only this machine, and only with that header. Ctrl-C stops it.")

    serve(app, listening, begun, lifespan=True)


def _token() -> tuple[str, bool]:
    """The token, and whether it is new and so has to be shown. Raises UserError for a token that can be guessed."""
    import os
    import secrets

    given = os.environ.get(TOKEN_VARIABLE)
    if given is None:
        return secrets.token_urlsafe(24), True
    if len(given) < SHORTEST_TOKEN or not given.isascii() or not given.isprintable() or " " in given:
        raise UserError(f"{TOKEN_VARIABLE} needs {SHORTEST_TOKEN} or more letters, digits and signs without blanks.")
    return given, False
