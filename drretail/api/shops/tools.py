"""``tools``: lists the nine tools, prints their schemas, and calls one of them."""

import json
from typing import TYPE_CHECKING, Any

from drretail.api.option import accepts
from drretail.api.options.shops import ToolsOptions
from drretail.api.worlds import check_user, web_of, world_of
from drretail.errors import ToolError, UserError
from drretail.parsing import parse_json
from drretail.records.tables.result import Result
from drretail.records.tables.table import table_of
from drretail.viewer.output import dumped

if TYPE_CHECKING:
    from drretail.tools.tool import Tool


@accepts(ToolsOptions)
def show_tools(options: ToolsOptions) -> Result[Any]:
    """What the named tool returns; without a name, the tools by name.

    Raises UserError for wrong arguments, and for what the tool refuses.
    """
    if options.name is not None:
        if options.form is not None:
            raise UserError("--format is the format of all tools' schemas: name no tool.")
        value = _called(options.name, options)
        return Result(value, value, [dumped(value)])
    from drretail.tools.registry import TOOLS, anthropic_schemas, json_schemas, openai_schemas, tool_schema_hash
    from drretail.tools.tool import read_schema

    form = options.form or "json"
    schemas = {"openai": openai_schemas, "anthropic": anthropic_schemas, "json": json_schemas}[form]
    document = {"form": form, "tool_schema_hash": tool_schema_hash(), "tools": schemas()}
    if options.form is not None:
        return Result(TOOLS, document, [dumped(document)])
    rows = [(t.name, t.access, read_schema(t.function).description.partition("\n")[0]) for t in TOOLS.values()]
    return Result(TOOLS, document, [table_of("", ["tool", "access", "what it does"], rows)])


def _arguments(name: str, args: str) -> "tuple[Tool, dict[str, Any]]":
    """A known tool and its arguments, checked before a world is opened or built."""
    from drretail.tools.arguments import read_arguments
    from drretail.tools.registry import load_tool
    from drretail.tools.tool import read_schema

    tool = load_tool(name)
    try:
        return tool, read_arguments(read_schema(tool.function).parameters, parse_json(args))
    except json.JSONDecodeError as problem:
        raise UserError(
            f"--args is not JSON: {problem}. Write it as one object in quotes, '{{\"name\": …}}'."
        ) from None
    except ToolError as problem:
        raise _refusal(name, problem) from None


def _called(name: str, options: ToolsOptions) -> dict[str, Any]:
    from drretail.api.settings import read_settings
    from drretail.conditions.tools import client_conditions
    from drretail.env.session import Session, SessionSettings
    from drretail.tools.toolkit import Toolkit

    tool, arguments = _arguments(name, options.args)
    settings = read_settings(web=options.web if isinstance(options.web, str) else None)
    scope = client_conditions(options.vary).scope
    with world_of(options.world, web_of(options.world, options.web, settings)) as shop:
        check_user(shop, options.user)
        session = Session(SessionSettings(shop, options.user, scope, tool_timeout=settings.tool_timeout))
        with Toolkit(session, tools={tool.name: tool}) as toolkit:
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
