"""Turns a failing server's errors into one kind, which names the address and never a secret.

The clients' own messages are not passed on, since some repeat what was sent.
"""

import random
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import elastic_transport
import elasticsearch
from pymongo import errors as mongo

from drretail.errors import ToolError

TIMED_OUT = frozenset({408, 504})
BUSY = frozenset({429, 502, 503})
# MongoDB's codes for a user who is unknown or whose password is wrong,
AUTHENTICATION = frozenset({11, 18, 8000})
# for one who may not do this,
FORBIDDEN = 13
# and for a database whose name differs from another's only in upper and lower case.
SAME_BUT_FOR_CASE = 13297
MONGO_RIGHTS = "to read a world takes the role `read` on its database, to load it `readWrite`"
ES_RIGHTS = (
    "to read a world takes `read` and `view_index_metadata` on its indices NAME-g*, to load it `manage`, `create` and "
    "`read` on NAME and NAME-g*"
)


@contextmanager
def mongo_faults(address: str) -> Generator[None]:
    """Turns pymongo's errors into ToolError("timeout" or "unavailable")."""
    try:
        yield
    except mongo.PyMongoError as problem:
        raise mongo_fault(problem, address) from problem


@contextmanager
def elastic_faults(address: str) -> Generator[None]:
    """Turns the errors of Elasticsearch's client into ToolError("timeout" or "unavailable")."""
    try:
        yield
    except (elastic_transport.TransportError, elasticsearch.ApiError) as problem:
        raise elastic_fault(problem, address) from problem


def mongo_fault(problem: mongo.PyMongoError, address: str) -> ToolError:
    """The ToolError for an error of pymongo; ``address`` as ``clients.hosts_of`` returns it."""
    where = f"The shop's database (MongoDB at {address})"
    if isinstance(problem, mongo.ServerSelectionTimeoutError):
        return ToolError("unavailable", f"{where} cannot be reached.")
    if isinstance(problem, mongo.WaitQueueTimeoutError):
        return ToolError("unavailable", f"{where} has no connection free: too many requests at once.")
    if problem.timeout:
        return ToolError("timeout", f"{where} gave no answer in time.")
    if isinstance(problem, mongo.ConnectionFailure):
        return ToolError("unavailable", f"{where} closed the connection.")
    if isinstance(problem, mongo.InvalidOperation):
        return ToolError("unavailable", f"{where} was asked after its world was closed.")
    code = problem.code if isinstance(problem, mongo.OperationFailure) else None
    if code in AUTHENTICATION:
        return ToolError("unavailable", f"{where} refused the credentials (code {code}).")
    if code == FORBIDDEN:
        return ToolError("unavailable", f"{where} does not let this user do that (code {code}): {MONGO_RIGHTS}.")
    if code == SAME_BUT_FOR_CASE:
        advice = "choose another name for the world"
        return ToolError("unavailable", f"{where} has a database of this name in other upper and lower case: {advice}.")
    reason = f"code {code}" if code is not None else type(problem).__name__
    return ToolError("unavailable", f"{where} refused the request ({reason}).")


def elastic_fault(problem: elastic_transport.TransportError | elasticsearch.ApiError, address: str) -> ToolError:
    """The ToolError for an error of Elasticsearch's client; ``address`` as ``clients.hosts_of`` returns it."""
    where = f"The shop's search (Elasticsearch at {address})"
    if isinstance(problem, elastic_transport.ConnectionTimeout):
        return ToolError("timeout", f"{where} gave no answer in time.")
    if isinstance(problem, elastic_transport.TlsError):
        return ToolError("unavailable", f"{where} has a certificate that is not trusted.")
    if isinstance(problem, elastic_transport.ConnectionError):
        return ToolError("unavailable", f"{where} cannot be reached.")
    if isinstance(problem, elastic_transport.TransportError):
        return ToolError("unavailable", f"{where} gave an answer that cannot be read ({type(problem).__name__}).")
    if isinstance(problem, elasticsearch.UnsupportedProductError):
        return ToolError("unavailable", f"{where} is another kind of server.")
    status = problem.status_code
    if status in TIMED_OUT:
        return ToolError("timeout", f"{where} gave no answer in time (status {status}).")
    if status in BUSY:
        return ToolError("unavailable", f"{where} is overloaded (status {status}); another call may do.")
    if status == 401:
        return ToolError("unavailable", f"{where} refused the credentials (status {status}).")
    if status == 403:
        return ToolError("unavailable", f"{where} does not let this user do that (status {status}): {ES_RIGHTS}.")
    if status == 404:
        return ToolError("unavailable", f"{where} no longer has the index of this world: open the world anew.")
    return ToolError("unavailable", f"{where} refused the request (status {status}).")


Result = TypeVar("Result")
# MongoDB's codes for "not now": shutting down, stepping down, no primary, interrupted by either.
NOT_NOW = frozenset({6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436})


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a step is retried; times in seconds."""

    seconds: float = 120
    first_wait: float = 0.2
    longest_wait: float = 5
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def patiently(self, step: Callable[[], Result]) -> Result:
        """The step's result. Raises its last error once the time is over, and a lasting error at once."""
        end, wait = self.clock() + self.seconds, self.first_wait
        while True:
            try:
                return step()
            except (mongo.PyMongoError, elastic_transport.TransportError, elasticsearch.ApiError) as problem:
                if not is_passing(problem) or self.clock() + wait > end:
                    raise
            self.sleep(wait * random.uniform(0.5, 1))
            wait = min(2 * wait, self.longest_wait)


def is_passing(problem: Exception) -> bool:
    """True if the same request may succeed a moment later."""
    if isinstance(problem, mongo.BulkWriteError):
        details = problem.details or {}
        errors = [*details.get("writeErrors", ()), *details.get("writeConcernErrors", ())]
        return bool(errors) and all(error.get("code") in NOT_NOW for error in errors)
    if isinstance(problem, mongo.ConnectionFailure):
        return True
    if isinstance(problem, mongo.OperationFailure):
        return problem.code in NOT_NOW or problem.has_error_label("RetryableWriteError")
    if isinstance(problem, elasticsearch.ApiError):
        return problem.status_code in BUSY | TIMED_OUT
    return isinstance(problem, elastic_transport.ConnectionError | elastic_transport.ConnectionTimeout)
