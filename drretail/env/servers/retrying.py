"""A step that is tried again while a server is overloaded, restarting or out of reach; for a bounded time."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import elastic_transport
import elasticsearch
from pymongo import errors as mongo

from drretail.env.servers.faults import BUSY, TIMED_OUT

Result = TypeVar("Result")
# MongoDB's codes for "not now": shutting down, stepping down, no primary, interrupted by either.
PASSING = frozenset({6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436})


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a step is tried; times in seconds."""

    seconds: float = 120
    first_wait: float = 0.2
    longest_wait: float = 5
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def patiently(self, step: Callable[[], Result]) -> Result:
        """``keep_trying`` for a step that does the same each time."""
        return self.keep_trying(lambda _again: step())

    def keep_trying(self, step: Callable[[bool], Result]) -> Result:
        """What ``step`` gives; it is told whether it is tried again.

        Raises what it raised last when the time is over, and at once what will not pass.
        """
        end, wait, again = self.clock() + self.seconds, self.first_wait, False
        while True:
            try:
                return step(again)
            except (mongo.PyMongoError, elastic_transport.TransportError, elasticsearch.ApiError) as problem:
                if not passes(problem) or self.clock() + wait > end:
                    raise
            self.sleep(wait * random.uniform(0.5, 1))
            wait, again = min(2 * wait, self.longest_wait), True


def passes(problem: Exception) -> bool:
    """True where the same request may succeed a moment later."""
    if isinstance(problem, mongo.BulkWriteError):
        details = problem.details or {}
        errors = [*details.get("writeErrors", ()), *details.get("writeConcernErrors", ())]
        return bool(errors) and all(error.get("code") in PASSING for error in errors)
    if isinstance(problem, mongo.ConnectionFailure):
        return True
    if isinstance(problem, mongo.OperationFailure):
        return problem.code in PASSING or problem.has_error_label("RetryableWriteError")
    if isinstance(problem, elasticsearch.ApiError):
        return problem.status_code in BUSY | TIMED_OUT
    return isinstance(problem, elastic_transport.ConnectionError | elastic_transport.ConnectionTimeout)
