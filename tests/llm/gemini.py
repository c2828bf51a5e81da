"""What Google's generateContent says: candidates of parts, usage, errors with a status word."""

import json
from typing import Any

from .provider import Step

WORDS = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED"}


def says(
    *parts: dict[str, Any],
    finish: str = "STOP",
    prompt: int = 40,
    candidates: int = 6,
    thoughts: int = 0,
    cached: int = 0,
) -> Step:
    usage = {"promptTokenCount": prompt, "candidatesTokenCount": candidates}
    usage["totalTokenCount"] = prompt + candidates + thoughts
    usage |= {"thoughtsTokenCount": thoughts} if thoughts else {}
    usage |= {"cachedContentTokenCount": cached} if cached else {}
    content = {"role": "model", "parts": list(parts)}
    candidate = {"content": content, "finishReason": finish, "index": 0}
    body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-test"}
    return Step(body=json.dumps(body).encode())


def text(message: str) -> dict[str, Any]:
    return {"text": message}


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": args}}


def blocked() -> Step:
    """The prompt itself was refused: no candidate at all."""
    return Step(body=json.dumps({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}}).encode())


def refuses(status: int, message: str = "scripted") -> Step:
    error = {"code": status, "message": message, "status": WORDS[status]}
    return Step(status, json.dumps({"error": error}).encode())
