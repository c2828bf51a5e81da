"""The run's models behind the addresses of providers: each call is journalled, counted, priced and capped.

The model that the run names answers, whatever name an agent asks for, and the provider's key stays in this process.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import JSONResponse, Response

from drretail.doors.protocols import PROTOCOLS, Unanswerable, cut
from drretail.errors import CommandStopped, ModelError
from drretail.llm.models import Models
from drretail.llm.usage import CHARACTERS_PER_TOKEN
from drretail.tools.registry import ROLE

NO_MODEL = "This run has no model: start it with --model PROVIDER:MODEL."
_STATUSES: Mapping[str, tuple[int, str]] = {
    "budget": (429, "insufficient_quota"),
    "context_overflow": (400, "context_length_exceeded"),
    "refusal": (400, "content_policy_violation"),
    "timeout": (504, "timeout"),
}
"""How providers answer the kinds of errors; any other is 502."""


@dataclass
class ModelDoor:
    """The door to the models of one run; ``models`` None refuses every call."""

    models: Models | None
    problem: ModelError | None = field(init=False, default=None)
    """The budget that a call would have exceeded."""
    fatal: ModelError | CommandStopped | None = field(init=False, default=None)
    """Why no further call can be answered: a replayed journal lacks this one, or the provider refuses all."""
    calls: int = field(init=False, default=0)

    async def __call__(self, method: str, path: str, sent: bytes) -> Response:
        """Answers a request; ``path`` is what follows /v1."""
        if path == "/models":
            return JSONResponse({"object": "list", "data": []})
        if method != "POST" or path not in (*PROTOCOLS, "/embeddings", "/messages/count_tokens"):
            return _refused(404, "not_found_error", "The gateway serves no such call.")
        if self.models is None:
            return _refused(401, "authentication_error", NO_MODEL)
        try:
            body: dict[str, Any] = json.loads(sent)
            if path == "/messages/count_tokens":
                return JSONResponse({"input_tokens": len(json.dumps(body)) // CHARACTERS_PER_TOKEN})
            self.calls += 1
            if path == "/embeddings":
                return JSONResponse(await self.models.embed(ROLE, body))
            return await self._answered(self.models, path, body)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            why = str(problem) if isinstance(problem, Unanswerable) else f"The request can't be read: {problem!r}."
            return _refused(400, "invalid_request_error", why)
        except ModelError as problem:
            if problem.kind == "budget":
                self.problem = problem
            elif problem.kind == "agent":
                self.fatal = problem
            status, kind = _STATUSES.get(problem.kind, (502, "api_error"))
            return _refused(status, kind, problem.message)
        except CommandStopped as problem:
            self.fatal = problem
            return _refused(401, "authentication_error", str(problem))

    async def _answered(self, models: Models, path: str, body: dict[str, Any]) -> Response:
        protocol = PROTOCOLS[path]
        asked = protocol.read(body)
        answer = await models.forward(ROLE, asked.messages, asked.tools, asked.choice, asked.schema)
        document = protocol.write(cut(answer, asked.stops), str(body.get("model", "")))
        if not body.get("stream"):
            return JSONResponse(document)
        return Response(protocol.events(document), media_type="text/event-stream")


def _refused(status: int, kind: str, why: str) -> Response:
    """An error in the form of OpenAI and Anthropic; their clients are told to make no second attempt."""
    error = {"type": kind, "code": kind, "message": why, "param": None}
    return JSONResponse({"type": "error", "error": error}, status, {"x-should-retry": "false"})
