"""What agents ask models by: OpenAI's chat completions and responses, and Anthropic's messages, read and written.

A request becomes LangChain's messages, with which any model of a run can be asked, and its answer is written back,
whole or as a stream.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.messages.utils import convert_to_openai_messages

from drretail.records.base import canonical_json, sha256_of

Json = dict[str, Any]


class Unanswerable(ValueError):
    """A request asks for what no model of a run can give."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model, whichever protocol it came by."""

    messages: list[BaseMessage]
    tools: list[Json]
    """In OpenAI's form."""
    choice: str | None = None
    """ "none", "any", or the tool that has to be called; None leaves it to the model."""
    schema: Json | None = None
    """The JSON schema of the answer."""
    stops: tuple[str, ...] = ()
    """Texts at which the answer is cut."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """How one protocol is read and written."""

    read: Callable[[Json], ModelRequest]
    write: Callable[[AIMessage, str], Json]
    """The answer, under the name of the model that was asked for."""
    events: Callable[[Json], Iterator[str]]
    """The answer as a stream of server-sent events."""


def cut(answer: AIMessage, stops: tuple[str, ...]) -> AIMessage:
    """The answer up to the first of the texts at which it should end: not every provider takes them."""
    ends = [place for stop in stops if stop and (place := answer.text.find(stop)) >= 0]
    return answer.model_copy(update={"content": answer.text[: min(ends)]}) if ends else answer


def _refuse(what: str) -> NoReturn:
    raise Unanswerable(f"{what}: this run's model takes text, images and function tools.")


def _tools(listed: Any) -> list[Json]:
    """Function tools in OpenAI's form, from those of any protocol."""
    tools: list[Json] = []
    for tool in listed or ():
        function: Json = tool.get("function") or tool
        parameters = function.get("parameters") or function.get("input_schema")
        if "name" not in function or tool.get("type", "custom") not in ("function", "custom"):
            _refuse("There is another tool")
        about = {name: function[name] for name in ("name", "description", "strict") if name in function}
        about |= {"parameters": parameters} if parameters else {}
        tools.append({"type": "function", "function": about})
    return tools


def _choice(choice: Any) -> str | None:
    if isinstance(choice, Mapping):
        kind, name = choice.get("type"), (choice.get("function") or choice).get("name")
        return str(name) if name else _choice(kind)
    return {None: None, "auto": None, "none": "none", "required": "any", "any": "any"}.get(choice, choice)


def _schema(form: Mapping[str, Any] | None) -> Json | None:
    """The schema of ``response_format``, or of ``text.format``; None for plain text, and for any JSON object."""
    form = form or {}
    if form.get("type") != "json_schema":
        return None
    named = form.get("json_schema") or form
    return {"title": named.get("name") or "answer", **named["schema"]}


def _read_chat(body: Json) -> ModelRequest:
    messages = [message | {"content": message.get("content") or ""} for message in body["messages"]]
    stop = body.get("stop") or ()
    return ModelRequest(
        convert_to_messages(messages),
        _tools(body.get("tools")),
        _choice(body.get("tool_choice")),
        _schema(body.get("response_format")),
        (stop,) if isinstance(stop, str) else tuple(stop),
    )


def _read_responses(body: Json) -> ModelRequest:
    given = body.get("input") or []
    given = [{"role": "user", "content": given}] if isinstance(given, str) else given
    messages: list[Json] = [{"role": "system", "content": body["instructions"]}] if body.get("instructions") else []
    for item in given:
        kind = item.get("type", "message")
        if kind == "message":
            messages.append({"role": item["role"], "content": _parts(item["content"])})
        elif kind == "function_call":
            if not messages or messages[-1]["role"] != "assistant":
                messages.append({"role": "assistant"})
            function = {"name": item["name"], "arguments": item["arguments"]}
            calls = messages[-1].setdefault("tool_calls", [])
            calls.append({"id": item["call_id"], "type": "function", "function": function})
        elif kind == "function_call_output":
            messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": _parts(item["output"])})
        elif kind != "reasoning":  # which only its own provider can read
            _refuse(f"There is input of the type {kind}")
    if body.get("previous_response_id"):
        _refuse("The request goes on with a response that is kept elsewhere")
    return _read_chat(body | {"messages": messages, "response_format": (body.get("text") or {}).get("format")})


def _read_messages(body: Json) -> ModelRequest:
    system = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    # Its blocks of calls and results become messages of their own, in the form that LangChain reads.
    messages = convert_to_openai_messages([*system, *body["messages"]])
    return _read_chat(body | {"messages": messages, "stop": body.get("stop_sequences")})


def _parts(content: Any) -> Any:
    """Texts and images in the form that LangChain takes for every provider; a single text as it is."""
    if isinstance(content, str):
        return content
    parts: list[Json] = []
    for part in content:
        if part["type"] in ("text", "input_text", "output_text", "refusal"):
            parts.append({"type": "text", "text": part.get("text") or part.get("refusal") or ""})
        elif part["type"] == "input_image" and part.get("image_url"):
            parts.append({"type": "image_url", "image_url": {"url": part["image_url"]}})
        else:
            _refuse(f"There is a part of the type {part['type']}")
    return parts[0]["text"] if len(parts) == 1 and parts[0]["type"] == "text" else parts


def _named(answer: AIMessage) -> str:
    """A name that is the same whenever the answer is."""
    return sha256_of([answer.text, canonical_json(answer.tool_calls)])[:24]


def _used(answer: AIMessage) -> tuple[int, int]:
    counted = answer.usage_metadata
    return (0, 0) if counted is None else (counted["input_tokens"], counted["output_tokens"])


def _write_chat(answer: AIMessage, model: str) -> Json:
    message: Json = {"role": "assistant", "content": answer.text or None, "refusal": None}
    if answer.tool_calls:
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
            }
            for call in answer.tool_calls
        ]
    read, written = _used(answer)
    reason = "tool_calls" if answer.tool_calls else "stop"
    return {
        "id": f"chatcmpl-{_named(answer)}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }


def _write_responses(answer: AIMessage, model: str) -> Json:
    name, done = _named(answer), {"status": "completed"}
    output: list[Json] = [
        {"type": "function_call", "id": f"fc_{name}_{rank}", "call_id": call["id"], "name": call["name"]}
        | {"arguments": json.dumps(call["args"]), **done}
        for rank, call in enumerate(answer.tool_calls)
    ]
    if answer.text or not output:
        text = {"type": "output_text", "text": answer.text, "annotations": []}
        output.insert(0, {"type": "message", "id": f"msg_{name}", "role": "assistant", "content": [text], **done})
    read, written = _used(answer)
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written, **details}
    unsaid = dict.fromkeys(("error", "incomplete_details", "instructions", "temperature", "top_p"))
    about = {"id": f"resp_{name}", "object": "response", "created_at": 0, "model": model, "metadata": {}}
    calling = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return about | unsaid | calling | {"output": output, "usage": usage, **done}


def _write_messages(answer: AIMessage, model: str) -> Json:
    content: list[Json] = [{"type": "text", "text": answer.text}] if answer.text or not answer.tool_calls else []
    content += [
        {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
        for call in answer.tool_calls
    ]
    read, written = _used(answer)
    about = {"id": f"msg_{_named(answer)}", "type": "message", "role": "assistant", "model": model}
    reason = {"stop_reason": "tool_use" if answer.tool_calls else "end_turn", "stop_sequence": None}
    return about | {"content": content, **reason, "usage": {"input_tokens": read, "output_tokens": written}}


def _event(data: Json, name: str = "") -> str:
    return f"{f'event: {name}' + chr(10) if name else ''}data: {json.dumps(data)}\n\n"


def _chat_events(answer: Json) -> Iterator[str]:
    about = {name: answer[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    choice = answer["choices"][0]
    message: Json = choice["message"]
    calls = [{"index": rank, **call} for rank, call in enumerate(message.get("tool_calls", ()))]
    delta = {"role": "assistant", "content": message["content"]} | ({"tool_calls": calls} if calls else {})
    yield _event(about | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield _event(about | {"choices": [end], "usage": answer["usage"]})
    yield "data: [DONE]\n\n"


def _responses_events(answer: Json) -> Iterator[str]:
    number = iter(range(10_000))

    def event(kind: str, **fields: Any) -> str:
        return _event({"type": f"response.{kind}", "sequence_number": next(number), **fields}, f"response.{kind}")

    yield event("created", response=answer | {"status": "in_progress", "output": []})
    for index, item in enumerate(answer["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        begun = {"content": []} if item["type"] == "message" else {"arguments": ""}
        yield event("output_item.added", output_index=index, item=item | begun)
        for rank, part in enumerate(item.get("content", ())):
            within: Json = place | {"content_index": rank}
            yield event("content_part.added", part=part | {"text": ""}, **within)
            yield event("output_text.delta", delta=part["text"], logprobs=[], **within)
            yield event("output_text.done", text=part["text"], logprobs=[], **within)
            yield event("content_part.done", part=part, **within)
        if item["type"] == "function_call":
            yield event("function_call_arguments.delta", delta=item["arguments"], **place)
            yield event("function_call_arguments.done", arguments=item["arguments"], name=item["name"], **place)
        yield event("output_item.done", output_index=index, item=item)
    yield event("completed", response=answer)


def _messages_events(answer: Json) -> Iterator[str]:
    def event(kind: str, **fields: Any) -> str:
        return _event({"type": kind, **fields}, kind)

    yield event("message_start", message=answer | {"content": [], "stop_reason": None})
    for index, block in enumerate(answer["content"]):
        if block["type"] == "tool_use":
            empty, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
        yield event("content_block_start", index=index, content_block=block | empty)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    reason = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=reason, usage=answer["usage"])
    yield event("message_stop")


PROTOCOLS: Mapping[str, Protocol] = {
    "/chat/completions": Protocol(_read_chat, _write_chat, _chat_events),
    "/responses": Protocol(_read_responses, _write_responses, _responses_events),
    "/messages": Protocol(_read_messages, _write_messages, _messages_events),
}
"""The protocols by their path below /v1."""
