"""Which faults of a provider pass by themselves, and how long it asks to wait: the same reading of every client."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

PASSING_STATUS = frozenset({408, 409, 429})
"""And all from 500 on: 529 is Anthropic's word for overloaded."""
# By class name anywhere in an error's ancestry: the clients share names where they share no base.
_PASSING = frozenset({
    "APIConnectionError",
    "APITimeoutError",
    "ConnectionError",
    "ModelConnectionError",
    "ModelTimeoutError",
    "TimeoutError",
    "TransportError",
})  # fmt: skip
# Anthropic and OpenAI report faults in the middle of a stream by these words, with a status of 200 or none at all.
_PASSING_WORDS = frozenset({"api_error", "overloaded_error", "rate_limit_error", "server_error", "timeout_error"})
_LASTING_WORDS = frozenset({"insufficient_quota"})
"""OpenAI answers 429 to an empty account as well: waiting does not fill it."""


def passes(problem: BaseException) -> bool:
    """True for what another attempt may not meet: 408, 409, 429, 5xx, dropped connections, time-outs, broken JSON."""
    if isinstance(problem, json.JSONDecodeError):
        return True
    words = {word for error in _chain(problem) for word in _words(error)}
    if words & _LASTING_WORDS:
        return False
    told = next(filter(None, (_headers(error).get("x-should-retry") for error in _chain(problem))), None)
    if told in ("true", "false"):
        return told == "true"
    status = status_of(problem)
    if status is not None:
        return status in PASSING_STATUS or status >= 500
    if words & _PASSING_WORDS:
        return True
    names = {ancestor.__name__ for error in _chain(problem) for ancestor in type(error).__mro__}
    return bool(names & _PASSING)


def status_of(problem: BaseException) -> int | None:
    """The HTTP status of a refused request, from whichever link of its causes knows one; None without any."""
    for error in _chain(problem):
        for name in ("status_code", "code"):
            value = getattr(error, name, None)
            if isinstance(value, int) and value >= 400:
                return value
        told = _inner(error).get("code")  # vLLM says it in the middle of a stream, with a status of 200
        if isinstance(told, int) and told >= 400:
            return told
    return None


def asked_wait(problem: BaseException, now: datetime | None = None) -> float | None:
    """Seconds that the provider asks to wait before the next attempt; None when it doesn't say.

    Read from retry-after-ms, retry-after (seconds or a date), and the RetryInfo of Google's bodies.
    """
    for error in _chain(problem):
        headers = _headers(error)
        found = _number(headers.get("retry-after-ms"), 0.001) or _retry_after(headers.get("retry-after"), now)
        found = found or _retry_delay(getattr(error, "details", None))
        if found is not None and found > 0:
            return found
    return None


def _chain(problem: BaseException) -> Iterator[BaseException]:
    """An error and what it was raised from. Ollama's client hides the response's error behind ``from None``."""
    seen: set[int] = set()
    error: BaseException | None = problem
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _headers(error: BaseException) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers if isinstance(headers, Mapping) else {}


def _inner(error: BaseException) -> dict[str, Any]:
    """The error object of a body; Anthropic's is nested, OpenAI's client hands it out as the body."""
    body: Any = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {}


def _words(error: BaseException) -> Iterator[str]:
    inner = _inner(error)
    yield from (value for name in ("type", "code") if isinstance(value := inner.get(name), str))


def _retry_after(value: str | None, now: datetime | None) -> float | None:
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    then = then if then.tzinfo is not None else then.replace(tzinfo=UTC)
    return (then - (now or datetime.now(UTC))).total_seconds()


def _retry_delay(details: Any) -> float | None:
    """Google's ``{"error": {"details": [{"retryDelay": "30s"}]}}``."""
    error = details.get("error", details) if isinstance(details, dict) else None
    parts = error.get("details") if isinstance(error, dict) else None
    for part in parts if isinstance(parts, list) else ():
        delay = part.get("retryDelay") if isinstance(part, dict) else None
        if isinstance(delay, str):
            return _number(delay.removesuffix("s"))
    return None


def _number(value: str | None, unit: float = 1.0) -> float | None:
    try:
        return None if value is None else float(value) * unit
    except ValueError:
        return None
