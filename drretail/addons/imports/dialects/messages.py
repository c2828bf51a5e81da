"""Chat messages: a conversation in each row, in the forms of OpenAI, Anthropic and LangChain."""

from collections.abc import Mapping, Sequence
from typing import Any

from drretail.addons.imports.conversation import Conversation, conversation_of, is_message, list_of, text_of
from drretail.addons.imports.dialects import questions
from drretail.addons.imports.dialects.dialect import Dialect, about
from drretail.addons.imports.material import FileRow


def fits(value: Mapping[str, Any]) -> bool:
    return any(map(is_message, list_of(value.get("messages"))))


def read(rows: Sequence[FileRow]) -> Conversation | None:
    value = rows[0].value
    conversation = conversation_of(
        list_of(value["messages"]), value.get("usage"), model=text_of(("model",), value), **about(value)
    )
    if questions.fits(value):
        conversation.unread["a question and its answer beside messages, which are read instead"] += 1
    return conversation


DIALECT = Dialect("chat messages", ("messages",), fits, read)
