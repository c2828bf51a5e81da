"""What agents ask models by: OpenAI's chat completions and responses, and Anthropic's messages, read and written.

A request becomes LangChain's messages, with which any model of a run can be asked, and its answer is written back,
whole or as a stream.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.messages.utils import convert_to_openai_messages

from drretail.doors.pages import templates
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


@dataclass(frozen=True, slots=True)
class Protocol:
    """How one protocol is read, and by which templates it is written."""

    name: str
    read: Callable[[Json], ModelRequest]

    def write(self, answer: AIMessage, model: str) -> Json:
        """The answer, under the name of the model that was asked for."""
        calls = [{**call, "arguments": json.dumps(call["args"])} for call in answer.tool_calls]
        counted = answer.usage_metadata or {"input_tokens": 0, "output_tokens": 0}
        written = (
            templates()
            .get_template(f"{self.name}.json.jinja")
            .render(
                name=sha256_of([answer.text, canonical_json(answer.tool_calls)])[
                    :24
                ],  # the same whenever the answer is
                model=model,
                text=answer.text,
                calls=calls,
                read=counted["input_tokens"],
                written=counted["output_tokens"],
            )
        )
        return json.loads(written)

    def events(self, answer: Json) -> str:
        """The answer as a stream of server-sent events."""
        return templates().get_template(f"{self.name}.sse.jinja").render(answer=answer)


PROTOCOLS: Mapping[str, Protocol] = {
    "/chat/completions": Protocol("chat", _read_chat),
    "/responses": Protocol("responses", _read_responses),
    "/messages": Protocol("messages", _read_messages),
}
"""The protocols by their path below /v1."""
