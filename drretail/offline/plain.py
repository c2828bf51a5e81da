"""What an offline model answers outside its policy: one sentence, or a schema filled from the text."""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from drretail.offline.chat import Turn

_NUMBER = re.compile(r"-?\d+")


def plain_answer(turn: Turn) -> AIMessage:
    """A call of the forced tool, of the first bound one when nothing was called yet, else a short sentence."""
    last = turn.messages[-1] if turn.messages else None
    asked = last_question(turn.messages)
    if turn.schema is not None:
        shown = " ".join(tag.content for tag in turn.tags if tag.name != "schema")
        return turn.in_schema(filled(turn.schema, shown or asked))
    if turn.tool_names and not isinstance(last, ToolMessage):
        function = turn.tools[0]["function"]
        arguments = filled(function.get("parameters") or {"type": "object"}, asked)
        return AIMessage("", tool_calls=[tool_call(name=function["name"], args=arguments, id=None)])
    if isinstance(last, ToolMessage):
        return AIMessage(f"The tool answered: {_clipped(last.text)}")
    if not asked.strip():
        return AIMessage("I am a rule-based shopping assistant. Ask me what to buy.")
    return AIMessage(
        f"I am a rule-based shopping assistant and only look things up in the shop. You wrote: {_clipped(asked)}"
    )


def filled(schema: dict[str, Any], text: str) -> Any:
    """A value that satisfies a JSON schema: required fields only, the first of every choice."""
    return _value(schema, schema, text, [int(number) for number in _NUMBER.findall(text)])


def last_question(messages: Sequence[BaseMessage]) -> str:
    return next((message.text for message in reversed(messages) if isinstance(message, HumanMessage)), "")


def _value(schema: dict[str, Any], root: dict[str, Any], text: str, numbers: list[int]) -> Any:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return _value(root.get("$defs", root.get("definitions", {}))[name], root, text, numbers)
    for fixed in ("default", "const"):
        if fixed in schema:
            return schema[fixed]
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return _value(schema[choice][0], root, text, numbers)
    return _typed(schema, root, text, numbers)


def _typed(schema: dict[str, Any], root: dict[str, Any], text: str, numbers: list[int]) -> Any:
    match schema.get("type", "object"):
        case "object":
            properties: dict[str, Any] = schema.get("properties", {})
            needed = schema.get("required", list(properties))
            return {name: _value(properties[name], root, text, numbers) for name in properties if name in needed}
        case "array":
            return [_value(schema.get("items", {"type": "string"}), root, text, numbers)]
        case "integer" | "number":
            return numbers.pop(0) if numbers else schema.get("minimum", 1)
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return _clipped(text) or "x"


def _clipped(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else words[:79].rsplit(" ", 1)[0] + "…"
