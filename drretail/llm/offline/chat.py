"""A langchain chat model whose answers are a pure function, the policy, of the messages and the bound tools.

If the policy does not apply, it answers with one sentence, or fills the schema from the text.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from pydantic import Field

from drretail.llm.local_chat import LocalChat
from drretail.parsing import parse_json

Policy = Callable[[Sequence[BaseMessage], list[dict[str, Any]], Any], AIMessage]
"""Maps (messages, bound tools in OpenAI's form, tool choice as langchain passes it) to the answer."""
_TAG = re.compile(r"<(?P<name>[a-z_]+)(?P<attributes>\s[^<>\n]*)?>\n(?P<content>.*?)\n</(?P=name)>", re.DOTALL)
_ATTRIBUTE = re.compile(r"\b(\w++)=\"([^\"\n]*)\"")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tagged piece of data in a prompt, as ``drretail.llm.prompt.tagged`` writes it."""

    name: str
    attributes: dict[str, str]
    content: str


def tags_in(text: str) -> list[Tag]:
    """The outermost tags of a text in order; an inner tag is part of the outer one's content."""
    return [
        Tag(match["name"], dict(_ATTRIBUTE.findall(match["attributes"] or "")), match["content"])
        for match in _TAG.finditer(text)
    ]


@dataclass(frozen=True, slots=True)
class OfflineRequest:
    """The messages so far, the bound tools (OpenAI's form), and which of them may or must be called."""

    messages: Sequence[BaseMessage]
    tools: Sequence[dict[str, Any]]
    choice: Any = None
    """As langchain passes it: None, "auto", "none", "any", "required", a tool's name, or a provider's dict."""

    @property
    def tool_names(self) -> frozenset[str]:
        """The tools that may be called now."""
        return frozenset() if self.forbids_calls else frozenset(tool["function"]["name"] for tool in self.tools)

    @property
    def forbids_calls(self) -> bool:
        return self.choice == "none" or (isinstance(self.choice, dict) and self.choice.get("type") == "none")

    @property
    def forced_tool(self) -> str | None:
        """The tool that must be called (the first one if any will do); None if the policy may choose."""
        if not self.tools or self.forbids_calls or self.choice in (None, "auto", False):
            return None
        names = [tool["function"]["name"] for tool in self.tools]
        chosen = self.choice
        if isinstance(chosen, dict):
            chosen = chosen.get("function", chosen).get("name")
        return chosen if chosen in names else names[0]

    @property
    def tags(self) -> list[Tag]:
        """The data of all human messages."""
        return [tag for message in self.messages if message.type == "human" for tag in tags_in(message.text)]

    @property
    def schema(self) -> dict[str, Any] | None:
        """The answer's schema with a title, of the forced tool or a ``<schema>`` tag; None for a free answer."""
        if self.forced_tool is not None:
            function = next(tool["function"] for tool in self.tools if tool["function"]["name"] == self.forced_tool)
            return {**(function.get("parameters") or {"type": "object"}), "title": self.forced_tool}
        schema = next((parse_json(tag.content) for tag in self.tags if tag.name == "schema"), None)
        return schema if isinstance(schema, dict) else None

    def in_schema(self, value: Any) -> AIMessage:
        """The value as a call of the forced tool, or as JSON text if no tool is forced."""
        if self.forced_tool is None:
            return AIMessage(json.dumps(value, ensure_ascii=False))
        return AIMessage("", tool_calls=[tool_call(name=self.forced_tool, args=value, id=None)])


class OfflineChat(LocalChat):
    """A chat model whose answers ``policy`` computes."""

    provider = "offline"
    policy: Policy = Field(exclude=True)
    model: str = "shopper"

    def _answer(self, messages: list[BaseMessage], bound: dict[str, Any]) -> AIMessage:
        return self.policy(messages, bound.get("tools") or [], bound.get("tool_choice"))


_NUMBER = re.compile(r"-?\d+")


def plain_answer(turn: OfflineRequest) -> AIMessage:
    """A filled schema if one is asked for, a call of the first tool if no result has come yet, or else a sentence."""
    last = turn.messages[-1] if turn.messages else None
    question = next((message.text for message in reversed(turn.messages) if message.type == "human"), "")
    if turn.schema is not None:
        shown = " ".join(tag.content for tag in turn.tags if tag.name != "schema")
        return turn.in_schema(filled(turn.schema, shown or question))
    if isinstance(last, ToolMessage):
        return AIMessage(f"The tool answered: {_clipped(last.text)}")
    if turn.tool_names:
        function = turn.tools[0]["function"]
        arguments = filled(function.get("parameters") or {"type": "object"}, question)
        return AIMessage("", tool_calls=[tool_call(name=function["name"], args=arguments, id=None)])
    wrote = f" You wrote: {_clipped(question)}" if question.strip() else ""
    return AIMessage(f"I am a rule-based shopping assistant and only look things up in the shop.{wrote}")


def filled(schema: dict[str, Any], text: str) -> Any:
    """A value that satisfies a JSON schema: only required fields, and the first option of every choice."""
    return _value(schema, schema, text, [int(number) for number in _NUMBER.findall(text)])


def _value(schema: dict[str, Any], root: dict[str, Any], text: str, numbers: list[int]) -> Any:
    """``numbers`` are the text's numbers that are not used yet; ``root`` holds the definitions that ``$ref`` names."""
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
    match schema.get("type", "object"):
        case "object":
            properties: dict[str, Any] = schema.get("properties", {})
            needed = schema.get("required", list(properties))
            return {name: _value(properties[name], root, text, numbers) for name in properties if name in needed}
        case "array":
            return [_value(schema.get("items", {"type": "string"}), root, text, numbers)]
        case "integer" | "number":
            return numbers.pop(0) if numbers else schema.get("minimum", 1)
        case "boolean" | "null" as kind:
            return True if kind == "boolean" else None
        case _:
            return _clipped(text) or "x"


def _clipped(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else words[:79].rsplit(" ", 1)[0] + "…"
