"""The content of the messages: the question, who asks, and every tool call so far with its result."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from drretail.llm.offline.chat import Turn
from drretail.parsing import json_or_none

SEARCH, DETAILS, CALCULATOR = "product_catalog_search", "get_product_details", "calculator"
PROFILE, STATISTICS, ORDERS = "get_user_profile", "get_user_statistics", "get_user_orders"
WEB, SEARCH_SANDBOX, READ_FILE = "web_search", "search_sandbox", "read_file"
OF_USER = (PROFILE, STATISTICS, ORDERS)
SHOP_TOOLS = frozenset({SEARCH, DETAILS, CALCULATOR, *OF_USER, "get_order_details", WEB, SEARCH_SANDBOX, READ_FILE})
PICKS_FENCE = "```picks"
"""The start of a block of picks; prompts that ask for declared picks contain it."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """One tool call; ``value`` is its parsed result, empty without one."""

    name: str
    args: dict[str, Any]
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """Everything known of a task, read from the messages again at every turn."""

    question: str
    user_id: str | None = None
    tools: frozenset[str] = frozenset()
    """The tools that may be called now."""
    lookups: tuple[Lookup, ...] = ()
    files: tuple[str, ...] = ()
    """The names of the user's own files."""
    declares: bool = False
    """True if the prompt asks for a block of picks."""

    def found(self, *names: str) -> Iterator[Lookup]:
        """The calls of these tools that returned a result without an error."""
        own = (lookup for lookup in self.lookups if lookup.name in names)
        return (lookup for lookup in own if lookup.value and "error" not in lookup.value)


def read_task(turn: Turn, tags: Mapping[str, str]) -> Task | None:
    """The task of a prompt with these tags; None if there is nothing to research."""
    question = next((tags[name] for name in ("sub_problem", "query", "question") if name in tags), None)
    if question is None and not turn.tool_names & SHOP_TOOLS:
        return None
    first = next((message.text for message in turn.messages if message.type == "human"), "")
    results = {message.tool_call_id: message.text for message in turn.messages if isinstance(message, ToolMessage)}
    calls = (call for message in turn.messages if isinstance(message, AIMessage) for call in message.tool_calls)
    lookups = (Lookup(call["name"], call["args"], parsed(results.get(call["id"] or ""))) for call in calls)
    return Task(
        question=" ".join((first if question is None else question).split()),
        user_id=tags.get("user_id", "").strip() or None,
        tools=turn.tool_names,
        lookups=tuple(lookups),
        # A line names a file and what it is, as "receipts.csv: text, 1,204 characters".
        files=tuple(line.rpartition(": ")[0] for line in tags.get("files", "").splitlines() if ": " in line),
        declares=any(PICKS_FENCE in message.text for message in turn.messages if message.type in ("system", "human")),
    )


def task_of(findings: str) -> Task:
    """The task in a researcher's findings, which are one JSON object per line."""
    entries = [parsed(line) for line in findings.splitlines()]
    part = next((str(entry["sub_problem"]) for entry in entries if "sub_problem" in entry), "")
    lookups = (Lookup(entry["tool"], entry["args"], entry["result"]) for entry in entries if "tool" in entry)
    return Task(part, lookups=tuple(lookups))


def parsed(text: str | None) -> dict[str, Any]:
    """The JSON object in a text; empty for anything else."""
    value = json_or_none(text or "{}")
    return value if isinstance(value, dict) else {}
