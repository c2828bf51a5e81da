"""Gathers the requests of many waiting questions into batches, and hands every answer to who waits for it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from drretail.errors import ModelError
from drretail.llm.batches.sent import BatchLedger
from drretail.records.base import sha256_of

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message

MOST_REQUESTS = 10_000
"""In one batch; the provider takes 100,000 or 256 MB, and reports with long sources reach the latter first."""
MOST_TRIES = 3
FINAL = frozenset({"invalid_request_error", "not_found_error", "request_too_large"})
"""Errors of the question itself: another batch would bring them again."""
QUIET_SECONDS = 1.0
"""No request came for so long: all who could ask have asked, and wait."""
POLL_SECONDS = 30.0
Sleep = Callable[[float], Awaitable[None]]
Notify = Callable[[str], None]


@dataclass(slots=True)
class _Waiting:
    """One question that waits for its answer; ``tries`` counts the batches that did not bring one."""

    digest: str
    params: dict[str, Any]
    answer: "asyncio.Future[Message]"
    tries: int = 0

    @property
    def custom_id(self) -> str:
        return f"{self.digest}-{self.tries}"


@dataclass(slots=True)
class BatchSubmitter:
    """One for each model and command; ``notify`` gets a line for each batch that is sent and that has ended."""

    client: "AsyncAnthropic"
    book: BatchLedger
    notify: Notify = lambda line: None
    quiet: float = QUIET_SECONDS
    poll: float = POLL_SECONDS
    sleep: Sleep = asyncio.sleep
    most: int = MOST_REQUESTS
    _waiting: dict[str, _Waiting] = field(default_factory=dict[str, _Waiting])
    _seen: Counter[str] = field(default_factory=Counter[str])
    _task: "asyncio.Task[None] | None" = None

    async def answer(self, params: dict[str, Any]) -> "Message":
        """The message that answers ``params`` (those of messages.create), once a batch has brought it.

        Raises ModelError for a request that the provider finds wrong, and after ``MOST_TRIES`` batches in which it
        expired, was cancelled, or failed for the provider's own reasons.
        """
        # Equal questions, such as a judge's repeats, need answers of their own.
        digest = sha256_of(params)[:40]
        numbered = f"{digest}-{self._seen[digest]}"
        self._seen[digest] += 1
        waiting = _Waiting(numbered, params, asyncio.get_running_loop().create_future())
        self._waiting[numbered] = waiting
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._serve())
        try:
            return await waiting.answer
        finally:
            self._waiting.pop(numbered, None)

    async def _serve(self) -> None:
        """Until nobody waits: sends what is new, once it is quiet, and looks whether a batch has ended."""
        try:
            while self._waiting:
                await self._until_quiet()
                await self._submit([waiting for waiting in self._waiting.values() if self._batch(waiting) is None])
                if not await self._collect():
                    await self.sleep(self.poll)
        except ModelError as problem:
            self._fail_all(problem)

    async def _until_quiet(self) -> None:
        before = -1
        while before != self._seen.total():
            before = self._seen.total()
            await self.sleep(self.quiet)

    async def _submit(self, fresh: list[_Waiting]) -> None:
        for start in range(0, len(fresh), self.most):
            part = fresh[start : start + self.most]
            requests: Any = [{"custom_id": waiting.custom_id, "params": waiting.params} for waiting in part]
            batch = await _performed(self.client.messages.batches.create(requests=requests))
            self.book.submitted(batch.id, tuple(waiting.custom_id for waiting in part))
            self.notify(f"{len(part):,} questions were sent as batch {batch.id}.")

    async def _collect(self) -> bool:
        """Hands out what ended batches hold; False when none has ended."""
        ended = False
        for batch_id in dict.fromkeys(filter(None, map(self._batch, list(self._waiting.values())))):
            batch = await self._retrieved(batch_id)
            if batch is None or batch.processing_status == "ended":
                ended = True
                await self._hand_out(batch_id, gone=batch is None)
        return ended

    async def _hand_out(self, batch_id: str, *, gone: bool) -> None:
        """Results come in any order, so questions are answered in the order in which they were asked."""
        results: dict[str, Any] = {}
        if not gone:
            async for item in await _performed(self.client.messages.batches.results(batch_id)):
                results[item.custom_id] = item.result
        self.notify(f"Batch {batch_id} {'is gone' if gone else 'has ended'}: {_counted(results)}.")
        for waiting in [waiting for waiting in self._waiting.values() if self._batch(waiting) == batch_id]:
            self._settle(waiting, results.get(waiting.custom_id))

    def _settle(self, waiting: _Waiting, result: Any) -> None:
        if waiting.answer.done():
            return
        kind = _kind(result)
        if kind == "succeeded":
            waiting.answer.set_result(result.message)
        elif kind in FINAL:
            waiting.answer.set_exception(ModelError("model", f"the provider refuses the question: {_problem(result)}"))
        else:
            self.book.forget(waiting.custom_id)
            waiting.tries += 1
            if waiting.tries >= MOST_TRIES:
                problem = f"no answer in {MOST_TRIES} batches; the last time it was: {_problem(result)}"
                waiting.answer.set_exception(ModelError("timeout" if kind == "expired" else "model", problem))

    def _batch(self, waiting: _Waiting) -> str | None:
        return self.book.batch_of(waiting.custom_id)

    async def _retrieved(self, batch_id: str) -> Any:
        """The batch as it stands; None where the provider knows it no more."""
        from anthropic import NotFoundError

        try:
            return await _performed(self.client.messages.batches.retrieve(batch_id))
        except ModelError as problem:
            if isinstance(problem.__cause__, NotFoundError):
                return None
            raise

    def _fail_all(self, problem: ModelError) -> None:
        for waiting in self._waiting.values():
            if not waiting.answer.done():
                failed = ModelError(problem.kind, problem.message)
                failed.__cause__ = problem.__cause__
                waiting.answer.set_exception(failed)


async def _performed(call: Awaitable[Any]) -> Any:
    """What a call of the provider's batches brings; ModelError where its client gave up."""
    from anthropic import APIError

    try:
        return await call
    except APIError as problem:
        reason = f"{type(problem).__name__}: {problem.message}"
        raise ModelError("model", f"the batch could not be sent or read: {reason}") from problem


def _kind(result: Any) -> str:
    """The type of a result, of its error where it has one, and "missing" for a result that never came."""
    if result is None:
        return "missing"
    return result.error.error.type if result.type == "errored" else result.type


def _problem(result: Any) -> str:
    kind = _kind(result)
    return f"{kind}: {result.error.error.message}" if result is not None and result.type == "errored" else kind


def _counted(results: dict[str, Any]) -> str:
    counts = Counter(result.type for result in results.values())
    return ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items())) or "no results"
