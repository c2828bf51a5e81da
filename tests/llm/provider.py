"""A scripted provider on a local socket: each request takes the next step and is kept."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, repeat
from socket import socket
from typing import Any

from tests.llm.local_server import Handler, LocalServer

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Step:
    """What one request gets: a status and a body, after a pause; or nothing but a closed socket."""

    status: int = 200
    body: bytes = b""
    pause: float = 0
    drop: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    drips: bool = False
    """Its bytes come one by one, each in good time, until the client gives up."""
    pauses: tuple[float, ...] = ()
    """Seconds before each event of a stream."""

    def pieces(self) -> Iterator[tuple[bytes, float]]:
        """What is written at once, and the seconds before it."""
        if self.drips:
            return ((self.body[at : at + 1], 0.05) for at in range(len(self.body)))
        events = re.split(rb"(?<=\n\n)", self.body) if self.pauses else [self.body]
        return zip(events, chain(self.pauses, repeat(0.0)), strict=False)


def fails(status: int, message: str = "scripted", **headers: str) -> Step:
    """An error of Anthropic's form; ``retry_after="3"`` is the header retry-after."""
    error = {"type": ERROR_TYPES.get(status, "api_error"), "message": message}
    body = json.dumps({"type": "error", "error": error, "request_id": "req_1"}).encode()
    return Step(status, body, headers=tuple((name.replace("_", "-"), value) for name, value in headers.items()))


def anthropic_message(
    *blocks: dict[str, Any], stop_reason: str, usage: dict[str, Any], model: str = "claude-test"
) -> dict[str, Any]:
    """A message of Anthropic's form."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(blocks),
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": usage,
    }


def answers(
    *blocks: dict[str, Any],
    stop_reason: str = "end_turn",
    pause: float = 0,
    input_tokens: int = 9,
    output_tokens: int = 2,
    more: dict[str, Any] | None = None,
    model: str = "claude-test",
) -> Step:
    """A message of Anthropic's form, a greeting without blocks; ``more`` usage is that of the cache."""
    usage = {"input_tokens": input_tokens, "output_tokens": output_tokens} | (more or {})
    blocks = blocks or ({"type": "text", "text": "hello"},)
    made = anthropic_message(*blocks, stop_reason=stop_reason, usage=usage, model=model)
    return Step(body=json.dumps(made).encode(), pause=pause)


def openai_completion(
    message: dict[str, Any], finish_reason: str, model: str = "local", asked: int = 30, said: int = 5
) -> dict[str, Any]:
    """A chat completion of OpenAI's form, with the tokens of question and answer."""
    choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": finish_reason}
    usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": model}
    return head | {"choices": [choice], "usage": usage}


def completes(message: dict[str, Any], finish_reason: str = "stop") -> Step:
    return Step(body=json.dumps(openai_completion(message, finish_reason)).encode())


def streams(
    *deltas: dict[str, Any],
    finish: str | None = "stop",
    usage: bool = True,
    running: bool = False,
    pauses: tuple[float, ...] = (),
) -> Step:
    """The same in pieces, which end without a reason or without their tokens if told so.

    If they are ``running``, each piece counts the tokens up to there.
    """
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "local"}
    chunks = [head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks += [head | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}] if finish else []
    for said, chunk in enumerate(chunks if running else ()):
        chunk["usage"] = openai_completion({}, "stop", said=said)["usage"]
    chunks += [head | {"choices": [], "usage": openai_completion({}, "stop")["usage"]}] if usage else []
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return Step(
        body=f"{body}data: [DONE]\n\n".encode(), headers=(("content-type", "text/event-stream"),), pauses=pauses
    )


@dataclass
class Request:
    path: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict[str, str])


class Provider(LocalServer):
    """After the script has ended, every request is answered with a greeting."""

    def __init__(self, *script: Step, port: int = 0) -> None:
        super().__init__(_Handler, port)
        self.script = list(script)
        self.seen: list[Request] = []
        self.connections = 0

    def get_request(self) -> tuple[socket, Any]:
        self.connections += 1
        return super().get_request()

    def answer(self, request: Request) -> Step:
        return self.script.pop(0) if self.script else answers()


class _Handler(Handler):
    def post(self) -> None:
        provider = self.server
        assert isinstance(provider, Provider)
        provider.seen.append(Request(self.path, self.read(), {k.lower(): v for k, v in self.headers.items()}))
        step = provider.answer(provider.seen[-1])
        time.sleep(step.pause)
        if step.drop:
            self.close_connection = True
            self.connection.close()
            return
        kind = None if "content-type" in dict(step.headers) else "application/json"
        waits = (("retry-after", "0.01"),) if step.status in (429, 529) else ()
        self.begin(step.status, len(step.body), kind, step.headers or waits)
        try:
            for piece, pause in step.pieces():
                time.sleep(pause)
                self.wfile.write(piece)
        except (BrokenPipeError, ConnectionResetError):  # the client gave up while this slept
            self.close_connection = True
