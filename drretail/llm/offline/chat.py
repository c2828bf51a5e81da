"""A langchain chat model whose answers are a pure function, the policy, of the messages and the bound tools."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import tool_call
from pydantic import Field

from drretail.llm.scripted.local import LocalChat
from drretail.parsing import parse_json

Policy = Callable[[Sequence[BaseMessage], list[dict[str, Any]], Any], AIMessage]
"""Maps (messages, bound tools in OpenAI's form, tool choice as langchain passes it) to the answer."""
_TAG = re.compile(r"<(?P<name>[a-z_]+)(?P<attributes>\s[^<>\n]*)?>\n(?P<content>.*?)\n</(?P=name)>", re.DOTALL)
_ATTRIBUTE = re.compile(r"\b(\w++)=\"([^\"\n]*)\"")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tagged piece of data in a prompt, as ``drretail.llm.prompts.prompt.tagged`` writes it."""

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
class Turn:
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
        """The answer's schema with a title: the forced tool's, or that of a ``<schema>`` tag. None if the answer is
        free.
        """
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
