"""What passes by itself and how long to wait, read off the errors of every client."""

import json
from datetime import UTC, datetime
from typing import Any

import httpx
import httpx2
import pytest

from drretail.llm.faults import asked_wait, passes, status_of

NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


class Response:
    def __init__(self, **headers: str) -> None:
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Refused(Exception):
    """As the SDKs build theirs: a status, a body, and the response with its headers."""

    def __init__(self, status_code: int | None = None, body: Any = None, **headers: str) -> None:
        super().__init__("refused")
        self.body = body
        self.response = Response(**headers)
        if status_code is not None:
            self.status_code = status_code


class APIConnectionError(Exception):
    pass


class Wrapper(Exception):
    pass


def wrapped(cause: Exception, *, hidden: bool = False) -> Exception:
    try:
        try:
            raise cause
        except type(cause) as problem:
            raise Wrapper("wrapped") from (None if hidden else problem)
    except Wrapper as problem:
        return problem


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        *((Refused(status), True) for status in (408, 409, 429, 500, 502, 503, 529)),
        *((Refused(status), False) for status in (400, 401, 403, 404, 413, 422)),
        (APIConnectionError(), True),
        (ConnectionResetError(), True),
        (httpx.RemoteProtocolError("peer closed connection"), True),
        (httpx2.RemoteProtocolError("peer closed connection"), True),
        (TimeoutError(), True),
        (json.JSONDecodeError("x", "", 0), True),
        (wrapped(Refused(503)), True),
        (wrapped(Refused(404)), False),
        (ValueError("no"), False),
        (Refused(500, x_should_retry="false"), False),
        (Refused(400, x_should_retry="true"), True),
        (Refused(429, {"type": "insufficient_quota", "code": "insufficient_quota"}), False),
        (Refused(200, {"error": {"type": "overloaded_error"}}), True),
        (Refused(None, {"type": "server_error"}), True),
        (Refused(None, {"code": 500, "type": "InternalServerError"}), True),
        (Refused(None, {"type": "invalid_request_error"}), False),
    ],
)
def test_what_another_attempt_may_not_meet_passes(problem: Exception, expected: bool) -> None:
    assert passes(problem) is expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry_after": "7"}, 7),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after": "Fri, 20 Nov 2026 12:01:30 GMT"}, 90),
        ({"retry_after": "Fri, 20 Nov 2026 11:00:00 GMT"}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "0"}, None),
        ({"retry_after_ms": "250", "retry_after": "1"}, 0.25),
        ({"retry_after_ms": "x", "retry_after": "1"}, 1),
    ],
)
def test_retry_after_is_seconds_milliseconds_or_a_date(headers: dict[str, str], expected: float | None) -> None:
    assert asked_wait(Refused(429, None, **headers), NOW) == expected
    assert asked_wait(wrapped(Refused(429, None, **headers)), NOW) == expected


def test_googles_retry_info_is_read_from_the_body() -> None:
    problem = Refused(429)
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "31.5s"}
    problem.details = {"error": {"code": 429, "details": [{"@type": "other"}, info]}}  # pyright: ignore[reportAttributeAccessIssue]
    assert asked_wait(wrapped(problem)) == 31.5


def test_what_a_client_hides_behind_from_none_is_found() -> None:
    problem = wrapped(Refused(429, retry_after="3"), hidden=True)
    assert (asked_wait(problem), status_of(problem), passes(problem)) == (3, 429, True)
