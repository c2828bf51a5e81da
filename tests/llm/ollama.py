"""What an Ollama server says: chats as lines of JSON, errors as an object."""

import json
from typing import Any

from .provider import Step

MADE = "2026-11-01T00:00:00Z"


def says(
    text: str = "",
    *calls: dict[str, Any],
    done_reason: str = "stop",
    prompt_eval_count: int = 21,
    eval_count: int = 4,
) -> Step:
    """A streamed chat of three lines: the text in two parts, with the calls of tools, then the counts."""
    half = len(text) // 2
    functions = [{"function": {"name": call["name"], "arguments": call["args"]}} for call in calls]
    counts = {"prompt_eval_count": prompt_eval_count, "eval_count": eval_count, "total_duration": 1}
    lines = [
        _line({"content": text[:half]} | ({"tool_calls": functions} if functions else {})),
        _line({"content": text[half:]}),
        _line({"content": ""}) | {"done": True, "done_reason": done_reason, **counts},
    ]
    return Step(body="".join(json.dumps(line) + "\n" for line in lines).encode())


def refuses(status: int, message: str) -> Step:
    return Step(status, json.dumps({"error": message}).encode())


def _line(message: dict[str, Any]) -> dict[str, Any]:
    return {"model": "local", "created_at": MADE, "message": {"role": "assistant", **message}, "done": False}
