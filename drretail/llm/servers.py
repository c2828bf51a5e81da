"""What servers of open models need: requests without arguments that they refuse, and tool calls read from a text.

``<tool_call>{…}</tool_call>``             Hermes, Qwen, SmolLM2 (a list of calls), Qwen Coder (``<function=…>`` inside)
``<function=name>{…}</function>``          Llama 3.1, and with ``<parameter=…>`` Qwen Coder
``[TOOL_CALLS]`` [{…}] or name[ARGS]{…}    Mistral
a fenced block of JSON                     models that were only told of the tools
{"name": …, "parameters": …}, [name(…)]    Llama 3.1 and 3.2, as the whole answer

A text is read as calls only if nothing follows them, every call is of an offered tool with an object of arguments, and
the text declares no picks and frames no report: what a final report says of a call is no call.
"""

import ast
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
from drretail.llm.faults import Fault
from drretail.llm.structured import THOUGHT, Wrapped

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
    # What the errors' bodies complain of, if they say so: OpenAI's "param", and "loc" of pydantic's list.
    errors, stated = [*causes_of(cause)], list[dict[str, Any]]()
    for error in errors:
        body: dict[str, Any] | None = getattr(error, "body", None)
        if isinstance(body, dict):
            details: Any = body.get("detail")
            listed: list[Any] = details if isinstance(details, list) else []
            stated += [body, *(each for each in listed if isinstance(each, dict))]
    fields = [str(field) for each in stated for field in (each.get("param"), each.get("loc")) if field]
    complaint = " ".join(fields or map(str, errors))
    named = (name for name in ARGUMENTS if re.search(rf"\b{name}\b", complaint))
    return next((name for name in named if without(chat, {name}) is not chat), None)


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
                return fields | {"extra_body": {other if each == name else each: body[each] for each in body}}
        return fields

    return changed(chat, other_length, unbound)


def changed(chat: Any, fields: Callable[[BaseChatModel], Mapping[str, Any]], unbound: set[str] | None = None) -> Any:
    """The same with other fields of the chat model within, and less bound to it; itself if nothing changes."""
    if isinstance(chat, Wrapped):
        return chat.around(lambda within: changed(within, fields))  # unbound, nothing would ask for its form
    if isinstance(chat, RunnableBinding):
        kwargs = {name: value for name, value in chat.kwargs.items() if name not in (unbound or ())}
        within = changed(chat.bound, fields, unbound)
        is_same = within is chat.bound and len(kwargs) == len(chat.kwargs)
        return chat if is_same else chat.model_copy(update={"bound": within, "kwargs": kwargs})
    if not isinstance(chat, BaseChatModel):
        return chat
    known = {name: value for name, value in fields(chat).items() if getattr(chat, name, value) != value}
    return chat.model_copy(update=known) if known else chat


LONGEST = 20_000
"""Characters of a text that may be calls; the longest call that a model was seen to write had a few hundred."""
_CONTROL = re.compile(r"<\|[a-z_]{1,30}\|>")
_FENCES = frozenset({"", "json", "tool_call", "tool_calls"})
Call = tuple[str, dict[str, Any]]


def with_calls_read(answer: AIMessage, tools: Sequence[Mapping[str, Any]], turn: int) -> AIMessage:
    """The answer with the calls that its text ends with, and without their text; itself if it has or writes none.

    ``turn`` makes the ids of the calls unique within the conversation.
    """
    if answer.tool_calls or not tools or not isinstance(answer.content, str):
        return answer
    before, calls = calls_in_text(answer.content, {tool["function"]["name"] for tool in tools})
    made = [tool_call(name=name, args=args, id=f"text_{turn}_{at}") for at, (name, args) in enumerate(calls)]
    return answer.model_copy(update={"content": before, "tool_calls": made}) if made else answer


def calls_in_text(text: str, names: set[str]) -> tuple[str, list[Call]]:
    """What stands before the calls, and the calls; the text itself and none if it is not to be read as calls."""
    rest = _CONTROL.sub("", THOUGHT.sub(r"\1", text)).strip()
    if len(rest) > LONGEST or not any(name in rest for name in names):
        return text, []
    declared = take_picks(rest)
    if is_whole_report(rest) or declared.picks is not None or declared.problem is not None:
        return text, []
    starts = {at: opening for opening in _OPENINGS if (at := rest.find(opening)) >= 0}
    at = min(starts, default=0)
    read = _OPENINGS[starts[at]] if starts else _whole
    try:
        calls = [*read(rest[at:])]
    except (ValueError, LookupError, TypeError, AttributeError, SyntaxError, RecursionError, MemoryError):
        return text, []
    are_calls = bool(calls) and all(name in names for name, _ in calls)
    return (rest[:at].strip(), calls) if are_calls else (text, [])


def _tagged(text: str) -> Iterator[Call]:
    for body in _bodies(text, "<tool_call>", "</tool_call>"):
        yield from _functions(body) if body.startswith("<function=") else _of_json(json.loads(body))


def _functions(text: str) -> Iterator[Call]:
    for body in _bodies(text, "<function=", "</function>"):
        name, _, arguments = body.partition(">")
        arguments = arguments.strip()
        is_tagged = arguments.startswith("<parameter=") or not arguments
        yield name.strip(), (_parameters if is_tagged else _object)(arguments)


def _parameters(text: str) -> dict[str, Any]:
    parameters = [body.partition(">") for body in _bodies(text, "<parameter=", "</parameter>")]
    return {name.strip(): _value(value.strip()) for name, _, value in parameters}


def _value(text: str) -> Any:
    """A number, list or truth value where the text is one in JSON; the text itself otherwise."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    # Ids of orders are digits with leading zeros, which JSON refuses; those without are texts all the same.
    return text if isinstance(value, int) and not isinstance(value, bool) and len(text) > 6 else value


def _bracketed(text: str) -> Iterator[Call]:
    rest = text.removeprefix("[TOOL_CALLS]").strip()
    if rest.startswith(("[", "{")):
        yield from _of_json(json.loads(rest))
        return
    for part in filter(None, rest.split("[TOOL_CALLS]")):
        name, _, arguments = part.partition("[ARGS]")
        yield name.strip(), _object(arguments)


def _fenced(text: str) -> Iterator[Call]:
    for body in _bodies(text, "```", "```"):
        language, _, content = body.partition("\n")
        if language.strip() not in _FENCES:
            raise ValueError("a block of something else")
        yield from _of_json(json.loads(content))


def _whole(text: str) -> Iterator[Call]:
    if text.startswith("{"):
        yield from _of_json(json.loads(text))
        return
    tree = ast.parse(text, mode="eval").body
    for call in tree.elts if isinstance(tree, ast.List) else []:
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError("no list of calls")
        yield call.func.id, {str(each.arg): ast.literal_eval(each.value) for each in call.keywords if each.arg}


_OPENINGS: Mapping[str, Callable[[str], Iterator[Call]]] = {
    "<tool_call>": _tagged,
    "<function=": _functions,
    "[TOOL_CALLS]": _bracketed,
    "```": _fenced,
}


def _bodies(text: str, opening: str, closing: str) -> Iterator[str]:
    """What stands between the marks, one after the other up to the text's end; the last may be left open.

    Raises ValueError if anything else stands beside them.
    """
    rest = text.strip()
    while rest:
        if not rest.startswith(opening):
            raise ValueError("other text")
        body, _, rest = rest[len(opening) :].partition(closing)
        rest = rest.strip()
        yield body.strip()


def _of_json(value: Any) -> Iterator[Call]:
    for each in value if isinstance(value, list) else [value]:
        call = each.get("function", each) if isinstance(each.get("function"), dict) else each
        arguments = call["arguments"] if "arguments" in call else call["parameters"]
        if not isinstance(call["name"], str):
            raise ValueError("no name")
        yield call["name"], _object(arguments) if isinstance(arguments, str) else _object(json.dumps(arguments))


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("no object of arguments")
    return value
