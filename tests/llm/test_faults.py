"""Which faults pass, and how long providers ask to wait. _kind_of, check_down, _sentence: tests/llm/test_calling.py.
_with_all_calls, _whole: tests/llm/test_providers.py. denial_of: tests/llm/test_servers.py.
"""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from drretail.llm.faults import asked_wait, passes

NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


class Refused(Exception):
    """As the SDKs build theirs: a status, a body, and the response with its headers."""

    def __init__(self, status_code: int | None = None, body: Any = None, **headers: str) -> None:
        super().__init__("refused")
        self.body = body
        self.response = SimpleNamespace(headers={name.replace("_", "-"): value for name, value in headers.items()})
        if status_code is not None:
            self.status_code = status_code


def wrapped(cause: Exception) -> Exception:
    """What a client raises from another error."""
    problem = Exception("wrapped")
    problem.__cause__ = cause
    return problem


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        *((Refused(status), True) for status in (408, 409, 429, 500, 502, 503, 529)),
        *((Refused(status), False) for status in (400, 401, 403, 404, 413, 422)),
        (wrapped(Refused(503)), True),
        (ValueError("no"), False),
        (Refused(500, x_should_retry="false"), False),
        (Refused(400, x_should_retry="true"), True),
        (Refused(429, {"type": "insufficient_quota", "code": "insufficient_quota"}), False),
        (Refused(200, {"error": {"type": "overloaded_error"}}), True),
        (Refused(None, {"code": 500, "type": "InternalServerError"}), True),
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
        ({"retry_after": "0"}, None),
        ({"retry_after_ms": "250", "retry_after": "1"}, 0.25),
    ],
)
def test_retry_after_is_seconds_milliseconds_or_a_date(headers: dict[str, str], expected: float | None) -> None:
    assert asked_wait(Refused(429, None, **headers), NOW) == expected
    assert asked_wait(wrapped(Refused(429, None, **headers)), NOW) == expected
