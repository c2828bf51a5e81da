"""A provider on a local socket that speaks our gateway's protocols, thinks with offline policies, and misbehaves when
told so.
"""

import json
import threading
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage

from drretail.doors.protocols import PROTOCOLS, ModelRequest, Protocol
from drretail.llm.offline.judge import judge_offline
from drretail.llm.offline.shopper import shop
from drretail.records.base import sha256_of
from tests.llm.local_server import Handler, LocalServer

Json = dict[str, Any]


def asked_by(protocol: Protocol, body: Json) -> ModelRequest:
    """What a request asks; a schema stands elsewhere in Anthropic's."""
    schema = body.get("output_config", {}).get("format", {}).get("schema")
    form = {"type": "json_schema", "json_schema": {"name": schema["title"], "schema": schema}} if schema else None
    return protocol.read(body | {"response_format": form} if form else body)


def numbered(answer: AIMessage, asked: ModelRequest) -> AIMessage:
    """The answer with ids for its calls, a function of what was asked."""
    digest = sha256_of([[message.type, message.text] for message in asked.messages])[:12]
    calls = [call | {"id": f"toolu_{digest}_{index}"} for index, call in enumerate(answer.tool_calls)]
    return AIMessage(answer.text, tool_calls=calls)


USAGE = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
JUDGED = frozenset({"ReportClaims", "ClaimsAndPicks", "CitedClaims", "AllClaims", "ClaimsSupport", "Support", "Rating"})


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

    A fault is how a stream ends in the middle: by "cut_body" without a word, by "broken_json" with an
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


def thought(asked: ModelRequest, answers: Mapping[str, Json]) -> AIMessage:
    """What the offline models answer; JSON in a schema is asked of them as the call of a tool."""
    if asked.schema is None:
        return numbered(shop(asked.messages, asked.tools, asked.choice), asked)
    title = asked.schema["title"]
    if title in answers:
        return AIMessage(json.dumps(answers[title], ensure_ascii=False))
    tools = [{"function": {"name": title, "parameters": asked.schema}}]
    answer = (judge_offline if title in JUDGED else shop)(asked.messages, tools, title)
    return AIMessage(json.dumps(answer.tool_calls[0]["args"], ensure_ascii=False))


def error(kind: str, message: str) -> Json:
    """An error in the form of both."""
    return {"type": "error", "error": {"type": kind, "code": kind, "message": message}, "request_id": "req_1"}


class _Handler(Handler):
    @property
    def wire(self) -> WireServer:
        assert isinstance(self.server, WireServer)
        return self.server

    def post(self) -> None:
        body = self.read()
        protocol = PROTOCOLS[self.path.split("?")[0].removeprefix("/v1")]
        fault = self.wire.fault if self.wire.seen.next() in self.wire.wrong else ""
        answer = thought(asked_by(protocol, body), self.wire.answers)
        made = protocol.write(answer.model_copy(update={"usage_metadata": USAGE}), body["model"])
        if protocol.name == "messages":
            made["usage"]["cache_read_input_tokens"] = 40
        if body.get("stream"):
            self._stream(protocol.events(made), fault)
        else:
            self._send(200, json.dumps(made).encode())

    def _stream(self, text: str, fault: str) -> None:
        with self.wire.seen.lock:
            self.wire.seen.streamed += 1
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        events = [f"{event}\n\n" for event in text.split("\n\n") if event.strip()]
        if fault:
            events = events[: len(events) // 2]
        if fault == "late_error":
            events.append(f"event: error\ndata: {json.dumps(error('overloaded_error', 'scripted'))}\n\n")
        if fault == "broken_json":
            events.append('event: content_block_delta\ndata: {"type": "cont\n\n')
        for event in events:
            self.wfile.write(event.encode())
        self.close_connection = True

    def _send(self, status: int, data: bytes) -> None:
        self.begin(status, len(data), "application/json")
        self.wfile.write(data)
