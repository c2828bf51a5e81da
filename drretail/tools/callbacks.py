"""LangChain's callbacks for the calls of a toolkit, by which LangSmith, Langfuse and ``astream_events`` show tools."""

import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from drretail.grounding.text.serialisation import compact_json
from drretail.tools.arguments import recordable
from drretail.tools.tool import ToolResult

Ended = Callable[[ToolResult | Exception], Awaitable[None]]


async def tool_started(name: str, args: object) -> Ended | None:
    """Tells the callbacks of the graph's node that calls a tool; the result tells them how the call ended.

    None if nobody listens. What they are told is the tool's result before anything is left out or summarised of it.
    """
    if "langchain_core.runnables.config" not in sys.modules:  # no graph can be calling
        return None
    from langchain_core.runnables.config import get_async_callback_manager_for_config, var_child_runnable_config

    if (config := var_child_runnable_config.get()) is None:
        return None
    callbacks = get_async_callback_manager_for_config(config)
    if not callbacks.handlers:
        return None
    given: Any = recordable(args)
    inputs = {**given} if isinstance(given, Mapping) else {"input": given}
    run = await callbacks.on_tool_start({"name": name}, compact_json(inputs), inputs=inputs, name=name)

    async def ended(outcome: ToolResult | Exception) -> None:
        if isinstance(outcome, ToolResult):
            await run.on_tool_end(compact_json(outcome.value), name=name)
        else:
            await run.on_tool_error(outcome)

    return ended
