"""``drretail tools``: lists the nine tools, prints their schemas, and calls one of them."""

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from drretail.api.option import Option
from drretail.api.options import research
from drretail.api.worlds import check_user, chosen_web, open_world
from drretail.cli.options import flags as options
from drretail.errors import ToolError, UserError
from drretail.parsing import parse_json
from drretail.viewer.output import dumped, print_json, print_rows

if TYPE_CHECKING:
    from drretail.records.run import Scope


def tools(
    output: options.Output,
    name: Annotated[
        str | None,
        Option("The tool to call, or module:attribute. Without it: list all tools.", argument=True, metavar="NAME"),
    ] = None,
    args: Annotated[str, Option("The tool's arguments, as one JSON object.", metavar="JSON")] = "{}",
    world: research.World = "demo",
    user: Annotated[str | None, Option("The user who asks.", metavar="ID")] = None,
    web: research.Web = None,
    vary: research.ClientVary = None,
    form: Annotated[
        Literal["openai", "anthropic", "json"] | None,
        Option("With --json: the format of the schemas (default: json).", flag="--format"),
    ] = None,
) -> None:
    """Lists the nine tools, or calls one and prints its result."""
    if form is not None and (name is not None or not output.as_json):
        raise UserError("--format is the format of all tools' schemas: add --json, and name no tool.")
    if name is None:
        if output.as_json:
            from drretail.tools.registry import anthropic_schemas, json_schemas, openai_schemas, tool_schema_hash

            schemas = {"openai": openai_schemas, "anthropic": anthropic_schemas, "json": json_schemas}[form or "json"]
            print_json({"form": form or "json", "tool_schema_hash": tool_schema_hash(), "tools": schemas()})
            return
        from drretail.tools.registry import TOOLS
        from drretail.tools.tool import read_schema

        rows: list[tuple[str, str, str]] = []
        for tool in TOOLS.values():
            first_line, _, _ = read_schema(tool.function).description.partition("\n")
            rows.append((tool.name, tool.access, first_line))
        print_rows("", ["tool", "access", "what it does"], rows)
        return
    from drretail.agents.running.varied import client_conditions

    arguments = _arguments(name, args)
    value = _called(
        name, arguments, str(world), user, web=None if web is None else str(web), scope=client_conditions(vary).scope
    )
    typer.echo(dumped(value))


def _arguments(name: str, args: str) -> dict[str, Any]:
    """The arguments of a known tool, checked before a world is opened or built."""
    from drretail.tools.arguments import read_arguments
    from drretail.tools.registry import load_tool
    from drretail.tools.tool import read_schema

    tool = load_tool(name)
    try:
        return read_arguments(read_schema(tool.function).parameters, parse_json(args))
    except json.JSONDecodeError as problem:
        raise UserError(
            f"--args is not JSON: {problem}. Write it as one object in quotes, '{{\"name\": …}}'."
        ) from None
    except ToolError as problem:
        raise _refusal(name, problem) from None


def _called(
    name: str, arguments: dict[str, Any], world: str, user: str | None, *, web: str | None, scope: "Scope"
) -> dict[str, Any]:
    from drretail.env.session import Session
    from drretail.settings import read_settings
    from drretail.tools.registry import load_tool
    from drretail.tools.toolkit import Toolkit

    settings = read_settings(web=web)
    with open_world(world, web=chosen_web(settings)) as shop:
        check_user(shop, user)
        session = Session(shop, user_id=user, scope=scope, tool_timeout=settings.tool_timeout)
        tool = load_tool(name)
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
