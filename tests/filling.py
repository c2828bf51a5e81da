"""A chat model that fills any schema with the first thing that fits it, and reads nothing but numbered ids."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import tool_call

from drretail.llm.local_chat import LocalChat
from drretail.llm.registry import Model
from drretail.llm.scripted import Play, Request, ScriptedAnswer, scripted_model

TEXT = "It says what it rests on, and names the place where that stands. "
_NUMBERED = re.compile(r'<[a-z_]+ (?:[^<>\n]* )?id="(\d+)"')


class FillingChat(LocalChat):
    """The schema is that of the one bound tool, as with_structured_output binds it."""

    provider = "filling"
    model: str = "filling"
    play: Play | None = None
    """What answers first, and fails by an AssertionError where it knows nothing of a question."""

    def _answer(self, messages: list[BaseMessage], bound: dict[str, Any]) -> AIMessage:
        tools = bound.get("tools") or []
        if not tools:
            return AIMessage(TEXT)
        function, question = tools[0]["function"], "\n".join(message.text for message in messages)
        filled = _value(function["parameters"], function["parameters"], question)
        if self.play is not None:
            with suppress(AssertionError):
                played = self.play(Request(messages, (), function["name"]))
                assert isinstance(played, ScriptedAnswer)
                assert played.structured is not None
                filled = played.structured
        return AIMessage("", tool_calls=[tool_call(name=function["name"], args=filled, id=None)])


def filling_model(play: Play | None = None) -> Model:
    return scripted_model("").with_chat(FillingChat(play=play))


def filled(schema: Mapping[str, Any], choice: int) -> Any:
    """An instance of the schema that takes its alternative of this number, counted on from the first, wherever it has
    several.
    """
    return _value(schema, schema, "", choice)


def _value(part: Mapping[str, Any], schema: Mapping[str, Any], question: str, choice: int = 0) -> Any:
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].rpartition("/")[2]]
    for word in ("anyOf", "oneOf", "allOf"):
        if word in part:
            return _value(part[word][choice % len(part[word])], schema, question, choice)
    if "const" in part or "enum" in part:
        return part["const"] if "const" in part else part["enum"][choice % len(part["enum"])]
    match part.get("type", "object"):
        case "object" if part.get("title") == "Money":
            return {"amount": "1", "currency": "USD"}
        case "object":
            fields = part.get("properties", {}).items()
            return {name: _value(each, schema, question, choice) for name, each in fields}
        case "array":
            item = _value(part.get("items", {"type": "string"}), schema, question, choice)
            of_id = next((name for name in item if name.endswith("_id")), None) if isinstance(item, dict) else None
            if of_id is None or not question:
                return [item] * max(1, part.get("minItems", 0))
            return [item | {of_id: int(number)} for number in dict.fromkeys(_NUMBERED.findall(question))]
        case "integer" | "number":
            return part.get("minimum", 1)
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return "" if "pattern" in part and re.fullmatch(part["pattern"], "") else TEXT * 3
