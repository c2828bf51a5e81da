"""What servers of open models need: requests without arguments that they refuse, and tool calls read from a text.

``<tool_call>{…}</tool_call>``  Hermes, Qwen, SmolLM2 (a list of calls)
a fenced block of JSON          models that were only told of the tools
{"name": …, "parameters": …}    Llama 3.1, as the whole answer

A text is read as calls only if nothing follows them, every call is of an offered tool with an object of arguments, and
the text declares no picks and frames no report: what a final report says of a call is no call.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call
from langchain_core.runnables import RunnableBinding

from drretail.errors import causes_of
from drretail.grounding.report.picks import is_whole_report, take_picks
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


LONGEST = 20_000
"""Characters of a text that may be calls; the longest call that a model was seen to write had a few hundred."""
_CONTROL = re.compile(r"<\|[a-z_]{1,30}\|>")
_FENCES = frozenset({"", "json", "tool_call", "tool_calls"})
_CLOSINGS = {"<tool_call>": "</tool_call>", "```": "```"}
Call = tuple[str, dict[str, Any]]


def with_calls_read(answer: AIMessage, tools: Sequence[Mapping[str, Any]], turn: int) -> AIMessage:
    """The answer with the calls that its text ends with, and without their text; itself if it has or writes none.

    ``turn`` makes the ids of the calls unique within the conversation.
    """
    if answer.tool_calls or not tools or not isinstance(answer.content, str):
        return answer
    before, calls = calls_in_text(answer.content, {tool["function"]["name"] for tool in tools})
    tool_calls = [tool_call(name=name, args=args, id=f"text_{turn}_{at}") for at, (name, args) in enumerate(calls)]
    return answer.model_copy(update={"content": before, "tool_calls": tool_calls}) if tool_calls else answer


def calls_in_text(text: str, names: set[str]) -> tuple[str, list[Call]]:
    """What stands before the calls, and the calls; the text itself and none if it is not to be read as calls."""
    rest = _CONTROL.sub("", text).strip()
    if len(rest) > LONGEST or not any(name in rest for name in names):
        return text, []
    declared = take_picks(rest)
    if is_whole_report(rest) or declared.picks is not None or declared.problem is not None:
        return text, []
    starts = {at: opening for opening in _CLOSINGS if (at := rest.find(opening)) >= 0}
    at = min(starts, default=0)
    try:
        calls = [*_marked(rest[at:], starts[at])] if starts else [*_of_json(json.loads(rest))]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return text, []
    are_calls = bool(calls) and all(name in names for name, _ in calls)
    return (rest[:at].strip(), calls) if are_calls else (text, [])


def _marked(text: str, opening: str) -> Iterator[Call]:
    """The calls between marks, one after the other up to the text's end; the last mark may be left open.

    Raises ValueError if anything else stands beside them.
    """
    while text:
        if not text.startswith(opening):
            raise ValueError("other text")
        body, _, text = text[len(opening) :].partition(_CLOSINGS[opening])
        language, _, content = body.partition("\n") if opening == "```" else ("", "", body)
        if language.strip() not in _FENCES:
            raise ValueError("a block of something else")
        text = text.strip()
        yield from _of_json(json.loads(content))


def _of_json(value: Any) -> Iterator[Call]:
    for item in value if isinstance(value, list) else [value]:
        call = item.get("function", item) if isinstance(item.get("function"), dict) else item
        arguments = call["arguments"] if "arguments" in call else call["parameters"]
        if not isinstance(call["name"], str):
            raise ValueError("no name")
        yield call["name"], _object(arguments) if isinstance(arguments, str) else _object(json.dumps(arguments))


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("no object of arguments")
    return value
