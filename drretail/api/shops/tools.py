"""``tools``: lists the nine tools, prints their schemas, and calls one of them.

``mcp``: serves the nine tools to any client that speaks the Model Context Protocol.
"""

import json
import os
import secrets
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from drretail.agents.information import instructions, recorded_instructions
from drretail.api.option import accepts
from drretail.api.options.observer import SILENT, Observer
from drretail.api.options.shops import McpOptions, ToolsOptions
from drretail.api.settings import Settings, read_settings
from drretail.api.worlds import check_askable, chosen_web, open_world, web_of, world_of
from drretail.conditions.tools import client_conditions
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.errors import ToolError, UserError, check_known, install_line
from drretail.event_loop import meant_to_end, run_loop
from drretail.parsing import parse_json
from drretail.querygen.reading import read_queries
from drretail.records.query import Query
from drretail.tools.arguments import read_arguments
from drretail.tools.registry import (
    TOOLS,
    json_schemas,
    load_tool,
    tool_schema_hash,
    tools_of,
)
from drretail.tools.tool import read_schema
from drretail.tools.toolkit import Toolkit
from drretail.viewer.drawing.result import Result
from drretail.viewer.drawing.table import table_of
from drretail.viewer.output import dumped, remark, say

if TYPE_CHECKING:
    from drretail.agents.running.client_runs import Recording


@accepts(ToolsOptions)
def show_tools(options: ToolsOptions) -> Result[Any]:
    """What the named tool returns; without a name, the tools by name.

    Raises UserError for wrong arguments, and for what the tool refuses.
    """
    if options.name is not None:
        value = _called(options.name, options)
        return Result(value, value, [dumped(value)])

    document = {"tool_schema_hash": tool_schema_hash(), "tools": json_schemas()}
    rows = [(t.name, t.access, read_schema(t.function).description.partition("\n")[0]) for t in TOOLS.values()]
    return Result(TOOLS, document, [table_of("", ["tool", "access", "what it does"], rows)])


def _called(name: str, options: ToolsOptions) -> dict[str, Any]:
    tool = load_tool(name)
    parameters = read_schema(tool.function).parameters
    try:  # before a world is opened or built
        arguments = read_arguments(parameters, parse_json(options.args))
    except json.JSONDecodeError as problem:
        raise UserError(
            f"--args is not JSON: {problem}. Write it as one object in quotes, '{{\"name\": …}}'."
        ) from None
    except ToolError as problem:
        needed = {
            parameter.name: (parameter.id_of == "user" and options.user) or "…"
            for parameter in parameters
            if parameter.required
        }
        hint = f" Write --args {quote(json.dumps(needed, ensure_ascii=False))}."
        raise UserError(f"{_refusal(name, problem)}{hint if ' is missing: ' in problem.message else ''}") from None
    settings = read_settings(web=options.web if isinstance(options.web, str) else None)
    under = client_conditions(options.vary)
    left_out = tools_of(under.without)
    if tool.name in left_out:
        raise UserError(f"--vary without={'+'.join(under.without)} leaves out {tool.name}.")
    with world_of(options.world, web_of(options.world, options.web, settings)) as shop:
        shop.check_user(options.user)
        session_settings = SessionSettings(
            shop, options.user, under.scope, without=left_out, tool_timeout=settings.tool_timeout
        )
        session = Session(session_settings)
        toolkit = Toolkit(session, tools={tool.name: tool})
        reply = toolkit.call(tool.name, arguments)
    if reply.error is not None:
        error = reply.value["error"]
        (step,) = session.trajectory.steps()
        if step.error is not None and not step.error.startswith(f"{reply.error}: "):  # models don't get this reason
            raise UserError(f"{name} failed: {step.error.rstrip('.')}.")
        raise _refusal(name, ToolError(reply.error, error["message"], allowed=error.get("allowed")))
    return reply.value


def _refusal(name: str, problem: ToolError) -> UserError:
    allowed = [str(value) for value in problem.allowed or ()]
    names_one = any(value in problem.message for value in allowed)
    hint = "" if names_one or not allowed else f" Allowed: {', '.join(allowed)}."
    hint += " Say --user ID, or --vary scope=any." if problem.kind == "forbidden" else ""
    return UserError(f"{name}: {problem.message}{hint}")


TOKEN_VARIABLE = "MCP_TOKEN"  # noqa: S105 — the name of a variable
SHORTEST_TOKEN = 16
"""Characters: 96 bits, if they are random ones of Base64."""
NO_USER = "Without --user or --vary scope=any, the user's tools refuse every id."


@accepts(McpOptions)
def serve_tools(options: McpOptions) -> Result[None]:
    """Serves the tools until the client leaves, or over HTTP until Ctrl-C."""
    if find_spec("mcp") is None:
        raise UserError(f"The MCP server needs mcp: {install_line('mcp')}.")
    _check(options)
    from drretail.tools.mcp import UnrecordedRun, mcp_server, serve_stdio

    world, user = str(options.world), options.user
    under = client_conditions(options.vary)
    settings = read_settings(web=None if options.web is None else str(options.web))
    with open_world(world, web=chosen_web(settings)) as shop, ExitStack() as stack:
        shop.check_user(user)
        query = None if options.to is None else _asked(options, shop)
        session_settings = SessionSettings(
            shop,
            user_id=user if query is None else query.user_id,
            scope=under.scope,
            without=tools_of(under.without),
            tool_timeout=settings.tool_timeout,
            tool_threads=settings.tool_threads,
        )
        session = Session(session_settings)
        if session.settings.user_id is None and session.settings.scope == "own":
            remark(NO_USER)
        if query is None:
            server = mcp_server(session, lambda: UnrecordedRun(session_settings), instructions(session))
        else:
            runs = stack.enter_context(closing(_recording(options, query, session, under.without, settings)))
            guide = recorded_instructions(query.text, session_settings.user_id, session_settings.now)
            server = mcp_server(session, runs.opened, guide, takes_report=True)
        if options.http:
            _serve_http(server, options.port or 0, options.observer or SILENT)
            return Result(None, {})
        if sys.stdin.isatty():
            remark("An MCP client starts this command, and talks to it over stdin and stdout. Ctrl-C stops it.")
        with meant_to_end():
            run_loop(serve_stdio(server, say))
    return Result(None, {})


def _check(options: McpOptions) -> None:
    """Raises UserError for options that don't go together."""
    recorded = (options.question, options.queries, options.only, options.system)
    if options.to is None and recorded != (None, None, None, None):
        raise UserError("--question, --queries, --only and --system say what is recorded: add --to EXP.")
    if options.to is not None and (options.question is None) == (options.queries is None):
        raise UserError("A run answers a query: name it with --question TEXT, or with --queries FILE and --only ID.")
    if (options.queries is None) != (options.only is None):
        raise UserError("--queries FILE and --only ID go together.")
    if options.port is not None and not options.http:
        raise UserError("--port is only for the server over HTTP: add --http.")


def _asked(options: McpOptions, shop: World) -> Query:
    """The query that clients answer. Raises UserError for a query that this world can't be asked."""
    from drretail.agents.running.run import question_as_query

    if options.question is not None:
        return question_as_query(options.question, options.user, shop)
    assert options.queries is not None
    assert options.only is not None
    by_id = {query.query_id: query for query in read_queries(Path(options.queries))}
    check_known("query", by_id, options.only)
    query = by_id[options.only]
    if options.user not in (None, query.user_id):
        raise UserError(f"{options.only} is asked by {query.user_id or 'nobody in particular'}: leave --user out.")
    check_askable(shop, [query])
    if any(query.query_id in (turn.query_id, turn.after) for turn in by_id.values() if turn.after is not None):
        raise UserError(f"{query.query_id} is a turn of a conversation: `drretail run` asks these.")
    return query


def _recording(
    options: McpOptions, query: Query, session: Session, without: Sequence[str], settings: Settings
) -> "Recording":
    """The experiment, opened for runs of clients in sessions like this one."""
    from drretail.agents.running.client_runs import Recording
    from drretail.agents.running.system import client_options
    from drretail.api.systems import runner_of

    assert options.to is not None
    return Recording(
        Path(options.to),
        runner_of(session.settings.world, settings, str(options.world)),
        query,
        scope=session.settings.scope,
        options=client_options(without),
        name=options.system,
        seed=options.seed,
    )


def _serve_http(server: Any, port: int, observer: Observer) -> None:
    from drretail.tools.local_server import HOST, bound, port_of, serve
    from drretail.tools.mcp_http import ADDRESS, http_app

    token = os.environ.get(TOKEN_VARIABLE)
    is_new = token is None
    if token is None:
        token = secrets.token_urlsafe(24)
    elif len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise UserError(f"{TOKEN_VARIABLE} needs {SHORTEST_TOKEN} or more letters, digits and signs without blanks.")
    listening = bound(port)
    app = http_app(server, token, port_of(listening))

    def begun() -> None:
        observer.serving(
            f"http://{HOST}:{port_of(listening)}{ADDRESS}",
            f"Authorization: Bearer {token if is_new else f'${TOKEN_VARIABLE}'}",
        )
        observer.note("The server answers only this machine, and only with that header. Ctrl-C stops it.")

    serve(app, listening, begun, lifespan=True)
