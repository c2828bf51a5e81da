"""A conversation with an assistant: messages in any form that providers write, its turns, and who had it when."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from drretail.grounding.text.untrusted import visible
from drretail.parsing import json_or_none
from drretail.records.run import Usage

ASSISTANT = "assistant"
"""The role of the model behind all steps of a log."""
_ROLES = {
    **{"human": "user", "customer": "user", "HumanMessage": "user"},
    **{"bot": ASSISTANT, "ai": ASSISTANT, "model": ASSISTANT, "AIMessage": ASSISTANT, "AIMessageChunk": ASSISTANT},
    **{"function": "tool", "ToolMessage": "tool", "SystemMessage": "system"},
}
READ_ROLES = frozenset({"user", ASSISTANT, "tool", "system", "developer"})
_UNSEEN_ITEMS = frozenset({"reasoning", "item_reference"})
"""Items of OpenAI's responses that are neither words nor calls."""
_ASKED = ("messages", "input", "contents", "prompt", "question", "query", "chat_history", "body")
_ANSWERED = (
    "messages",
    "choices",
    "output",
    "generations",
    "candidates",
    "message",
    "answer",
    "content",
    "text",
    "body",
)
"""The fields under which requests and responses hold their messages, in the order in which they are looked at."""


@dataclass(frozen=True, slots=True)
class _Message:
    """One message of a conversation."""

    role: str
    text: str = ""
    calls: tuple[tuple[str, str, Any], ...] = ()
    """An assistant's calls: the id, name and arguments of each."""
    results: tuple[tuple[str, str, bool], ...] = ()
    """Tools' results: the id of the call, the text, and whether it is an error."""


@dataclass(slots=True)
class Conversation:
    """The messages of one conversation, with what its log says of it."""

    messages: list[_Message]
    id: str = ""
    user: str = ""
    time: str = ""
    agent: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str | None = None


def text_of(names: Sequence[str], *values: Any) -> str:
    """The first of these fields of the first of these objects that holds words or a number, stripped."""
    for value in values:
        for name in names if isinstance(value, dict) else ():
            text = value.get(name, value.get(name.casefold()))  # columns of CSV have lost their capitals
            if isinstance(text, int | float) and not isinstance(text, bool):
                return str(text)
            if isinstance(text, str) and text.strip():
                return text.strip()
    return ""


def object_of(value: Any) -> dict[str, Any]:
    """The object, or the one that a text holds as JSON; empty for anything else."""
    value = json_or_none(value) if isinstance(value, str) else value
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The list, or the one that a text holds as JSON; empty for anything else."""
    value = json_or_none(value) if isinstance(value, str) else value
    return cast("list[Any]", value) if isinstance(value, list) else []


def asked(value: Any) -> list[dict[str, Any]]:
    """The messages of a request: a text is the user's."""
    return _messages_in(value, "user", _ASKED)


def answered(value: Any) -> list[dict[str, Any]]:
    """The messages of a response: a text is the assistant's."""
    return _messages_in(value, ASSISTANT, _ANSWERED)


def _messages_in(value: Any, role: str, names: Sequence[str]) -> list[dict[str, Any]]:
    if isinstance(value, str):
        inner = json_or_none(value)
        if isinstance(inner, dict | list) and (messages := _messages_in(inner, role, names)):
            return messages
        return [{"role": role, "content": value}] if value.strip() else []
    if isinstance(value, list):
        return [message for item in value for message in _messages_in(item, role, names)]
    if not isinstance(value, dict):
        return []
    if is_message(value):
        return [plain_message(value)]
    # Of a part of the answers, such as Gemini's candidates, the role may be left out.
    if isinstance(value.get("parts"), list):
        return [{"role": role, "content": value["parts"]}]
    for name in names:
        held = value.get(name)
        if name in ("choices", "candidates") and isinstance(held, list):
            held = held[:1]  # the others are what the user did not see
        if held and (messages := _messages_in(held, role, names)):
            return messages
    return []


def is_message(value: Any) -> bool:
    """True for an object with a role that somebody has in a conversation, or an item of OpenAI's responses."""
    if not isinstance(value, dict):
        return False
    if value.get("type") == "constructor" or isinstance(value.get("data"), dict):
        return str(plain_message(value).get("type")) in _ROLES
    kinds = (*_ROLES, *READ_ROLES, *_UNSEEN_ITEMS, "function_call", "function_call_output")
    return isinstance(value.get("role"), str) or value.get("type") in kinds


def plain_message(value: dict[str, Any]) -> dict[str, Any]:
    """A message without LangChain's wrappers {"type": "human", "data": {…}} and {"id": […], "kwargs": {…}}."""
    if isinstance(inner := value.get("data"), dict):
        return {**inner, "type": value.get("type")}
    if isinstance(inner := value.get("kwargs"), dict):
        names = list_of(value.get("id"))
        return {"type": str(names[-1]) if names else "", **inner}
    return value


def conversation_of(messages: Iterable[Any], usage: Any = None, **about: Any) -> Conversation:
    """The conversation of these messages, which are objects in the forms of providers."""
    objects = [plain_message(message) for message in messages if isinstance(message, dict)]
    objects = [item for item in objects if item.get("type") not in _UNSEEN_ITEMS]
    total = sum((usage_in(item.get("usage") or item.get("usage_metadata")) for item in objects), usage_in(usage))
    model = about.pop("model", None) or text_of(("model",), *objects)
    read: list[_Message] = []
    for item in objects:
        message = _message(item)
        if item.get("type") == "function_call" and read and read[-1].role == ASSISTANT:  # calls of one turn
            read[-1] = replace(read[-1], calls=(*read[-1].calls, *message.calls))
        else:
            read.append(message)
    return Conversation(read, usage=total, model=str(model) if model else None, **about)


def exchange(request: Any, response: Any) -> list[dict[str, Any]]:
    """The messages of a request with those of its response, which may repeat the former."""
    before, after = asked(request), answered(response)
    if before and after and _message(before[-1]) == _message(after[-1]):
        return before  # the request already holds the answer
    return after if before and after[: len(before)] == before else [*before, *after]


def _message(value: Mapping[str, Any]) -> _Message:
    """A message of OpenAI's, Anthropic's, LangChain's, Gemini's or OpenTelemetry's form."""
    role = str(value.get("role") or value.get("type") or "")
    role = _ROLES.get(role, role)
    if role == "function_call":
        call = str(value.get("call_id", "")), str(value.get("name", "")), value.get("arguments")
        return _Message(ASSISTANT, calls=(call,))
    if role == "function_call_output":
        return _Message("tool", results=((str(value.get("call_id", "")), _words(value.get("output")), False),))
    texts: list[str] = []
    calls: list[tuple[str, str, Any]] = []
    results: list[tuple[str, str, bool]] = []
    content = value.get("content", value.get("parts"))
    for part in content if isinstance(content, list) else [content]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in ("tool_use", "tool_call"):
            calls.append((str(part.get("id", "")), str(part.get("name", "")), part.get("input", part.get("arguments"))))
        elif kind in ("tool_result", "tool_call_response"):
            result = part.get("content", part.get("result", part.get("response")))
            call_id = str(part.get("tool_use_id", part.get("id", "")))
            results.append((call_id, _words(result), part.get("is_error") is True))
        else:
            texts.append(_words(part))
    for call in value.get("tool_calls") or ():
        if isinstance(call, dict):
            function = call.get("function") or call
            function = {**call, "name": function} if isinstance(function, str) else function
            arguments = function.get("arguments", function.get("args"))
            calls.append((str(call.get("id", "")), str(function.get("name", "")), arguments))
    text = "\n".join(part for part in texts if part)
    if role == "tool" and not results:
        return _Message(role, results=((str(value.get("tool_call_id", "")), text, value.get("status") == "error"),))
    return _Message("tool" if results and not text else role, text, tuple(calls), tuple(results))


def _words(value: Any) -> str:
    """The words of a message's content: of a list of parts those of each typed as text; other values as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and all(isinstance(part, dict) and "text" in part for part in value):
        return "\n".join(str(part["text"]) for part in value)
    if isinstance(value, dict) and value.get("type") in ("text", "output_text", "input_text"):
        return _words(value.get("text", value.get("content")))
    if isinstance(value, dict) and set(value) == {"text"}:
        return _words(value["text"])
    return "" if isinstance(value, dict) and "type" in value else json.dumps(value, ensure_ascii=False)


def usage_in(value: Any) -> Usage:
    """The tokens that a response or a span names; none for anything else."""
    if not isinstance(value, dict):
        return Usage()

    def tokens(*names: str) -> int:
        return next((count for name in names if isinstance(count := value.get(name), int) and count > 0), 0)

    read = tokens("prompt_tokens", "input_tokens", "gen_ai.usage.input_tokens", "input")
    written = tokens("completion_tokens", "output_tokens", "gen_ai.usage.output_tokens", "output")
    return Usage(calls=1, input_uncached=read, output=written) if read or written else Usage()


def answered_turns(conversation: Conversation) -> list[tuple[str, str, int]]:
    """Each message of the user's with the assistant's answer, and how many steps were made up to it.

    What the assistant says beside a call is an answer only if nothing follows, and one without a question is left out.
    """
    turns: list[tuple[str, str, int]] = []
    question, steps = "", 0
    answer: list[_Message] = []
    for message in (*conversation.messages, _Message("user")):
        if message.role == "user" and answer:
            answers = [
                visible(message.text).strip() for message in answer if not message.calls or message is answer[-1]
            ]
            turns += [(question, "\n\n".join(filter(None, answers)), steps)] if question else []
            question, answer = message.text, []
        elif message.role == "user":
            question = "\n\n".join(filter(None, (question, message.text)))
        elif message.role == ASSISTANT:
            steps += 1 + len(message.calls)
            answer.append(message)
    return turns
