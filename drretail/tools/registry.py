"""The table of the nine tools, plugins' tools by name, schemas in every form, and one hash of all schemas.

It also holds the tool by which an outside client hands in a report, which is not one of the nine.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

from drretail.errors import ToolError, UnknownName, UserError, check_known, quoted
from drretail.parsing import without_thoughts
from drretail.plugins import Plugins
from drretail.records.base import sha256_of
from drretail.records.run import WebMode
from drretail.reports.picks import Declared, take_picks
from drretail.tools.arguments import read_arguments
from drretail.tools.calculator import calculator
from drretail.tools.catalog import get_product_details, product_catalog_search
from drretail.tools.orders import get_order_details, get_user_orders
from drretail.tools.tool import Access, Parameter, Tool, ToolSchema, read_schema
from drretail.tools.users import get_user_profile, get_user_statistics, update_user_profile
from drretail.tools.web import web_search, web_search_of_chunks, web_search_of_pages

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

    from drretail.env.session import Session
    from drretail.tools.toolkit import Toolkit

_NINE = (
    Tool("product_catalog_search", product_catalog_search, "read"),
    Tool("get_product_details", get_product_details, "read"),
    Tool("get_user_orders", get_user_orders, "read"),
    Tool("get_order_details", get_order_details, "read"),
    Tool("get_user_profile", get_user_profile, "read"),
    Tool("update_user_profile", update_user_profile, "write"),
    Tool("get_user_statistics", get_user_statistics, "read"),
    Tool("web_search", web_search, "read"),
    Tool("calculator", calculator, "read"),
)
TOOLS: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in _NINE})
"""Paper Table 3, in its order."""
SUMMARISED = Tool("web_search", web_search_of_pages, "read")
"""The same search for a session whose pages are read whole; its description says that results are summaries."""
CHUNKED = Tool("web_search", web_search_of_chunks, "read")
"""The same search where nobody summarises pages: it shows a chunk of each page, and not a passage."""
SEARCHES: Mapping[WebMode, Tool] = {"snippets": TOOLS["web_search"], "ws": SUMMARISED, "chunks": CHUNKED}
FAMILIES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "web": frozenset({"web_search"}),
        "catalog": frozenset({"product_catalog_search", "get_product_details"}),
        "user": frozenset(tool.name for tool in _NINE if "user" in tool.name or "order" in tool.name),
        "calculator": frozenset({"calculator"}),
    }
)
"""The nine by the source that they open. Leaving families out tests the paradigm itself."""


# Only the names of the nine are needed: their functions are loaded already.
def tools_of(families: Iterable[str]) -> frozenset[str]:
    """The names of all tools of these families. Raises UnknownName for a name that is not a family."""
    names: frozenset[str] = frozenset()
    for family in families:
        check_known("family of tools", FAMILIES, family)
        names |= FAMILIES[family]
    return names


_CALLABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
PLUGINS = Plugins("tool", {}, "drretail.tools")
ROLE = "client"
"""The role in the steps of an outside client."""
SUBMIT = "submit_report"
LONGEST_REPORT = 100_000
"""The most characters of a report, some 30 pages. A longer one would keep its readers from all others."""
SUBMITTING = ToolSchema(
    "Hand in the finished report. It is kept, and the research has ended: call this once, when nothing more is to be "
    "looked up.",
    (
        Parameter(
            "report",
            "string",
            "The whole report in markdown, evidence ids in square brackets behind what rests on them, and its block "
            "of picks at the end.",
            required=True,
            min_length=1,
            max_length=LONGEST_REPORT,
        ),
    ),
)


def submit_schema() -> dict[str, Any]:
    """The schema of ``submit_report``, as ``openai_schemas`` gives those of the others."""
    about = {"name": SUBMIT, "description": SUBMITTING.description, "parameters": SUBMITTING.as_json()}
    return {"type": "function", "function": about}


def tool_names() -> list[str]:
    """Every name that ``load_tool`` takes besides ``module:attribute``: the nine, then the plugins' tools."""
    return [*TOOLS, *PLUGINS.names()]


def load_tool(name: str) -> Tool:
    """The tool of that name: one of the nine, a plugin's (entry points of drretail.tools), or ``module:attribute``.

    Raises UnknownName if nothing has the name, and UserError if the place holds no Tool.
    """
    if name in TOOLS:
        return TOOLS[name]
    try:
        place, tool = PLUGINS.load(name)
    except UnknownName as problem:
        raise UnknownName(PLUGINS.what, name, tool_names()) from problem
    if not isinstance(tool, Tool):
        raise PLUGINS.refused(place, tool, "a drretail.Tool")
    return _usable(tool)


def own_tools(brought: Iterable[str | Tool]) -> dict[str, Tool]:
    """An agent's own tools beside the nine, by the name that models call them by.

    Raises UserError for a name that is taken, and for a tool that cannot be described to a model.
    """
    tools: dict[str, Tool] = {}
    for item in [brought] if isinstance(brought, str) else brought:
        tool = load_tool(item) if isinstance(item, str) else _usable(item)
        if tool.name in TOOLS or tool.name in tools:
            raise UserError(f"There is a tool {tool.name!r} already: give the agent's own another name.")
        tools[tool.name] = tool
    return tools


def _usable(tool: object) -> Tool:
    """The tool, if it can be described to a model and called by it. Raises UserError otherwise."""
    if not isinstance(tool, Tool):
        raise UserError(f"An agent's tools are drretail.Tools or their names, and {quoted(str(tool))} is neither.")
    try:
        read_schema(tool.function)
        if not _CALLABLE.fullmatch(tool.name):
            raise ValueError("models call names of letters, digits, _ and -, at most 64")
        if tool.access not in get_args(Access):
            raise ValueError(f"its access is {tool.access!r}, and neither 'read' nor 'write'")
    except (ValueError, TypeError, NameError) as problem:
        raise UserError(f"The tool {tool.name} cannot be described to a model: {problem}.") from problem
    return tool


def offered(session: "Session") -> dict[str, Tool]:
    """A session's tools: the nine without those that it leaves out, and the agent's own."""
    return nine_of(session.settings.web_mode, session.settings.without) | dict(session.settings.tools)


def nine_of(web_mode: WebMode, without: Collection[str] = ()) -> dict[str, Tool]:
    """The nine in a web mode, without those of these names."""
    nine = {**TOOLS, "web_search": SEARCHES[web_mode]}
    return {name: tool for name, tool in nine.items() if name not in without}


def json_schemas(tools: Mapping[str, Tool] = TOOLS) -> list[dict[str, Any]]:
    """The basic form of the schemas: {name, description, parameters, access}."""
    return [_with_access(tool) for tool in tools.values()]


def openai_schemas(tools: Mapping[str, Tool] = TOOLS) -> list[dict[str, Any]]:
    """The value of ``tools`` in an OpenAI-compatible chat request; LangChain's ``bind_tools`` takes the same."""
    return [{"type": "function", "function": _plain(tool)} for tool in tools.values()]


def anthropic_schemas(tools: Mapping[str, Tool] = TOOLS) -> list[dict[str, Any]]:
    """The value of ``tools`` in an Anthropic Messages request."""
    plain = map(_plain, tools.values())
    return [
        {"name": entry["name"], "description": entry["description"], "input_schema": entry["parameters"]}
        for entry in plain
    ]


def langchain_tools(toolkit: "Toolkit") -> "list[StructuredTool]":
    """The toolkit's tools for any LangChain agent; each call goes through the toolkit."""
    return structured_tools(toolkit.tools.values(), lambda: toolkit)


def _graph_step() -> object:
    """The step of the graph in which a tool is called; None outside of graphs. A model's calls are all in one step."""
    from langchain_core.runnables import ensure_config

    about = ensure_config().get("metadata", {})
    where = str(about.get("langgraph_checkpoint_ns", "")).rpartition("|")[0]
    return None if "langgraph_step" not in about else (where, about["langgraph_step"])


def structured_tools(tools: Iterable[Tool], toolkit: "Callable[[], Toolkit]") -> "list[StructuredTool]":
    """These tools for any LangChain agent; each call goes through what ``toolkit()`` returns at that moment."""
    from langchain_core.tools import StructuredTool

    def structured(tool: Tool) -> "StructuredTool":
        def call(**arguments: Any) -> str:
            return toolkit().call(tool.name, arguments, turn=_graph_step()).text

        schema = read_schema(tool.function)
        # A plain schema: the toolkit alone validates, so that every agent reads the same errors.
        return StructuredTool.from_function(
            call, name=tool.name, description=schema.description, args_schema=schema.as_json(), infer_schema=False
        )

    return [structured(tool) for tool in tools]


def read_submitted(args: object) -> tuple[str, Declared]:
    """The report as it was handed in, and what it declares. Raises ToolError if it is missing or blank."""
    report = without_thoughts(str(read_arguments(SUBMITTING.parameters, args)["report"]))
    declared = take_picks(report)
    if not declared.report.strip():
        raise ToolError("invalid_argument", "The report is blank but for its block of picks.", field="report")
    return report, declared


def tool_schema_hash(tools: Mapping[str, Tool] = TOOLS) -> str:
    """sha256 of the canonical JSON of all schemas, with ``web_search``'s in every web mode: all that a run may be told
    about its tools.
    """
    return _hash_of_schemas(tuple(tools.values()), (SUMMARISED, CHUNKED))


@cache
def _hash_of_schemas(tools: tuple[Tool, ...], in_other_modes: tuple[Tool, ...]) -> str:
    return sha256_of([*map(_with_access, tools), *map(_plain, in_other_modes)])


def _with_access(tool: Tool) -> dict[str, Any]:
    return _plain(tool) | {"access": tool.access}


def _plain(tool: Tool) -> dict[str, Any]:
    schema = read_schema(tool.function)
    return {"name": tool.name, "description": schema.description, "parameters": schema.as_json()}
