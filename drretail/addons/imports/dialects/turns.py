"""A message in each row, of JSONL or CSV; the rows of one conversation share its id."""

from collections.abc import Mapping, Sequence
from typing import Any

from drretail.addons.imports.conversation import Conversation, conversation_of, text_of
from drretail.addons.imports.dialects.dialect import IDS, TIMES, Dialect, about, moment_in
from drretail.addons.imports.material import FileRow

ROLE, TEXTS = "role", ("content", "text", "message")
_IDS = tuple(name for name in IDS if name not in ("query_id", "custom_id", "id"))
"""What names a conversation; an "id" is the message's."""


def fits(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get(ROLE), str) and bool(group(value)) and any(name in value for name in TEXTS)


def group(value: Mapping[str, Any]) -> str:
    return text_of(_IDS, value)


def read(rows: Sequence[FileRow]) -> Conversation | None:
    """The messages in the order of their times, or of the rows where one has none."""
    values = [row.value for row in rows]
    moments = [moment for value in values if (moment := moment_in(text_of(TIMES, value))) is not None]
    if len(moments) == len(values):
        values = [value for _, value in sorted(zip(moments, values, strict=True), key=lambda pair: pair[0][0])]
    messages = [value | {"content": next((value[name] for name in TEXTS if value.get(name)), "")} for value in values]
    return conversation_of(messages, model=text_of(("model",), *values), **about(*values, ids=_IDS))


def is_told_apart(value: Mapping[str, Any]) -> bool:
    """Without a time or an id of its own, a message may be said twice: "yes", "yes"."""
    return bool(text_of((*TIMES, "id", "message_id"), value))


DIALECT = Dialect("messages, one a row", (ROLE, "content", "conversation_id"), fits, read, group, merges=is_told_apart)
