"""What each role's model was sent and answered, as chat JSONL: one conversation per role of a run, from its journal."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from drretail.addons.exports.chat import about, chat_call, message_text, write_chats
from drretail.addons.exports.selection import Chosen, Selection
from drretail.experiment import read_journal
from drretail.journal import Effect
from drretail.records.base import canonical_json

_ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


def write(selection: Selection, to: Path) -> str:
    """Writes one line per conversation of a run with a model."""
    return write_chats(selection, to, _lines, "without a journal")


def _lines(chosen: Chosen) -> Iterator[dict[str, Any]]:
    for last in last_requests(read_journal(chosen.folder)):
        messages = [_chat_message(message) for message in last.request["messages"]]
        messages.append(_chat_message((last.response or {}) | {"role": "ai"}))
        place = {"role": last.role or "", "path": last.scope, "model": str(last.request["model"])}
        tools = last.request.get("tools") or _answering(last)
        yield {"messages": messages, "tools": tools, **place, **about(chosen)}


def last_requests(effects: Iterable[Effect]) -> Iterator[Effect]:
    """The last request of each conversation in a run's journal, which holds all before it, in the order in which they
    began. A request that continues an earlier one belongs to the same conversation.
    """
    open_ones: dict[tuple[str, str], list[list[Effect]]] = {}
    begun: list[list[Effect]] = []
    for effect in effects:
        if effect.kind != "model" or effect.response is None:
            continue
        threads = open_ones.setdefault((effect.scope, effect.role or ""), [])
        # A request that begins with the messages of an earlier one continues its conversation.
        messages = effect.request["messages"]
        earlier = ((thread, thread[-1].request["messages"]) for thread in reversed(threads))
        goes_on = (
            thread
            for thread, before in earlier
            if len(messages) > len(before) and canonical_json(messages[: len(before)]) == canonical_json(before)
        )
        thread = next(goes_on, None)
        if thread is None:
            thread = []
            threads.append(thread)
            begun.append(thread)
        thread.append(effect)
    yield from (thread[-1] for thread in begun)


def _chat_message(message: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"role": _ROLES[message["role"]], "content": message_text(message.get("content"))}
    if message.get("tool_calls"):
        made["tool_calls"] = [chat_call(each["id"], each["name"], each["args"]) for each in message["tool_calls"]]
    return made | {key: message[key] for key in ("tool_call_id",) if key in message}


def _answering(last: Effect) -> list[dict[str, Any]]:
    """The schema that an answer had to fit, as the tool through which the provider received it."""
    schema, called = last.request.get("schema"), (last.response or {}).get("tool_calls") or ()
    if schema is None:
        return []
    about = {"description": schema.get("description", ""), "parameters": schema}
    return [{"type": "function", "function": {"name": call["name"], **about}} for call in called[:1]]
