"""Our tools as inspect calls them: schemas, results and errors all come from the toolkit."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from inspect_ai.tool import Tool, ToolDef, ToolError, ToolParams

from drretail.errors import ToolError as Refusal
from drretail.grounding.text.serialisation import compact_json
from drretail.tools.registry import ROLE, SUBMIT, SUBMITTING
from drretail.tools.tool import ToolSchema, read_schema
from drretail.tools.toolkit import Toolkit

PATH = "0"


def shop_tools(toolkit: Toolkit, called: Callable[[], None]) -> list[Tool]:
    """The toolkit's tools, bound to its session. If a call fails, the model reads what was wrong with it.

    ``called`` is invoked before each call.
    """
    return [
        _definition(
            name, read_schema(tool.function), _call(toolkit, name, called), parallel=tool.access == "read"
        ).as_tool()
        for name, tool in toolkit.tools.items()
    ]


def submit_tool(hand_in: Callable[[Mapping[str, Any]], str]) -> ToolDef:
    """The tool that ends a sample; ``hand_in`` takes its arguments and returns the report."""

    async def submit(**kwargs: Any) -> str:
        try:
            return hand_in(kwargs)
        except Refusal as problem:
            raise ToolError(compact_json(problem.as_result())) from problem

    return _definition(SUBMIT, SUBMITTING, submit, parallel=False)


def _call(toolkit: Toolkit, name: str, called: Callable[[], None]) -> Callable[..., Awaitable[str]]:
    async def call(**kwargs: Any) -> str:
        called()
        (reply,) = await toolkit.acall_all([(name, kwargs)], PATH, role=ROLE)
        if reply.error is not None:
            raise ToolError(reply.text)
        return reply.text

    return call


def _definition(name: str, schema: ToolSchema, call: Callable[..., Awaitable[str]], *, parallel: bool) -> ToolDef:
    parameters = ToolParams.model_validate(schema.as_json())
    for parameter, described in parameters.properties.items():
        # Our schemas omit a description that would repeat the name; inspect_ai refuses that.
        described.description = described.description or parameter.replace("_", " ")
    return ToolDef(
        call,
        name=name,
        description=schema.description,
        parameters=parameters,
        parallel=parallel,
        max_output=0,  # our results are bounded already, and a cut one would not be JSON
    )
