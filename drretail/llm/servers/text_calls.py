"""Tool calls that a model wrote into its text, since its server has no parser for the form it was trained on.

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
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call

from drretail.grounding.report.picks import is_whole_report, take_picks
from drretail.llm.structured import THOUGHT

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
    rest = _CONTROL.sub("", THOUGHT.sub("", text)).strip()
    if len(rest) > LONGEST or not any(name in rest for name in names) or _is_report(rest):
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


def _is_report(text: str) -> bool:
    declared = take_picks(text)
    return is_whole_report(text) or declared.picks is not None or declared.problem is not None


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
