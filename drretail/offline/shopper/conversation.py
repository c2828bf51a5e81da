"""What the messages hold: the data in tags, who asks, and every tool call so far with its result."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from drretail.offline.chat import Turn
from drretail.parsing import parse_json

SEARCH = "product_catalog_search"
DETAILS = "get_product_details"
PROFILE = "get_user_profile"
STATISTICS = "get_user_statistics"
ORDERS = "get_user_orders"
WEB = "web_search"
CALCULATOR = "calculator"
SHOP_TOOLS = frozenset({SEARCH, DETAILS, PROFILE, STATISTICS, ORDERS, "get_order_details", WEB, CALCULATOR})
SEARCH_SANDBOX, READ_FILE = "search_sandbox", "read_file"
ERRANDS = frozenset({SEARCH_SANDBOX, READ_FILE})

_NAMES = (
    "query|user_id|today|stop|turns|sub_problem|profile|owned|wish|findings|reports|report|problems|problem|search|"
    "page|schema|question|files|file"
)
# At the beginning of a line, as data is put into prompts; "`<query>`" within a sentence only speaks of the tag.
_TAG = re.compile(
    rf"^<(?P<name>{_NAMES})(?P<attributes>(?:\s+\w+=\"[^\"\n]*\")*)>\n?(?P<content>.*?)\n?</(?P=name)>",
    re.DOTALL | re.MULTILINE,
)
_ATTRIBUTE = re.compile(r"(\w+)=\"([^\"\n]*)\"")
_MARKUP = re.compile(r"</?[A-Za-z][\w-]*>")


@dataclass(frozen=True, slots=True)
class Tagged:
    content: str
    attributes: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Lookup:
    """One tool call; ``value`` is its parsed result, empty while there is none."""

    name: str
    args: dict[str, Any]
    value: dict[str, Any]

    @property
    def failed(self) -> bool:
        return not self.value or "error" in self.value


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything the shopper knows, derived anew at every turn."""

    query: str
    user_id: str | None = None
    tools: frozenset[str] = frozenset()
    """Those of the shop that may be called now."""
    errands: frozenset[str] = frozenset()
    """Those by which others are sent."""
    lookups: tuple[Lookup, ...] = ()
    turns: int = 0
    """Model turns with tool calls so far."""
    must_write: bool = False
    declares: bool = False
    """True when the prompt speaks of a block of picks."""
    of_a_team: bool = False
    """True for a researcher of a part: general advice is another's."""
    relayed: bool = False
    """True when the look-ups are others', known from their reports only: then all that is known was searched."""
    ruled_out: frozenset[str] = frozenset()
    """Products that turned out to be no good choice."""

    def found(self, name: str) -> list[Lookup]:
        """The calls of a tool that brought a result."""
        return [lookup for lookup in self.lookups if lookup.name == name and not lookup.failed]

    def never_answered(self, name: str) -> bool:
        return not self.found(name)


def read_tags(messages: Sequence[BaseMessage]) -> dict[str, Tagged]:
    """The outermost tags of all human messages by name, the first of each; a tag inside another is its text."""
    found: dict[str, Tagged] = {}
    for message in messages:
        if isinstance(message, HumanMessage):
            for match in _TAG.finditer(message.text):
                tag = Tagged(match["content"], dict(_ATTRIBUTE.findall(match["attributes"])))
                found.setdefault(match["name"], tag)
    return found


def read_situation(turn: Turn, tags: dict[str, Tagged]) -> Situation | None:
    """The situation; None when the messages ask for no research at all (no task in tags, no tool of the shop)."""
    task = tags.get("query") or tags.get("sub_problem")
    if task is None and not turn.tool_names & SHOP_TOOLS:
        return None
    first = next((message.text for message in turn.messages if isinstance(message, HumanMessage)), "")
    return Situation(
        query=plain_text(first if task is None else task.content),
        user_id=tags["user_id"].content.strip() or None if "user_id" in tags else None,
        tools=turn.tool_names & SHOP_TOOLS,
        errands=turn.tool_names & ERRANDS,
        lookups=_lookups(turn.messages),
        turns=sum(isinstance(message, AIMessage) and bool(message.tool_calls) for message in turn.messages),
        must_write="stop" in tags,
        of_a_team="sub_problem" in tags,
        declares=any("picks" in message.text for message in turn.messages if not isinstance(message, ToolMessage)),
    )


def plain_text(text: str) -> str:
    """A task on one line, without tags that somebody wrote into it."""
    return " ".join(_MARKUP.sub(" ; ", text).split())


def parsed(text: str | None) -> dict[str, Any]:
    """A JSON object; empty for anything else."""
    try:
        value = parse_json(text or "{}")
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _lookups(messages: Sequence[BaseMessage]) -> tuple[Lookup, ...]:
    results = {message.tool_call_id: message.text for message in messages if isinstance(message, ToolMessage)}
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return tuple(Lookup(call["name"], call["args"], parsed(results.get(call["id"] or ""))) for call in calls)
