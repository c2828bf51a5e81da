"""What the messages hold: the query, who asks, the shop's today, and every tool result so far."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from pydantic import ValidationError

from drretail.llm.offline.shopper.tags import Tagged, read_tags
from drretail.offline.chat import Turn
from drretail.records.query import Constraints

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
    """Those of the shop that may be called now."""
    lookups: tuple[Lookup, ...]
    turns: int = 0
    """Model turns with tool calls so far."""
    given: Constraints | None = None
    """Constraints that were read from the whole query, for a researcher of a part of it."""
    profile: str = ""
    """What the agent says of the shopper, without evidence ids."""
    offered: frozenset[str] = frozenset()
    """All tools of the conversation, those too that may not be called any more."""
    relayed: bool = False
    """True when the lookups are others', known from their reports only."""
    lacked: frozenset[str] = frozenset()
    """Tools that those others say they did not have."""

    def made(self, name: str) -> list[Lookup]:
        """All calls of a tool, failed ones too."""
        return [lookup for lookup in self.lookups if lookup.name == name]

    def found(self, name: str) -> list[Lookup]:
        """The calls of a tool that brought a result."""
        return [lookup for lookup in self.made(name) if not lookup.failed]

    def could_not(self, name: str) -> bool:
        """True when nobody had this tool: it was neither offered nor ever called."""
        return not self.made(name) and (name in self.lacked if self.relayed else name not in self.offered)

    @cached_property
    def unavailable(self) -> frozenset[str]:
        """Tools that were called and never answered."""
        names = {lookup.name for lookup in self.lookups}
        return frozenset(name for name in names if not self.found(name))


def read_situation(turn: Turn) -> Situation | None:
    """The situation; None when the messages ask for no research at all (no task in tags, no tool of the shop)."""
    tags = read_tags(turn.messages)
    task = tags.get("query") or tags.get("sub_problem")
    if task is None and not turn.tool_names & SHOP_TOOLS:
        return None
    first = next((message.text for message in turn.messages if isinstance(message, HumanMessage)), "")
    return Situation(
        query=plain_text(first if task is None else task.content),
        user_id=_content(tags, "user_id").strip() or None,
        today=_date(_content(tags, "today")),
        stop=tags["stop"].content if "stop" in tags else None,
        tools=turn.tool_names & SHOP_TOOLS,
        lookups=_lookups(turn.messages),
        turns=sum(isinstance(message, AIMessage) and bool(message.tool_calls) for message in turn.messages),
        given=_constraints(_content(tags, "constraints")),
        profile=_content(tags, "profile"),
        offered=frozenset(tool["function"]["name"] for tool in turn.tools),
    )


def plain_text(text: str) -> str:
    """A task on one line, without tags that somebody wrote into it."""
    return " ".join(_TAG.sub(" ; ", text).split())


def parsed(text: str | None) -> dict[str, Any]:
    """A JSON object; empty for anything else."""
    try:
        value = json.loads(text or "{}")
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _content(tags: dict[str, Tagged], name: str) -> str:
    return tags[name].content if name in tags else ""


def _constraints(text: str) -> Constraints | None:
    """Constraints that an agent has read for its researchers; None where there are none, or in another form."""
    try:
        return Constraints.model_validate(parsed(text)) if text.strip() else None
    except ValidationError:
        return None


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        return None


def _lookups(messages: Sequence[BaseMessage]) -> tuple[Lookup, ...]:
    results = {message.tool_call_id: message.text for message in messages if isinstance(message, ToolMessage)}
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return tuple(Lookup(call["name"], call["args"], parsed(results.get(call["id"] or ""))) for call in calls)
