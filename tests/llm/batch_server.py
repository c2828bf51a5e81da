"""Anthropic's Message Batches on a local socket: requests wait until the test lets their batch end."""

import json
from collections.abc import Callable
from typing import Any

from tests.llm.local_server import Handler, LocalServer
from tests.llm.provider import anthropic_message

Answer = Callable[[str, dict[str, Any], int], dict[str, Any]]
"""(custom id, params, number of the batch from 0) → the result."""


def succeeded(text: str, *, model: str = "claude-sonnet-4-6") -> dict[str, Any]:
    block = {"type": "text", "text": text}
    usage = {"input_tokens": 11, "output_tokens": 3}
    return {"type": "succeeded", "message": anthropic_message(block, stop_reason="end_turn", usage=usage, model=model)}


def errored(kind: str, words: str = "scripted") -> dict[str, Any]:
    return {"type": "errored", "error": {"type": "error", "error": {"type": kind, "message": words}}}


EXPIRED: dict[str, Any] = {"type": "expired"}


class BatchServer(LocalServer):
    """``answer`` gives each request's result; a batch ends after it was looked at ``polls`` times."""

    def __init__(self, answer: Answer, *, polls: int = 1) -> None:
        super().__init__(_Handler)
        self.answer = answer
        self.polls = polls
        self.batches: dict[str, list[dict[str, Any]]] = {}
        self.looked: dict[str, int] = {}
        self.gone: set[str] = set()
        self.faults: list[int] = []
        """The statuses of the next answers that fail; 200 is one of which only a part comes, and 0 is none."""

    def submit(self, requests: list[dict[str, Any]]) -> dict[str, Any]:
        name = f"msgbatch_{len(self.batches)}"
        self.batches[name] = requests
        self.looked[name] = 0
        return self.state(name)

    def state(self, name: str) -> dict[str, Any]:
        ended = self.looked[name] > self.polls
        counts = {"processing": 0, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": "2026-11-20T00:00:00Z",
            "expires_at": "2026-11-21T00:00:00Z",
            "ended_at": "2026-11-20T00:10:00Z" if ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"{self.url}/v1/messages/batches/{name}/results" if ended else None,
        }

    def results(self, name: str) -> str:
        """In reverse: their order is not that of the requests."""
        number = list(self.batches).index(name)
        lines = [
            {"custom_id": batch["custom_id"], "result": self.answer(batch["custom_id"], batch["params"], number)}
            for batch in reversed(self.batches[name])
        ]
        return "".join(f"{json.dumps(line)}\n" for line in lines)


class _Handler(Handler):
    @property
    def batches(self) -> BatchServer:
        assert isinstance(self.server, BatchServer)
        return self.server

    def post(self) -> None:
        body = self.read()
        assert self.path.split("?")[0] == "/v1/messages/batches", f"asked directly: {self.path}"
        self.reply(200, json.dumps(self.batches.submit(body["requests"])))

    def get(self) -> None:
        name = self.path.split("?")[0].split("/")[4]
        if self.batches.faults and (status := self.batches.faults.pop(0)):
            self.begin(status, 9 if status == 200 else 2, "application/json")
            self.wfile.write(b"{}")
            self.close_connection = True
        elif name not in self.batches.batches or name in self.batches.gone:
            error = {"type": "error", "error": {"type": "not_found_error", "message": "no such batch"}}
            self.reply(404, json.dumps(error))
        elif self.path.split("?")[0].endswith("/results"):
            self.reply(200, self.batches.results(name), "application/x-jsonl")
        else:
            self.batches.looked[name] += 1
            self.reply(200, json.dumps(self.batches.state(name)))

    def reply(self, status: int, text: str, kind: str = "application/json") -> None:
        data = text.encode()
        self.begin(status, len(data), kind)
        self.wfile.write(data)
