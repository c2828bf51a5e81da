"""A provider on a local socket that speaks two protocols, thinks with offline policies, and misbehaves when told so."""

import json
import threading
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
    convert_to_openai_messages,
)
from langchain_core.messages.tool import tool_call

from drretail.llm.offline.judge import judge_offline
from drretail.llm.offline.shopper import shop
from drretail.records.base import sha256_of
from tests.llm.local_server import Handler, LocalServer
from tests.llm.provider import anthropic_message, openai_completion

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks; ``schema`` is the answer's where it has to be JSON in one."""

    messages: list[BaseMessage]
    tools: list[Json]
    choice: Any
    schema: Json | None
    stream: bool


def text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content or [])


class Anthropic:
    """POST /v1/messages."""

    path = "/v1/messages"

    @staticmethod
    def read(body: Json) -> Asked:
        messages: list[BaseMessage] = []
        if body.get("system"):
            messages.append(SystemMessage(text_of(body["system"])))
        for message in body["messages"]:
            messages += Anthropic._message(message)
        tools = [{"function": {"name": it["name"], "parameters": it["input_schema"]}} for it in body.get("tools", [])]
        schema = body.get("output_config", {}).get("format", {}).get("schema")
        return Asked(messages, tools, Anthropic._choice(body.get("tool_choice")), schema, bool(body.get("stream")))

    @staticmethod
    def _choice(choice: Json | None) -> Any:
        if choice is None or choice["type"] == "auto":
            return None
        return choice["name"] if choice["type"] == "tool" else choice["type"]

    @staticmethod
    def _message(message: Json) -> Iterator[BaseMessage]:
        content = message["content"]
        blocks: list[Json] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] == "assistant":
            calls = [
                tool_call(name=each["name"], args=each["input"], id=each["id"])
                for each in blocks
                if each["type"] == "tool_use"
            ]
            yield AIMessage(text_of([each for each in blocks if each["type"] == "text"]), tool_calls=calls)
            return
        for block in blocks:
            if block["type"] == "tool_result":
                yield ToolMessage(text_of(block["content"]), tool_call_id=block["tool_use_id"])
        if texts := [block for block in blocks if block["type"] == "text"]:
            yield HumanMessage(text_of(texts))  # its parts are blocks where one is marked for the cache

    @staticmethod
    def body(answer: AIMessage, *, model: str) -> Json:
        blocks: list[Json] = [{"type": "text", "text": answer.text}] if answer.text else []
        blocks += [
            {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
            for call in answer.tool_calls
        ]
        usage = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 40}
        stop = "tool_use" if answer.tool_calls else "end_turn"
        return anthropic_message(*blocks, stop_reason=stop, usage=usage, model=model)

    @staticmethod
    def events(body: Json) -> Iterator[str]:
        """The body as server-sent events."""

        def event(kind: str, **fields: Any) -> str:
            return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

        start = {**body, "content": [], "stop_reason": None, "usage": {**body["usage"], "output_tokens": 1}}
        yield event("message_start", message=start)
        for index, block in enumerate(body["content"]):
            empty = {"text": ""} if block["type"] == "text" else {"input": {}}
            yield event("content_block_start", index=index, content_block={**block, **empty})
            if block["type"] == "text":
                for place in range(0, len(block["text"]), 200):
                    piece = {"type": "text_delta", "text": block["text"][place : place + 200]}
                    yield event("content_block_delta", index=index, delta=piece)
            else:
                piece = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
                yield event("content_block_delta", index=index, delta=piece)
            yield event("content_block_stop", index=index)
        delta = {"stop_reason": body["stop_reason"], "stop_sequence": None}
        yield event("message_delta", delta=delta, usage=body["usage"])
        yield event("message_stop")

    @staticmethod
    def error(kind: str, message: str) -> Json:
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}

    @staticmethod
    def error_event(kind: str, message: str) -> str:
        return f"event: error\ndata: {json.dumps(Anthropic.error(kind, message))}\n\n"


class OpenAI:
    """POST /v1/chat/completions."""

    path = "/v1/chat/completions"

    @staticmethod
    def read(body: Json) -> Asked:
        messages = convert_to_messages(body["messages"])
        tools = [{"function": tool["function"]} for tool in body.get("tools", [])]
        choice = body.get("tool_choice")
        chosen = choice["function"]["name"] if isinstance(choice, dict) else None if choice == "auto" else choice
        schema = body.get("response_format", {}).get("json_schema", {})
        named = {"title": schema["name"], **schema["schema"]} if schema else None
        return Asked(messages, tools, chosen, named, bool(body.get("stream")))

    @staticmethod
    def body(answer: AIMessage, *, model: str) -> Json:
        (said,) = convert_to_openai_messages([answer])
        finish = "tool_calls" if answer.tool_calls else "stop"
        return openai_completion(said | {"content": answer.text or None}, finish, model, asked=100, said=20)

    @staticmethod
    def events(body: Json) -> Iterator[str]:
        (choice,) = body["choices"]
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}

        def chunk(delta: Json, finish: str | None = None) -> str:
            piece = {"index": 0, "delta": delta, "finish_reason": finish}
            return f"data: {json.dumps({**head, 'choices': [piece]})}\n\n"

        yield chunk({"role": "assistant", "content": ""})
        text = choice["message"]["content"] or ""
        for place in range(0, len(text), 200):
            yield chunk({"content": text[place : place + 200]})
        for index, call in enumerate(choice["message"].get("tool_calls", [])):
            yield chunk({"tool_calls": [{"index": index, **call}]})
        yield chunk({}, choice["finish_reason"])
        yield f"data: {json.dumps({**head, 'choices': [], 'usage': body['usage']})}\n\n"
        yield "data: [DONE]\n\n"

    @staticmethod
    def error(kind: str, message: str) -> Json:
        return {"error": {"type": kind, "message": message, "code": kind}}

    @staticmethod
    def error_event(kind: str, message: str) -> str:
        return f"data: {json.dumps(OpenAI.error(kind, message))}\n\n"


def numbered(answer: AIMessage, asked: Asked) -> AIMessage:
    """The answer with ids for its calls, a function of what was asked."""
    digest = sha256_of([[message.type, message.text] for message in asked.messages])[:12]
    calls = [call | {"id": f"toolu_{digest}_{index}"} for index, call in enumerate(answer.tool_calls)]
    return AIMessage(answer.text, tool_calls=calls)


Protocol = type[Anthropic] | type[OpenAI]
PROTOCOLS: dict[str, Protocol] = {Anthropic.path: Anthropic, OpenAI.path: OpenAI}
JUDGED = frozenset({"ReportClaims", "ClaimsAndPicks", "CitedClaims", "AllClaims", "ClaimsSupport", "Support", "Rating"})
NO_CREDIT = "Your credit balance is too low to access the API."
"""What no other call would mend, as a provider says it."""


@dataclass
class Seen:
    """What came and what was made of it; counted under a lock."""

    requests: int = 0
    streamed: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self) -> int:
        """The number of a request that has come, from 0."""
        with self.lock:
            self.requests += 1
            return self.requests - 1


class WireServer(LocalServer):
    """A provider of which the requests with the numbers ``wrong`` meet the ``fault``.

    A fault is ``NO_CREDIT``, or how a stream ends in the middle: by "cut_body" without a word, by "broken_json" with an
    event that is none, by "late_error" with an error.
    """

    request_queue_size = 512

    def __init__(self, fault: str = "", wrong: Container[int] = ()) -> None:
        super().__init__(_Handler)
        self.fault = fault
        self.wrong = wrong
        # Given, by the title of the schema, instead of the offline models' answers: rules are asked for no ratings.
        self.answers: dict[str, Json] = {"Rating": {"justification": "So.", "rating": 6}}
        self.seen = Seen()

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has given up is part of the play."""
        del request, client_address


def thought(asked: Asked, answers: Mapping[str, Json]) -> AIMessage:
    """What the offline models answer; JSON in a schema is asked of them as the call of a tool."""
    if asked.schema is None:
        return numbered(shop(asked.messages, asked.tools, asked.choice), asked)
    title = asked.schema["title"]
    if title in answers:
        return AIMessage(json.dumps(answers[title], ensure_ascii=False))
    tools = [{"function": {"name": title, "parameters": asked.schema}}]
    answer = (judge_offline if title in JUDGED else shop)(asked.messages, tools, title)
    return AIMessage(json.dumps(answer.tool_calls[0]["args"], ensure_ascii=False))


class _Handler(Handler):
    @property
    def wire(self) -> WireServer:
        assert isinstance(self.server, WireServer)
        return self.server

    def post(self) -> None:
        body = self.read()
        protocol = PROTOCOLS[self.path.split("?")[0]]
        fault = self.wire.fault if self.wire.seen.next() in self.wire.wrong else ""
        if fault == NO_CREDIT:
            self._send(400, json.dumps(protocol.error("invalid_request_error", NO_CREDIT)).encode())
            return
        asked = protocol.read(body)
        made = protocol.body(thought(asked, self.wire.answers), model=body["model"])
        if asked.stream:
            self._stream(protocol, made, fault)
        else:
            self._send(200, json.dumps(made).encode())

    def _stream(self, protocol: Protocol, made: Json, fault: str) -> None:
        with self.wire.seen.lock:
            self.wire.seen.streamed += 1
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        events = list(protocol.events(made))
        if fault:
            events = events[: len(events) // 2]
        if fault == "late_error":
            events.append(protocol.error_event("overloaded_error", "scripted"))
        if fault == "broken_json":
            events.append('event: content_block_delta\ndata: {"type": "cont\n\n')
        for event in events:
            self.wfile.write(event.encode())
        self.close_connection = True

    def _send(self, status: int, data: bytes) -> None:
        self.begin(status, len(data), "application/json")
        self.wfile.write(data)
