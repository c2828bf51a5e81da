from unittest.mock import Mock

import elastic_transport
import elasticsearch
import pytest
from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig
from pymongo import errors

from drretail.env.servers.clients import Patience, elastic_faults, is_passing, mongo_faults
from drretail.errors import ToolError

SECRET = "pass-word"
NODE = NodeConfig("http", "host", 9200)


def refused(status: int, kind: type[elasticsearch.ApiError] = elasticsearch.ApiError) -> elasticsearch.ApiError:
    return kind(SECRET, ApiResponseMeta(status, "1.1", HttpHeaders(), 0.1, NODE), {"error": SECRET})


FAULTS: list[tuple[Exception, str, bool]] = [
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


@pytest.mark.parametrize(("problem", "kind", "passing"), FAULTS)
def test_a_fault_is_told_without_the_servers_words_and_may_pass(problem: Exception, kind: str, passing: bool) -> None:
    of_mongo = isinstance(problem, errors.PyMongoError)
    server, faults = ("MongoDB", mongo_faults) if of_mongo else ("Elasticsearch", elastic_faults)
    with pytest.raises(ToolError, match=f"{server} at host:1") as caught, faults("host:1"):
        raise problem
    assert caught.value.kind == kind
    assert SECRET not in str(caught.value)
    assert is_passing(problem) is passing


def test_a_step_is_tried_until_it_succeeds() -> None:
    step = Mock(side_effect=[refused(429), refused(429), "done"])
    assert Patience(seconds=30, sleep=lambda _: None).patiently(step) == "done"


@pytest.mark.parametrize(
    ("problem", "least", "most"), [(errors.AutoReconnect(SECRET), 20, 30), (refused(400), 0, 0)], ids=["may", "may not"]
)
def test_patience_ends_in_time_and_at_once_with_what_will_not_pass(problem: Exception, least: int, most: int) -> None:
    slept: list[float] = []
    patience = Patience(seconds=30, sleep=slept.append, clock=lambda: sum(slept))
    with pytest.raises(type(problem)):
        patience.patiently(Mock(side_effect=problem))
    assert least <= sum(slept) <= most
