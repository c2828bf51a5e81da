"""Claude asked through batches: the same messages, schemas and answers as when it is asked directly."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_anthropic import ChatAnthropic
from pydantic import Field

from drretail.errors import UserError
from drretail.llm.batches.sent import BatchLedger
from drretail.llm.batches.submission import BatchSubmitter, Notify
from drretail.llm.registry import Model
from drretail.llm.retries_and_rates import ONCE, Pacer
from drretail.records.run import slug

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message


_OF_THE_SENDING = frozenset({"extra_body", "extra_headers", "extra_query", "timeout"})


@dataclass(frozen=True, slots=True)
class _Response:
    """A message in the shape in which the chat model expects a response."""

    message: "Message"

    def parse(self) -> "Message":
        return self.message


class BatchedAnthropic(ChatAnthropic):
    """Only the sending differs; a call returns when a batch has brought the answer, which may take hours."""

    send: Callable[[dict[str, Any]], Awaitable[Any]] = Field(exclude=True)

    async def _acreate(self, payload: dict[str, Any]) -> Any:
        return _Response(await self.send(as_params(payload)))


def as_params(payload: dict[str, Any]) -> dict[str, Any]:
    """The body of a request: what the client would put into it, without what only concerns its sending."""
    body = {name: value for name, value in payload.items() if name not in _OF_THE_SENDING}
    return body | payload.get("extra_body", {})


def batched(model: Model, submitter: BatchSubmitter) -> Model:
    """Anthropic's ``model`` asked through ``submitter``; verdicts name it as before."""
    assert isinstance(model.chat, ChatAnthropic)
    fields = {name: getattr(model.chat, name) for name in model.chat.model_fields_set - {"streaming"}}
    # A batch takes as long as it takes: the time-out of a call does not hold, nor the limits of a minute.
    return replace(
        model,
        chat=BatchedAnthropic(**fields, send=submitter.answer),
        seconds=None,
        attempt_seconds=None,
        retrying=ONCE,
        pacer=Pacer(),
        streamed=False,
    )


def client_of(model: Model) -> "AsyncAnthropic":
    """The provider's client with the address, key and retries of the model: batches are not asked as models are."""
    assert isinstance(model.chat, ChatAnthropic)
    # langchain knows no batches, and builds this client with all that the model was given.
    client = model.chat._async_client  # pyright: ignore[reportPrivateUsage]
    return client.with_options(max_retries=model.retrying.retries)


BATCHING = "anthropic"
"""The one provider whose batches are spoken."""


@dataclass(frozen=True, slots=True)
class BatchedJudging:
    """A model that is asked through batches; close it, or use it in ``with``."""

    model: Model
    book: BatchLedger

    def settle(self) -> None:
        """To be called when all questions have their answers, and these are kept: asked again, they are new ones."""
        self.book.settle()

    def __enter__(self) -> "BatchedJudging":
        return self

    def __exit__(self, *_: object) -> None:
        self.book.close()


def batching(model: Model, folder: Path, *, notify: Notify, **pace: Any) -> BatchedJudging:
    """``model`` asked through batches; ``folder`` keeps which were sent, and ``notify`` gets a line on each.

    ``pace`` goes to ``BatchSubmitter``. Raises UserError for a model whose provider takes no batches.
    """
    if model.info.provider != BATCHING:
        raise UserError(f"--batch needs a judge of {BATCHING}, and {model.spec} is none: leave --batch out.")
    from drretail.llm.batches.chat_model import batched, client_of

    book = BatchLedger(folder / f"batches-{slug(model.spec)}.jsonl")
    return BatchedJudging(batched(model, BatchSubmitter(client_of(model), book, notify, **pace)), book)
