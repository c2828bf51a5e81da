"""What servers of open models refuse, and requests without it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.runnables import RunnableBinding

from drretail.errors import causes_of
from drretail.llm.faults import NoAnswer, body_of

REFUSING = frozenset({400, 422, 500, 501})
"""Statuses with which an argument is refused. llama-cpp-python answers 500 to all that its own types don't know."""
LENGTHS = ("max_tokens", "max_completion_tokens")
"""The two names that OpenAI's protocol has for the longest answer: a server that refuses one takes the other."""


@dataclass(frozen=True, slots=True)
class Argument:
    """How a request does without one argument."""

    unbound: tuple[str, ...] = ()
    """What is no longer bound to the chat model."""
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Other values of the chat model's fields."""


ARGUMENTS: Mapping[str, Argument] = {
    "parallel_tool_calls": Argument(unbound=("parallel_tool_calls",)),
    # A server that can't be told to call no tool is shown none in a turn that may not call any.
    "tool_choice": Argument(unbound=("tool_choice", "tools")),
    "stream_options": Argument(fields={"stream_usage": False}),
    "temperature": Argument(fields={"temperature": None}),
    "seed": Argument(fields={"seed": None}),
    LENGTHS[0]: Argument(),
    LENGTHS[1]: Argument(),
}
"""By the name that refusals give them."""


def refused_argument(fault: NoAnswer, chat: Any) -> str | None:
    """The argument that the server refuses, if it names one that was sent."""
    cause = fault.error.__cause__
    if fault.status not in REFUSING or fault.error.kind != "model" or cause is None:
        return None
    # OpenAI's "param" is surer than the sentence, which may name what was sent beside it.
    named_by = [str(param) for error in causes_of(cause) if (param := body_of(error).get("param"))]
    complaint = " ".join(named_by or map(str, causes_of(cause)))
    arguments = (name for name in ARGUMENTS if re.search(rf"\b{name}\b", complaint))
    return next((name for name in arguments if without(chat, {name}) is not chat), None)


def without(chat: Any, refused: set[str]) -> Any:
    """The chat model, with or without tools or a schema bound, that sends nothing of what is refused."""
    if not refused:
        return chat
    unbound = {name for each in refused for name in ARGUMENTS[each].unbound}
    fields = {name: value for each in refused for name, value in ARGUMENTS[each].fields.items()}

    def other_length(chat: BaseChatModel) -> Mapping[str, Any]:
        body: Mapping[str, Any] = getattr(chat, "extra_body", None) or {}
        for name, other in (LENGTHS, LENGTHS[::-1]):
            if name in refused and other not in refused and name in body:
                return fields | {"extra_body": {other if key == name else key: body[key] for key in body}}
        return fields

    return changed(chat, other_length, unbound)


def changed(chat: Any, fields: Callable[[BaseChatModel], Mapping[str, Any]], unbound: set[str]) -> Any:
    """The same with other fields of the chat model within, and less bound to it; itself if nothing changes."""
    if isinstance(chat, RunnableBinding):
        is_form = "ls_structured_output_format" in chat.kwargs  # without its tool, nothing would ask for the form
        kwargs = {name: value for name, value in chat.kwargs.items() if is_form or name not in unbound}
        within = changed(chat.bound, fields, unbound)
        is_same = within is chat.bound and len(kwargs) == len(chat.kwargs)
        return chat if is_same else chat.model_copy(update={"bound": within, "kwargs": kwargs})
    if not isinstance(chat, BaseChatModel):
        return chat
    changes = {name: value for name, value in fields(chat).items() if getattr(chat, name, value) != value}
    return chat.model_copy(update=changes) if changes else chat
