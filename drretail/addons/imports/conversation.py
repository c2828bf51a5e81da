"""A conversation with an assistant: messages in any form that providers write, its turns, and who had it when."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from drretail.addons.imports.material import CUT
from drretail.parsing import json_or_none, without_thoughts
from drretail.records.run import Usage
from drretail.reports.text.untrusted import visible

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
_UNSEEN = "unseen choice"
"""The role of a response's choices behind the first, which the user did not see."""
_CALLS = ("tool_use", "tool_call", "toolUse", "functionCall", "function_call")
_RESULTS = ("tool_result", "tool_call_response", "toolResult", "functionResponse", "function_response")
"""A message's parts that are no words, by their type or, of Bedrock and Gemini, by the field that holds the part."""
_TEXTS = ("text", "output_text", "input_text", "refusal")
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning", "reasoningContent", "thoughtSignature")
"""A model's thoughts, which are no part of its answer."""
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
    """Tools' results: the id of the call, else its name, the text, and whether it is an error."""
    unread: tuple[str, ...] = ()
    """The types of parts that are not read, such as images."""


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
    unread: Counter[str] = field(default_factory=Counter[str])
    """What of it is left out, by reason."""
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    """The reasons why rows of its group are left out, by their places."""


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
            held = [*held[:1], *({"role": _UNSEEN} for _ in held[1:])][::-1]
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
    # What is no object is a message of no role, so that it is counted.
    objects = [plain_message(message if isinstance(message, dict) else {"content": message}) for message in messages]
    objects = [item for item in objects if item.get("type") not in _UNSEEN_ITEMS]
    total = sum((usage_in(item.get("usage") or item.get("usage_metadata")) for item in objects), usage_in(usage))
    model = about.pop("model", None) or text_of(("model",), *objects)
    read: list[_Message] = []
    unread = Counter[str]()
    for item in objects:
        message = _message(item)
        unread.update(f"a part of the type {kind}" for kind in message.unread)
        if item.get("type") == "function_call" and read and read[-1].role == ASSISTANT:  # calls of one turn
            read[-1] = replace(read[-1], calls=(*read[-1].calls, *message.calls))
        else:
            read.append(message)
    last = max((at for at, message in enumerate(read) if message.role == ASSISTANT), default=0)
    late = [message for message in read[last:] if message.role == "user" and message.text and not message.results]
    if any(message.role == "user" and message.text for message in read[:last]):
        unread["a last question without an answer"] += len(late)
        read = [message for message in read if not any(message is each for each in late)]
    return Conversation(read, usage=total, model=str(model) if model else None, unread=unread, **about)


def exchange(request: Any, response: Any) -> list[dict[str, Any]]:
    """The messages of a request with those of its response, which may repeat the former.

    Of a request of cut JSON, which would else be the user's words, they are one message of the role ``CUT``.
    """
    if isinstance(request, str) and _is_cut(request.strip()):
        return [{"role": CUT, "content": request}]
    before, after = asked(request), answered(response)
    if before and after and _message(before[-1]) == _message(after[-1]):
        return before  # the request already holds the answer
    return after if before and after[: len(before)] == before else [*before, *after]


def _is_cut(text: str) -> bool:
    """True for JSON that ends too early."""
    try:
        json.loads(text if text[:1] in ("[", "{") else "0")
    except json.JSONDecodeError as problem:
        return problem.pos == len(text) or problem.msg.startswith("Unterminated string")
    return False


def _message(value: Mapping[str, Any]) -> _Message:
    """A message of OpenAI's, Anthropic's, LangChain's, Gemini's, Bedrock's or OpenTelemetry's form."""
    role = str(value.get("role") or value.get("type") or "")
    role = _ROLES.get(role, role)
    if role == "function_call":
        return _Message(ASSISTANT, calls=(_call(value),))
    if role == "function_call_output":
        return _Message("tool", results=((str(value.get("call_id", "")), _text(value.get("output")), False),))
    texts: list[str] = []
    calls: list[tuple[str, str, Any]] = []
    results: list[tuple[str, str, bool]] = []
    unread: list[str] = []
    content = value.get("content", value.get("parts"))
    for part in content if isinstance(content, list) else [content if "type" in _typed(content) else _text(content)]:
        inner = _typed(part)
        if inner.get("type") in _CALLS:
            calls.append(_call(inner))
        elif inner.get("type") in _RESULTS:
            result = inner.get("content", inner.get("result", inner.get("response")))
            is_error = inner.get("is_error") is True or inner.get("status") == "error"
            results.append((text_of(("tool_use_id", "toolUseId", "id", "name"), inner), _text(result), is_error))
        else:
            texts.append(_words(part))
            kind = str(inner.get("type") or next(iter(inner), "text"))
            is_read = bool(texts[-1]) or role == "tool" or kind in (*_TEXTS, *_THOUGHTS, "thought")
            unread += [] if is_read else [kind]
    texts.append(_words(value.get("refusal")))
    listed = list_of(value.get("tool_calls")) or [value.get("function_call")]
    calls = [_call(call) for call in listed if isinstance(call, dict)] or calls  # LangChain writes Anthropic's twice
    text = "\n".join(part for part in texts if part)
    text = without_thoughts(text) if role == ASSISTANT else text
    if role == "tool" and not results:
        call_id = text_of(("tool_call_id", "name"), value)
        return _Message(role, results=((call_id, _text(content), value.get("status") == "error"),))
    return _Message("tool" if results and not text else role, text, tuple(calls), tuple(results), tuple(unread))


def _typed(part: Any) -> dict[str, Any]:
    """A part with its type, which Bedrock and Gemini write around it: {"toolUse": {…}}; empty for what is no object."""
    part = cast("dict[str, Any]", part) if isinstance(part, dict) else {}
    kind = next((kind for kind in (*_CALLS, *_RESULTS) if isinstance(part.get(kind), dict)), None)
    return part if kind is None else {**part[kind], "type": kind}


def _call(value: Mapping[str, Any]) -> tuple[str, str, Any]:
    """The id, name and arguments of a call; Gemini's and OpenAI's older ones have no id."""
    function = value.get("function")
    call = {**function, **value} if isinstance(function, dict) else {"name": function, **value}
    arguments = next((call[name] for name in ("input", "arguments", "args") if name in call), None)
    return text_of(("call_id", "toolUseId", "id"), call), text_of(("name",), call), arguments


def _words(part: Any) -> str:
    """The words of a message's part; empty for an object that is no text, or a model's thoughts."""
    if isinstance(part, dict):
        is_text = part.get("type", "text") in _TEXTS and part.get("thought") is not True
        words = next((part[name] for name in ("text", "content", "value", "refusal") if name in part), None)
        return _words(words) if is_text else ""
    return _text(part)


def _text(value: Any) -> str:
    """The whole of a content or a tool's result: its words if each part is a text; otherwise JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    value = [part for part in value if not _is_image(part)] if isinstance(value, list) else value
    parts = value if isinstance(value, list) else [value]
    if all(isinstance(part, dict) and (part.get("type") in _TEXTS or set(part) == {"text"}) for part in parts):
        return "\n".join(map(_words, parts))
    return json.dumps(value, ensure_ascii=False)


def _is_image(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in ("image", "image_url", "input_image")


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
    A message without words, such as an image, asks nothing: what follows belongs to the question before.
    """
    turns: list[tuple[str, str, int]] = []
    question, steps = "", 0
    answer: list[_Message] = []
    spoken = (message for message in conversation.messages if message.role != "user" or message.text)
    for message in (*spoken, _Message("user")):
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
