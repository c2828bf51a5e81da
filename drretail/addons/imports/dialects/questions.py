"""A question and its answer in each row, of JSONL or CSV."""

from collections.abc import Mapping, Sequence
from typing import Any

from drretail.addons.imports.conversation import ASSISTANT, Conversation, Message, text_of
from drretail.addons.imports.dialects.dialect import Dialect, about
from drretail.addons.imports.material import Row

QUESTION, ANSWER = "question", "answer"


def fits(value: Mapping[str, Any]) -> bool:
    question = value.get(QUESTION)
    return isinstance(question, str) and bool(question.strip()) and ANSWER in value


def read(rows: Sequence[Row]) -> Conversation | None:
    value = rows[0].value
    messages = [Message("user", text_of((QUESTION,), value)), Message(ASSISTANT, text_of((ANSWER,), value))]
    return Conversation(messages, model=text_of(("model",), value) or None, **about(value))


DIALECT = Dialect("questions and answers", (QUESTION, ANSWER), fits, read)
