"""What the messages hold: the query, who asks, the shop's today, and every tool result so far."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from drretail.llm.offline.turn import Turn
from drretail.prompts import tag_content

SEARCH = "product_catalog_search"
DETAILS = "get_product_details"
PROFILE = "get_user_profile"
STATISTICS = "get_user_statistics"
ORDERS = "get_user_orders"
ORDER = "get_order_details"
WEB = "web_search"
CALCULATOR = "calculator"
SHOP_TOOLS = frozenset({SEARCH, DETAILS, PROFILE, STATISTICS, ORDERS, ORDER, WEB, CALCULATOR})


_TAG = re.compile(r"</?[A-Za-z][\w-]*>")


@dataclass(frozen=True, slots=True)
class Lookup:
    """One tool call; ``value`` is its parsed result, empty while there is none."""

    name: str
    args: dict[str, Any]
    value: dict[str, Any]

    @property
    def failed(self) -> bool:
        return not self.value or "error" in self.value

    @property
    def error_type(self) -> str | None:
        error = self.value.get("error")
        return error.get("type") if isinstance(error, dict) else None


@dataclass(frozen=True)
class Situation:
    """Everything the shopper knows, derived anew at every turn."""

    query: str
    user_id: str | None
    today: date | None
    stop: str | None
    tools: frozenset[str]
    lookups: tuple[Lookup, ...]
    turns: int
    """Model turns with tool calls so far."""

    def made(self, name: str) -> list[Lookup]:
        """All calls of a tool, failed ones too."""
        return [lookup for lookup in self.lookups if lookup.name == name]

    def found(self, name: str) -> list[Lookup]:
        """The calls of a tool that brought a result."""
        return [lookup for lookup in self.made(name) if not lookup.failed]

    @cached_property
    def unavailable(self) -> frozenset[str]:
        """Tools that were called and never answered."""
        names = {lookup.name for lookup in self.lookups}
        return frozenset(name for name in names if not self.found(name))


def read_situation(turn: Turn) -> Situation | None:
    """The situation; None when the messages ask for no research at all (no query in tags, no tool of the shop)."""
    human = [message.text for message in turn.messages if isinstance(message, HumanMessage)]
    query = _first_tag("query", human)
    # What the shopper wrote is text: a tag in it says nothing about who asks.
    outside = [text.replace(query, "", 1) if query else text for text in human]
    if query is None and not turn.tool_names & SHOP_TOOLS:
        return None
    user_id = (_first_tag("user_id", outside) or "").strip()
    asked = query if query is not None else (human[0] if human else "")
    return Situation(
        query=" ".join(_TAG.sub(" ; ", asked).split()),
        user_id=user_id or None,
        today=_date(_first_tag("today", outside)),
        stop=_first_tag("stop", outside),
        tools=turn.tool_names & SHOP_TOOLS,
        lookups=_lookups(turn.messages),
        turns=sum(isinstance(message, AIMessage) and bool(message.tool_calls) for message in turn.messages),
    )


def _first_tag(tag: str, texts: Sequence[str]) -> str | None:
    return next((content for text in texts if (content := tag_content(tag, text)) is not None), None)


def _date(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text.strip()[:10])
    except ValueError:
        return None


def _lookups(messages: Sequence[BaseMessage]) -> tuple[Lookup, ...]:
    results = {message.tool_call_id: message.text for message in messages if isinstance(message, ToolMessage)}
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return tuple(Lookup(call["name"], call["args"], _parsed(results.get(call["id"] or ""))) for call in calls)


def _parsed(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
