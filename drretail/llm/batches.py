"""Answers questions through Anthropic's Message Batches: half the price, within a day.

The requests of many waiting questions are gathered into batches, and each answer goes to the call that waits for it.
Messages, schemas and answers are the same as when the model is asked directly. A ledger on disk keeps which requests
were sent in which batch, so that a killed command finds its answers again and pays for nothing twice.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_anthropic import ChatAnthropic
from pydantic import Field

from drretail.errors import CommandStopped, ModelError, UserError, file_error
from drretail.files import write_atomically
from drretail.llm.faults import AGAIN, passes
from drretail.llm.providers import ONCE, Pacer
from drretail.llm.registry import Model
from drretail.records.base import sha256_of
from drretail.records.figures import counted
from drretail.records.run import slug

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message

MOST_REQUESTS = 10_000
"""Requests in one batch. The provider takes 100,000 or 256 MB, which reports with long sources reach first."""
MOST_TRIES = 3
"""The most batches in which one request is sent. Each may take a day."""
FINAL = frozenset({"invalid_request_error", "not_found_error", "request_too_large"})
"""Errors of the request itself: another batch would end in the same error."""
QUIET_SECONDS = 1.0
"""Seconds without a new request after which a batch is sent: by then every caller that can ask has asked and waits."""
POLL_SECONDS = 30.0
Notify = Callable[[str], None]
BATCHING = "anthropic"
"""The only provider whose batch API is supported."""
_OF_THE_SENDING = frozenset({"extra_body", "extra_headers", "extra_query", "timeout"})


class BatchLedger:
    """In which batch each question was sent whose answer may not be used yet, in a file of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._batches: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def batch_of(self, request: str) -> str | None:
        """The id of the batch that a request was sent in; None if it was never sent, is settled, or was forgotten."""
        return self._batches.get(request)

    def submitted(self, batch_id: str, requests: Iterable[str]) -> None:
        self._batches |= dict.fromkeys(requests, batch_id)
        write_atomically(self._path, json.dumps(self._batches, indent=0))

    def forget(self, request: str) -> None:
        """Forgets a request whose answer was of no use, so that it is sent again."""
        self._batches.pop(request, None)

    def settle(self) -> None:
        """Forgets all, once every question has its answer. The same questions, asked again, are new."""
        self._path.unlink(missing_ok=True)


@dataclass(slots=True)
class _Waiting:
    """A question that waits for its answer. ``tries`` counts the batches that brought none."""

    digest: str
    params: dict[str, Any]
    answer: "asyncio.Future[Message]"
    tries: int = 0

    @property
    def custom_id(self) -> str:
        return f"{self.digest}-{self.tries}"


@dataclass(slots=True)
class BatchSubmitter:
    """Sends the questions to one model within one command as batches.

    ``notify`` gets a line for each batch that was sent and for each that has ended.
    """

    client: "AsyncAnthropic"
    book: BatchLedger
    notify: Notify = lambda line: None
    quiet: float = QUIET_SECONDS
    poll: float = POLL_SECONDS
    most: int = MOST_REQUESTS
    _waiting: dict[str, _Waiting] = field(default_factory=dict[str, _Waiting])
    _seen: Counter[str] = field(default_factory=Counter[str])
    _task: "asyncio.Task[None] | None" = None

    async def answer(self, params: dict[str, Any]) -> "Message":
        """The message that answers ``params`` (those of messages.create), once a batch has brought it.

        Raises ModelError if the provider rejects the request, or after ``MOST_TRIES`` batches in which it expired, was
        cancelled, or failed for the provider's own reasons. Raises CommandStopped if no batch can be sent or read.
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
        """Sends new requests once no more arrive, and polls the batches, until no question waits."""
        try:
            while self._waiting:
                before = -1
                while before != self._seen.total():
                    before = self._seen.total()
                    await asyncio.sleep(self.quiet)
                fresh = [call for call in self._waiting.values() if self.book.batch_of(call.custom_id) is None]
                for start in range(0, len(fresh), self.most):
                    part = fresh[start : start + self.most]
                    requests: Any = [{"custom_id": waiting.custom_id, "params": waiting.params} for waiting in part]
                    batch = await self.client.messages.batches.create(requests=requests)
                    self.book.submitted(batch.id, (waiting.custom_id for waiting in part))
                    self.notify(f"{counted(len(part), 'request')} sent as batch {batch.id}.")
                if not await self._collect_unless_down():
                    await asyncio.sleep(self.poll)
        except Exception as problem:  # noqa: BLE001 -- whatever it is, nobody else would tell those who wait
            reason = file_error(problem) if isinstance(problem, OSError) else f"{type(problem).__name__}: {problem}"
            for waiting in self._waiting.values():
                if not waiting.answer.done():
                    # Stopped, since a failed question is sent, and paid, once more in another form.
                    stopped = CommandStopped(f"The batches cannot be sent or read ({reason}): mend that {AGAIN}")
                    stopped.__cause__ = problem
                    waiting.answer.set_exception(stopped)

    async def _collect_unless_down(self) -> bool:
        """``_collect``; False too while the provider can't be reached, since batches go on and are paid for."""
        try:
            return await self._collect()
        except Exception as problem:
            if not passes(problem):
                raise
            self.notify(f"The batches cannot be read now ({problem}); the next try is in {self.poll:.0f} s.")
            return False

    async def _collect(self) -> bool:
        """Hands out the results of ended batches. False if none has ended."""
        from anthropic import NotFoundError

        ended = False
        batches = [self.book.batch_of(waiting.custom_id) for waiting in self._waiting.values()]
        for batch_id in dict.fromkeys(filter(None, batches)):
            try:
                batch = await self.client.messages.batches.retrieve(batch_id)
            except NotFoundError:
                batch = None  # the provider no longer knows it
            if batch is None or batch.processing_status == "ended":
                ended = True
                await self._hand_out(batch_id, gone=batch is None)
        return ended

    async def _hand_out(self, batch_id: str, *, gone: bool) -> None:
        """Answers the questions of one batch in the order in which they were asked, since results come in any order."""
        results: dict[str, Any] = {}
        if not gone:
            async for item in await self.client.messages.batches.results(batch_id):
                results[item.custom_id] = item.result
        counts = Counter(result.type for result in results.values())
        counted = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items())) or "no results"
        self.notify(f"Batch {batch_id} {'is gone' if gone else 'has ended'}: {counted}.")
        for waiting in list(self._waiting.values()):
            if self.book.batch_of(waiting.custom_id) != batch_id or waiting.answer.done():
                continue
            result: Any = results.get(waiting.custom_id)
            kind = _kind(result)
            if kind == "succeeded":
                waiting.answer.set_result(result.message)
            elif kind in FINAL:
                problem = f"the provider refuses the question: {_problem(result)}"
                waiting.answer.set_exception(ModelError("model", problem))
            else:
                self.book.forget(waiting.custom_id)
                waiting.tries += 1
                if waiting.tries >= MOST_TRIES:
                    problem = f"no answer in {MOST_TRIES} batches; the last time it was: {_problem(result)}"
                    waiting.answer.set_exception(ModelError("timeout" if kind == "expired" else "model", problem))


def _kind(result: Any) -> str:
    """The type of a result: its error's type if it has one, and "missing" for a result that never came."""
    if result is None:
        return "missing"
    return result.error.error.type if result.type == "errored" else result.type


def _problem(result: Any) -> str:
    kind = _kind(result)
    return f"{kind}: {result.error.error.message}" if result is not None and result.type == "errored" else kind


@dataclass(frozen=True, slots=True)
class _Response:
    """A message in the shape in which the chat model expects a response."""

    message: "Message"

    def parse(self) -> "Message":
        return self.message


class BatchedAnthropic(ChatAnthropic):
    """A ChatAnthropic whose requests go through batches. A call returns once a batch has brought the answer."""

    send: Callable[[dict[str, Any]], Awaitable[Any]] = Field(exclude=True)

    async def _acreate(self, payload: dict[str, Any]) -> Any:
        # The request's body: all that the client would send, without settings that concern only the sending.
        body = {name: value for name, value in payload.items() if name not in _OF_THE_SENDING}
        return _Response(await self.send(body | payload.get("extra_body", {})))


@contextmanager
def batching(model: Model, folder: Path, *, notify: Notify, **pace: Any) -> Generator[Model]:
    """``model``, asked through batches. ``folder`` keeps which requests were sent; ``notify`` gets a line per batch.

    Within the block all questions get their answers, which are saved: asked again, the same questions are new ones,
    unless the block ended with an error. ``pace`` goes to ``BatchSubmitter``. Raises UserError if the model's provider
    has no batches.
    """
    if model.info.provider != BATCHING:
        raise UserError(f"--batch needs a judge of {BATCHING}, and {model.spec} is none: leave --batch out.")
    assert isinstance(model.chat, ChatAnthropic)
    # langchain knows no batches, and builds this client with the address and key that the model was given.
    client = model.chat._async_client  # pyright: ignore[reportPrivateUsage]
    book = BatchLedger(folder / f"batches-{slug(model.spec)}.json")
    submitter = BatchSubmitter(client.with_options(max_retries=model.retrying.retries), book, notify, **pace)
    fields = {name: getattr(model.chat, name) for name in model.chat.model_fields_set - {"streaming"}}
    chat = BatchedAnthropic(**fields, send=submitter.answer)
    # A batch may take a day: the time-out of a call does not apply. Verdicts name the model as before.
    batched = replace(
        model.with_chat(chat), pacer=Pacer(), retrying=ONCE, streamed=False, seconds=None, attempt_seconds=None
    )
    yield batched
    book.settle()
