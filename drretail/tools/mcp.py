"""The tools over MCP: one server for any client, with a run of its own for each connection.

A client's model reads exactly what our agents read: schemas, results and errors come from the toolkit alone.
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeVar, cast

import anyio
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from mcp_types import Tool as ListedTool

from drretail import __version__
from drretail.env.session import Session, SessionSettings
from drretail.errors import ToolError, UserError, quoted
from drretail.reports.text.serialisation import compact_json
from drretail.tools.registry import ROLE, SUBMIT, SUBMITTING, offered, read_submitted
from drretail.tools.tool import Tool, read_schema
from drretail.tools.toolkit import Toolkit, ToolReply

T = TypeVar("T")
PATH = "0"


class ClientRun(Protocol):
    """The run behind one connection, which records the connection's calls."""

    async def begin(self, client: str) -> Toolkit:
        """The tools. Called once, at the first call, with the name that the client gives itself."""
        ...

    async def hand_in(self, report: str) -> dict[str, Any]:
        """Keeps the report and returns what the client reads then. Raises ToolError if the report cannot be kept."""
        ...

    async def end(self) -> None:
        """Ends the run when the client leaves, even if it has called no tool."""
        ...


class UnrecordedRun:
    """A session of which nothing is kept when the client leaves, or the ``shared`` tools of one."""

    def __init__(self, settings: SessionSettings, shared: Toolkit | None = None) -> None:
        self._settings = settings
        self._shared = shared

    async def begin(self, client: str) -> Toolkit:
        return self._shared or Toolkit(Session(self._settings))

    async def hand_in(self, report: str) -> dict[str, Any]:
        raise ToolError("unknown_tool", "No report is kept here.")

    async def end(self) -> None: ...


class Connection:
    """One client's calls. Each call is finished and recorded, even if the client has stopped waiting for it."""

    def __init__(self, run: ClientRun) -> None:
        self._run = run
        self._toolkit: asyncio.Task[Toolkit] | None = None
        self._calls: set[asyncio.Task[Any]] = set()
        self._has_report = False

    async def call(self, client: str, name: str, args: Mapping[str, Any]) -> ToolReply:
        """The reply to one call. Raises ToolError if the report was handed in already."""
        self._check_open()
        toolkit = await self._begun(client)
        (reply,) = await self._to_its_end(toolkit.acall_all([(name, args)], PATH, role=ROLE))
        return reply

    async def hand_in(self, client: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps the report and returns what the client reads then. Waits first for all calls that are still running."""
        self._check_open()
        report, _ = read_submitted(args)
        await self._begun(client)
        self._has_report = True
        try:
            await self._calls_ended()
            return await self._to_its_end(self._run.hand_in(report))
        except ToolError:
            self._has_report = False
            raise

    async def end(self) -> None:
        await self._calls_ended()
        await self._run.end()

    def _check_open(self) -> None:
        if self._has_report:
            raise ToolError("limit", "The report is handed in, and the research has ended: connect anew for another.")

    async def _begun(self, client: str) -> Toolkit:
        if self._toolkit is None:
            self._toolkit = asyncio.ensure_future(self._run.begin(client))
        return await asyncio.shield(self._toolkit)

    async def _to_its_end(self, step: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(step)
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        return await asyncio.shield(task)

    async def _calls_ended(self) -> None:
        await asyncio.gather(*self._calls, return_exceptions=True)


def mcp_server(
    like: Session,
    opened: Callable[[], ClientRun],
    instructions: str,
    *,
    takes_report: bool = False,
) -> Server[Connection]:
    """A server of the tools that sessions like ``like`` have; run it once for each connection.

    ``opened`` returns the run behind a new connection, and ``instructions`` is what clients are told. With
    ``takes_report`` there is one more tool, ``submit_report``.
    """
    listed = ListToolsResult(tools=[_listed(tool, like.settings.web_is_live) for tool in offered(like).values()])
    if takes_report:
        hints = ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        )
        described, form = SUBMITTING.description, SUBMITTING.as_json()
        listed.tools.append(ListedTool(name=SUBMIT, description=described, input_schema=form, annotations=hints))

    @asynccontextmanager
    async def connected(_: Server[Connection]) -> AsyncGenerator[Connection]:
        connection = Connection(opened())
        try:
            yield connection
        finally:
            with anyio.CancelScope(shield=True):  # the record is saved, however the client left
                await connection.end()

    async def list_tools(ctx: ServerRequestContext[Connection], _: PaginatedRequestParams | None) -> ListToolsResult:
        del ctx
        return listed

    async def call_tool(ctx: ServerRequestContext[Connection], request: CallToolRequestParams) -> CallToolResult:
        connection, params, args = ctx.lifespan_context, ctx.session.client_params, request.arguments or {}
        client = "unknown" if params is None else params.client_info.name
        try:
            if takes_report and request.name == SUBMIT:
                return _result(await connection.hand_in(client, args))
            reply = await connection.call(client, request.name, args)
            return _result(reply.value, reply.text, is_error=reply.error is not None)
        except ToolError as problem:
            return _result(problem.as_result(), is_error=True)
        except (UserError, OSError) as problem:  # the experiment cannot be written
            return _result(ToolError("unavailable", str(problem)).as_result(), is_error=True)

    return Server(
        "drretail",
        version=__version__,
        instructions=instructions,
        lifespan=connected,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(server: Server[Connection], say: Callable[[str], None]) -> None:
    """Serves the client at this process's stdin and stdout until it closes either. Lines that are no messages go to
    ``say``.
    """
    lines = cast(Any, _StdinLines(asyncio.get_running_loop(), say))  # the server only iterates over this file
    try:
        async with stdio_server(stdin=lines) as (read, written):
            await server.run(read, written, server.create_initialization_options())
    except* (BrokenPipeError, anyio.BrokenResourceError):  # the client left before its answer
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes the rest of stdout at exit


class _StdinLines:
    """The lines of stdin, read in a daemon thread. Otherwise Ctrl-C would end nothing before the next line arrives."""

    def __init__(self, loop: asyncio.AbstractEventLoop, say: Callable[[str], None]) -> None:
        self._loop = loop
        self._say = say
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def __aiter__(self) -> "_StdinLines":
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if not line:
            raise StopAsyncIteration
        try:
            jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            self._say(f"A line on stdin is no JSON-RPC message, and was left out: {quoted(line.strip())}.")
        return line

    def _read(self) -> None:
        # A file object of its own: sys.stdin's is locked during a read, and Python closes it at exit.
        with open(sys.stdin.fileno(), "rb", closefd=False) as stream:
            line = b"-"
            while line:
                line = stream.readline()
                try:
                    self._loop.call_soon_threadsafe(self._lines.put_nowait, line.decode("utf-8", "replace"))
                except RuntimeError:  # the loop has ended
                    return


def _listed(tool: Tool, web_is_live: bool) -> ListedTool:
    schema, reads = read_schema(tool.function), tool.access == "read"
    hints = ToolAnnotations(
        read_only_hint=reads,
        # A write replaces the old value, and repeating it changes nothing more.
        destructive_hint=not reads,
        idempotent_hint=True,
        open_world_hint=web_is_live and tool.name == "web_search",
    )
    return ListedTool(name=tool.name, description=schema.description, input_schema=schema.as_json(), annotations=hints)


def _result(value: dict[str, Any], text: str | None = None, *, is_error: bool = False) -> CallToolResult:
    content = TextContent(type="text", text=compact_json(value) if text is None else text)
    return CallToolResult(content=[content], structured_content=value, is_error=is_error)
