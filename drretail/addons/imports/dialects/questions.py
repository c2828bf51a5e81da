"""A question and its answer in each row, of JSONL or CSV."""

from collections.abc import Mapping, Sequence
from typing import Any

from drretail.addons.imports.conversation import ASSISTANT, Conversation, conversation_of, text_of
from drretail.addons.imports.dialects.dialect import Dialect, about
from drretail.addons.imports.material import FileRow

QUESTION, ANSWER = "question", "answer"
_ROLES = (("user", QUESTION), (ASSISTANT, ANSWER))


def fits(value: Mapping[str, Any]) -> bool:
    question = value.get(QUESTION)
    return isinstance(question, str) and bool(question.strip()) and ANSWER in value


def read(rows: Sequence[FileRow]) -> Conversation | None:
    value = rows[0].value
    question, answer = ({"role": role, "content": value[name]} for role, name in _ROLES)
    return conversation_of([question, answer], model=text_of(("model",), value), **about(value))


DIALECT = Dialect("questions and answers", (QUESTION, ANSWER), fits, read)
