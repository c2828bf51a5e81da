"""A provider on a local socket that thinks with offline policies and, when told so, misbehaves."""

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage

from drretail.llm.offline.judge import judge
from drretail.llm.offline.shopper import shop
from drretail.records.base import canonical_json
from tests.llm.local_server import Handler, LocalServer
from tests.llm.provider import ERROR_TYPES
from tests.wire.speaking import Anthropic, Asked, Json, OpenAI, numbered

Protocol = type[Anthropic] | type[OpenAI]
PROTOCOLS: dict[str, Protocol] = {Anthropic.path: Anthropic, OpenAI.path: OpenAI}
JUDGED = frozenset({"ReportClaims", "ClaimsAndPicks", "CitedClaims", "AllClaims", "ClaimsSupport", "Support", "Rating"})
PASSING = ("429", "529", "500", "stall", "cut_body", "broken_json", "late_error")
"""What is gone when it is tried again. A stream is ended in the middle: by "cut_body" without a word, by "broken_json"
with an event that is none, by "late_error" with an error. An answer that is no stream is a 529 instead of the last."""
DENIED: dict[str, tuple[int, str, str]] = {
    "wrong key": (401, "authentication_error", "invalid x-api-key"),
    "no model": (404, "not_found_error", "model: gone"),
    "no credit": (400, "invalid_request_error", "Your credit balance is too low to access the API."),
    "no quota": (429, "insufficient_quota", "You exceeded your current quota."),
}
"""What no other call would mend, as providers say it: status, type, message."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which requests go wrong, by how often they came."""

    faults: Sequence[str] = ()
    stall: float = 0.5
    """Seconds; longer than the client waits."""
    times: int = 0
    """A request goes wrong so often, and then right."""
    retry_after: tuple[tuple[str, str], ...] = (("retry-after-ms", "1"), ("retry-after", "0"))
    """Headers of a 429, 529 or 500."""

    def fault(self, body: Json, times: int) -> str | None:
        del body
        return self.faults[0] if times < self.times else None


@dataclass
class Seen:
    """What came and what was made of it; counted under a lock."""

    requests: int = 0
    streamed: int = 0
    faults: Counter[str] = field(default_factory=Counter[str])
    times: Counter[str] = field(default_factory=Counter[str])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def times_of(self, body: Json) -> int:
        digest = hashlib.sha256(canonical_json(body).encode()).hexdigest()
        with self.lock:
            self.requests += 1
            self.times[digest] += 1
            return self.times[digest] - 1


OPINIONS: dict[str, Json] = {"Rating": {"justification": "So.", "rating": 6}}
"""What rules are not asked for."""


class WireServer(LocalServer):
    request_queue_size = 512

    def __init__(self, plan: Plan | None = None, answers: Mapping[str, Json] | None = None) -> None:
        """``answers`` are given, by the title of the schema, instead of the offline models'."""
        super().__init__(_Handler)
        self.plan = plan or Plan()
        self.answers = OPINIONS | dict(answers or {})
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
    answer = (judge if title in JUDGED else shop)(asked.messages, tools, title)
    return AIMessage(json.dumps(answer.tool_calls[0]["args"], ensure_ascii=False))


class _Handler(Handler):
    @property
    def wire(self) -> WireServer:
        assert isinstance(self.server, WireServer)
        return self.server

    def post(self) -> None:
        body = self.read()
        protocol = PROTOCOLS[self.path.split("?")[0]]
        fault = self.wire.plan.fault(body, self.wire.seen.times_of(body))
        if fault is not None:
            with self.wire.seen.lock:
                self.wire.seen.faults[fault] += 1
        if fault == "late_error" and not protocol.read(body).stream:
            fault = "529"
        if fault in ("429", "529", "500"):
            status = int(fault)
            error = json.dumps(protocol.error(ERROR_TYPES[status], "scripted")).encode()
            self._send(status, error, self.wire.plan.retry_after)
        elif fault in DENIED:
            status, kind, message = DENIED[fault]
            self._send(status, json.dumps(protocol.error(kind, message)).encode())
        elif fault == "stall":
            time.sleep(self.wire.plan.stall)
            self.close_connection = True
        else:
            self._answer(protocol, body, fault)

    def _answer(self, protocol: Protocol, body: Json, fault: str | None) -> None:
        asked = protocol.read(body)
        made = protocol.body(thought(asked, self.wire.answers), model=body["model"])
        if asked.stream:
            self._stream(protocol, made, fault)
        elif fault == "broken_json":
            self._send(200, b'{"id": "msg_1", "cont')
        else:
            self._send(200, json.dumps(made).encode(), cut=fault == "cut_body")

    def _stream(self, protocol: Protocol, made: Json, fault: str | None) -> None:
        with self.wire.seen.lock:
            self.wire.seen.streamed += 1
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        events = list(protocol.events(made))
        if fault in ("cut_body", "late_error", "broken_json"):
            events = events[: len(events) // 2]
        if fault == "late_error":
            events.append(protocol.error_event("overloaded_error", "scripted"))
        if fault == "broken_json":
            events.append('event: content_block_delta\ndata: {"type": "cont\n\n')
        for event in events:
            self.wfile.write(event.encode())
        self.close_connection = True

    def _send(self, status: int, data: bytes, headers: Iterable[tuple[str, str]] = (), *, cut: bool = False) -> None:
        self.begin(status, len(data), "application/json", headers)
        self.wfile.write(data[: len(data) // 2] if cut else data)
        if cut:
            self.close_connection = True
