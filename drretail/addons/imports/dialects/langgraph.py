"""LangGraph's threads, and the states of a thread: the one with the most messages counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from drretail.addons.imports.conversation import Conversation, conversation_of, is_message, object_of, text_of
from drretail.addons.imports.dialects.dialect import Dialect, about, longest
from drretail.addons.imports.material import FileRow


def fits(value: Mapping[str, Any]) -> bool:
    return any(map(is_message, _messages(value)))


def group(value: Mapping[str, Any]) -> str:
    places = (object_of(value.get(name)) for name in ("checkpoint", "metadata", "config"))
    inner = object_of(object_of(value.get("config")).get("configurable"))
    return text_of(("thread_id",), value, *places, inner)


def read(rows: Sequence[FileRow]) -> Conversation | None:
    value, messages = longest((row.value for row in rows), _messages)
    fields = about(value, object_of(object_of(value.get("config")).get("configurable"))) | {"id": group(value)}
    return conversation_of(messages, **fields)


def parted(rows: Sequence[FileRow]) -> Sequence[Sequence[FileRow]]:
    """By file, since each assistant counts its own threads from 1."""
    return [[row for row in rows if row.file == file] for file in dict.fromkeys(row.file for row in rows)]


def _messages(value: Mapping[str, Any]) -> list[Any]:
    messages = object_of(value.get("values")).get("messages")
    return messages if isinstance(messages, list) else []


DIALECT = Dialect("LangGraph's threads", ("values", "thread_id", "checkpoint"), fits, read, group, parted)
