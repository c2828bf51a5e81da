"""Conversations with models as chat JSONL: what fine-tuning takes (OpenAI's chat format, with tools)."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drretail.experiment import read_journal, read_results
from drretail.exports.selection import Chosen, Selection
from drretail.files import write_lines
from drretail.journal import Effect
from drretail.records.base import canonical_json
from drretail.records.query import Query
from drretail.records.run import Run
from drretail.tables.figures import counted

_ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


def write(selection: Selection, to: Path) -> str:
    """Writes one line per conversation: messages, tools, and which run it belongs to. A run of an agent with several
    roles has several lines.
    """
    totals = {"runs": 0, "lines": 0}

    def lines() -> Iterator[str]:
        for chosen in selection:
            rows = (selection.shown(line, chosen.query.query_id) for line in _lines(chosen))
            of_run = [json.dumps(row, ensure_ascii=False) for row in rows]
            totals["runs"] += bool(of_run)
            totals["lines"] += len(of_run)
            selection.left_out["without a journal"] += not of_run
            yield from of_run
        if not totals["lines"]:
            raise selection.nothing_left()

    write_lines(to, lines())
    return f"{counted(totals['lines'], 'conversation')} of {counted(totals['runs'], 'run')}"


def _lines(chosen: Chosen) -> Iterator[dict[str, Any]]:
    run = chosen.run
    scores = {f"{score.metric} {score.variant}": score.value for score in chosen.got if score.value is not None}
    about = {"run_id": run.run_id, "system": run.system, "query_id": run.query_id, "repeat": run.repeat}
    for conversation in conversations(run, chosen.query, chosen.folder):
        place = {"role": conversation.role, "path": conversation.path, "model": conversation.model}
        yield {"messages": conversation.messages, "tools": conversation.tools, **about, **place, "scores": scores}


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation with a model, in OpenAI's form of chat messages."""

    role: str
    """What the model was for: researcher, report …"""
    path: str
    """The place in the run: "0" for the agent itself, "0.2" for the second agent that it launched."""
    model: str
    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...]


def conversations(run: Run, query: Query, folder: Path) -> list[Conversation]:
    """All conversations of a run in the order in which they began, each up to its last answer.

    A request that continues an earlier one belongs to the same conversation. A run whose model speaks elsewhere (over
    MCP, in a command or behind an address) gives one conversation: the question, its tool calls with their results, and
    its report. A run that called models here and has lost its journal gives none.
    """
    effects = [effect for effect in read_journal(folder) if effect.kind == "model"]
    found = list(_conversations(effects))
    if found or run.usage:  # it asked models here; without its journal, the conversation is lost
        return found
    results = read_results(folder)
    messages: list[dict[str, Any]] = [{"role": "user", "content": query.text}]
    for number, step in enumerate(step for step in run.steps if step.kind == "tool"):
        call_id = f"call_{number}"
        messages.append(
            {"role": "assistant", "content": "", "tool_calls": [_call(call_id, step.name or "", step.args or {})]}
        )
        result = results.get(step.result_sha or "", step.error or "")
        messages.append({"role": "tool", "tool_call_id": call_id, "content": result})
    if run.report is not None:
        messages.append({"role": "assistant", "content": run.report})
    return [Conversation("", "0", "", tuple(messages), ())]


def _conversations(effects: Sequence[Effect]) -> Iterator[Conversation]:
    open_ones: dict[tuple[str, str], list[list[Effect]]] = {}
    begun: list[list[Effect]] = []
    for effect in effects:
        if effect.response is None:
            continue
        threads = open_ones.setdefault((effect.scope, effect.role or ""), [])
        # A request that begins with the messages of an earlier one continues its conversation.
        asked = effect.request["messages"]
        earlier = ((thread, thread[-1].request["messages"]) for thread in reversed(threads))
        goes_on = (
            thread
            for thread, before in earlier
            if len(asked) > len(before) and canonical_json(asked[: len(before)]) == canonical_json(before)
        )
        thread = next(goes_on, None)
        if thread is None:
            thread = []
            threads.append(thread)
            begun.append(thread)
        thread.append(effect)
    for last in (thread[-1] for thread in begun):
        messages: list[dict[str, Any]] = []
        for message in (*last.request["messages"], last.response | {"role": "ai"}):
            made: dict[str, Any] = {"role": _ROLES[message["role"]], "content": message_text(message.get("content"))}
            if message.get("tool_calls"):
                made["tool_calls"] = [_call(each["id"], each["name"], each["args"]) for each in message["tool_calls"]]
            if "tool_call_id" in message:
                made["tool_call_id"] = message["tool_call_id"]
            messages.append(made)
        tools = tuple(last.request.get("tools") or _answering(last))
        yield Conversation(last.role or "", last.scope, str(last.request["model"]), tuple(messages), tools)


def _answering(last: Effect) -> list[dict[str, Any]]:
    """The schema that an answer had to fit, as the tool through which the provider received it."""
    schema, called = last.request.get("schema"), (last.response or {}).get("tool_calls") or ()
    if schema is None:
        return []
    about = {"description": schema.get("description", ""), "parameters": schema}
    return [{"type": "function", "function": {"name": call["name"], **about}} for call in called[:1]]


def message_text(content: Any) -> str:
    """The words of a message, without what a provider puts beside them (thoughts, marks of its cache)."""
    if isinstance(content, str) or content is None:
        return content or ""
    return "".join(part if isinstance(part, str) else part.get("text", "") for part in content)


def _call(call_id: str, name: str, args: Any) -> dict[str, Any]:
    arguments = json.dumps(args, ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
