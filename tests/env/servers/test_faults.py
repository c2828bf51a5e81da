from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import elastic_transport
import elasticsearch
import pytest
from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig
from pymongo import errors

from drretail.env.servers.faults import Patience, elastic_faults, is_passing, mongo_faults
from drretail.errors import ToolError

SECRET = "pass-word"
NODE = NodeConfig("http", "host", 9200)


def refused(status: int, kind: type[elasticsearch.ApiError] = elasticsearch.ApiError) -> elasticsearch.ApiError:
    return kind(SECRET, ApiResponseMeta(status, "1.1", HttpHeaders(), 0.1, NODE), {"error": SECRET})


MONGO: list[tuple[Exception, str, bool]] = [
    (errors.ServerSelectionTimeoutError(SECRET), "unavailable", True),
    (errors.AutoReconnect(SECRET), "unavailable", True),
    (errors.NetworkTimeout(SECRET), "timeout", True),
    (errors.WaitQueueTimeoutError(SECRET), "unavailable", True),
    (errors.ExecutionTimeout(SECRET, 50), "timeout", False),
    (errors.OperationFailure(SECRET, 18), "unavailable", False),
    (errors.InvalidOperation(SECRET), "unavailable", False),
    (errors.OperationFailure(SECRET, 11600), "unavailable", True),
    (errors.BulkWriteError({"writeErrors": [], "writeConcernErrors": [{"code": 91}]}), "unavailable", True),
    (errors.BulkWriteError({"writeErrors": [{"code": 91}, {"code": 2}]}), "unavailable", False),
]
ELASTIC: list[tuple[Exception, str, bool]] = [
    (elastic_transport.ConnectionError(SECRET), "unavailable", True),
    (elastic_transport.ConnectionTimeout(SECRET), "timeout", True),
    (elastic_transport.SerializationError(SECRET), "unavailable", False),
    (refused(429), "unavailable", True),
    (refused(504), "timeout", True),
    (refused(401, elasticsearch.AuthenticationException), "unavailable", False),
    (refused(404, elasticsearch.NotFoundError), "unavailable", False),
    (refused(400, elasticsearch.BadRequestError), "unavailable", False),
    (refused(200, elasticsearch.UnsupportedProductError), "unavailable", False),
]


FAULTS = [
    *(("MongoDB", mongo_faults, *row) for row in MONGO),
    *(("Elasticsearch", elastic_faults, *row) for row in ELASTIC),
]


@pytest.mark.parametrize(("server", "faults", "problem", "kind", "passing"), FAULTS)
def test_what_a_server_does_to_a_call_is_told_without_its_words_and_tried_again_only_if_it_may_pass(
    server: str, faults: Callable[[str], AbstractContextManager[None]], problem: Exception, kind: str, passing: bool
) -> None:
    with pytest.raises(ToolError, match=f"{server} at host:1") as caught, faults("host:1"):
        raise problem
    assert caught.value.kind == kind
    assert SECRET not in str(caught.value)
    assert is_passing(problem) is passing


class Clock:
    """Time goes on only by sleeping."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def patience(self, **given: Any) -> Patience:
        return Patience(sleep=self.sleep, clock=lambda: self.now, **given)


def test_a_step_is_tried_until_it_succeeds() -> None:
    answers = iter([refused(429), refused(429), "done"])

    def step() -> object:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert Clock().patience().patiently(step) == "done"


@pytest.mark.parametrize(
    ("problem", "least", "most"), [(errors.AutoReconnect(SECRET), 20, 30), (refused(400), 0, 0)], ids=["may", "may not"]
)
def test_patience_ends_in_time_with_the_last_error_and_at_once_with_what_will_not_pass(
    problem: Exception, least: float, most: float
) -> None:
    clock = Clock()

    def step() -> None:
        raise problem

    with pytest.raises(type(problem)):
        clock.patience(seconds=30).patiently(step)
    assert least <= clock.now <= most
