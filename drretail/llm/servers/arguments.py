"""The arguments of a request that some servers refuse, and the same request without them."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.runnables import RunnableBinding

from drretail.llm.faults import Fault, causes_of
from drretail.llm.structured import Wrapped

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


def refused_argument(fault: Fault, chat: Any) -> str | None:
    """The argument that the server refuses, if it names one that was sent."""
    cause = fault.error.__cause__
    if fault.status not in REFUSING or fault.error.kind != "model" or cause is None:
        return None
    errors = [*causes_of(cause)]
    complaint = " ".join(_fields_of(errors) or map(str, errors))
    named = (name for name in ARGUMENTS if re.search(rf"\b{name}\b", complaint))
    return next((name for name in named if without(chat, {name}) is not chat), None)


def _fields_of(errors: Iterable[Exception | BaseException]) -> list[str]:
    """The fields that the errors' bodies complain of: OpenAI's "param", and "loc" of pydantic's list; seldom any."""
    bodies: list[Any] = [getattr(error, "body", None) for error in errors]
    stated = [each for body in bodies if isinstance(body, dict) for each in (body, *_listed(body.get("detail")))]
    return [str(field) for each in stated for field in (each.get("param"), each.get("loc")) if field]


def _listed(details: Any) -> list[dict[str, Any]]:
    return [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []


def without(chat: Any, refused: set[str]) -> Any:
    """The chat model, with or without tools or a schema bound, that sends nothing of what is refused."""
    unbound = {name for each in refused for name in ARGUMENTS[each].unbound}
    fields = {name: value for each in refused for name, value in ARGUMENTS[each].fields.items()}

    def other_length(chat: BaseChatModel) -> Mapping[str, Any]:
        body: Mapping[str, Any] = getattr(chat, "extra_body", None) or {}
        for name, other in (LENGTHS, LENGTHS[::-1]):
            if name in refused and other not in refused and name in body:
                return fields | {"extra_body": {other if each == name else each: body[each] for each in body}}
        return fields

    return changed(chat, other_length, unbound)


def changed(chat: Any, fields: Callable[[BaseChatModel], Mapping[str, Any]], unbound: set[str] | None = None) -> Any:
    """The same with other fields of the chat model within, and less bound to it; itself if nothing changes."""
    if isinstance(chat, Wrapped):
        return chat.around(lambda within: changed(within, fields, unbound))
    if isinstance(chat, RunnableBinding):
        kwargs = {name: value for name, value in chat.kwargs.items() if name not in (unbound or ())}
        within = changed(chat.bound, fields, unbound)
        is_same = within is chat.bound and len(kwargs) == len(chat.kwargs)
        return chat if is_same else chat.model_copy(update={"bound": within, "kwargs": kwargs})
    if not isinstance(chat, BaseChatModel):
        return chat
    known = {name: value for name, value in fields(chat).items() if getattr(chat, name, value) != value}
    return chat.model_copy(update=known) if known else chat
