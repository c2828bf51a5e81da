"""OpenAI's stored completions: the completions that the API lists, and the messages that it lists for each of them.

A message's id is that of its completion with a number behind it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from drretail.addons.imports.conversation import Conversation, answered, conversation_of, is_message, text_of
from drretail.addons.imports.dialects.dialect import Dialect, about
from drretail.addons.imports.material import FileRow

_BEGINS = "chatcmpl-"


def fits(value: Mapping[str, Any]) -> bool:
    is_completion = value.get("object") == "chat.completion" and isinstance(value.get("choices"), list)
    return is_completion or (str(value.get("id", "")).startswith(_BEGINS) and is_message(dict(value)))


def group(value: Mapping[str, Any]) -> str:
    key = text_of(("id",), value)
    return key.rpartition("-")[0] if "choices" not in value else key


def read(rows: Sequence[FileRow]) -> Conversation | None:
    listed = sorted((row.value for row in rows if "choices" not in row.value), key=_number)
    completion = next((row.value for row in rows if "choices" in row.value), dict[str, Any]())
    messages = [*listed, *answered(completion)]
    if not listed and isinstance(completion.get("messages"), list):
        messages = [*completion["messages"], *answered({"choices": completion["choices"]})]
    fields = about(completion) | {"id": group(rows[0].value)}
    model = text_of(("model",), completion)
    return conversation_of(messages, completion.get("usage"), model=model, **fields)


def _number(message: Mapping[str, Any]) -> int:
    number = text_of(("id",), message).rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


DIALECT = Dialect("OpenAI's stored completions", ("object", "choices", "request_id"), fits, read, group)
