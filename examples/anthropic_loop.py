"""Anthropic's plain tool loop as an agent: no framework, the shop's tools, recorded and scored like the built-in ones.

export ANTHROPIC_API_KEY=…
drretail run --agent anthropic_loop:answer --queries queries.jsonl --to exp
"""

import os
from typing import Any

import anthropic

from drretail.tools.registry import anthropic_schemas
from drretail.tools.toolkit import Toolkit

MODEL = os.environ.get("ANTHROPIC_MODEL", "claude-sonnet-5")
MOST_TURNS = 20


def answer(question: str, instructions: str, toolkit: Toolkit) -> str:
    """The report on a question: the model calls tools until it has nothing more to look up."""
    client = anthropic.Anthropic()
    schemas: Any = anthropic_schemas(toolkit.tools)
    messages: list[Any] = [{"role": "user", "content": instructions}]  # the question, and how its report is to be
    for _ in range(MOST_TURNS):
        turn = client.messages.create(model=MODEL, max_tokens=8000, tools=schemas, messages=messages)
        messages.append({"role": "assistant", "content": turn.content})
        results = [_result(block, toolkit) for block in turn.content if block.type == "tool_use"]
        if not results:
            return "".join(block.text for block in turn.content if block.type == "text")
        messages.append({"role": "user", "content": results})
    raise TimeoutError(f"{MOST_TURNS} turns brought no report on {question!r}")


def _result(block: Any, toolkit: Toolkit) -> dict[str, Any]:
    reply = toolkit.call(block.name, block.input)
    return {
        "type": "tool_result",
        "tool_use_id": block.id,
        "content": reply.text,
        "is_error": reply.error is not None,
    }
