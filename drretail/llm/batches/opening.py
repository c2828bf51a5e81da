"""A judge's model through batches, with the book that keeps what was sent."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drretail.errors import UserError
from drretail.llm.batches.book import BatchBook
from drretail.llm.batches.desk import BatchDesk, Told
from drretail.llm.registry import Model
from drretail.records.run import slug

BATCHING = "anthropic"
"""The one provider whose batches are spoken."""


@dataclass(frozen=True, slots=True)
class BatchedJudging:
    """A model that is asked through batches; close it, or use it in ``with``."""

    model: Model
    book: BatchBook

    def settle(self) -> None:
        """To be called when all questions have their answers, and these are kept: asked again, they are new ones."""
        self.book.settle()

    def __enter__(self) -> "BatchedJudging":
        return self

    def __exit__(self, *_: object) -> None:
        self.book.close()


def batching(model: Model, folder: Path, *, told: Told, **pace: Any) -> BatchedJudging:
    """``model`` asked through batches; ``folder`` keeps which were sent, and ``told`` hears of each.

    ``pace`` goes to ``BatchDesk``. Raises UserError for a model whose provider takes no batches.
    """
    if model.info.provider != BATCHING:
        raise UserError(f"--batch needs a judge of {BATCHING}, and {model.spec} is none: leave --batch out.")
    from drretail.llm.batches.chat import batched, client_of

    book = BatchBook(folder / f"batches-{slug(model.spec)}.jsonl")
    return BatchedJudging(batched(model, BatchDesk(client_of(model), book, told, **pace)), book)
