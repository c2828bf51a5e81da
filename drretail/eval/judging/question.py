"""One question to a judge, with how its answer is read as verdicts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import BeforeValidator

from drretail.llm.structured import Check
from drretail.prompts import Prompt
from drretail.records.base import Record
from drretail.records.score import Order, SourceRef, VerdictState

T = TypeVar("T", bound=Record)
LEFT_OUT = "the judge left it out"


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):  # a Literal takes true for 1
        raise ValueError("it has to be a whole number, not true or false")
    return value


WHOLE_NUMBER = BeforeValidator(_no_boolean)
"""Marks a field of an answer whose value is one of some whole numbers."""


@dataclass(frozen=True, slots=True)
class JudgeAnswer(Generic[T]):
    """What a judge answered, or why there is no answer. ``answer`` is there exactly when ``state`` is "scored"."""

    state: Literal["scored", "failed"]
    answer: T | None
    prompt_hash: str
    attempts: int
    """How many calls it took, repairs included."""
    error: str | None = None


class Ruling(NamedTuple):
    """What an answer says of one item: the value of its verdict, and why."""

    value: Any
    reason: str = ""
    quote: str = ""
    more_quotes: Sequence[str] = ()
    notes: Sequence[str] = ()


class CodeVerdict(NamedTuple):
    """What code finds of one item, for which nobody is asked."""

    state: VerdictState
    value: Any = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    keeps_existing: bool = False
    """True where a verdict that exists already is to stay, since less is at hand now than when it was made."""

    @classmethod
    def measured(cls, value: Any, reason: str = "", notes: tuple[str, ...] = (), **fields: bool) -> "CodeVerdict":
        """Of a measure: scored with a value, else na."""
        return cls("na" if value is None else "scored", value, reason, notes, **fields)


NO_WORLD = "the world is not at hand: name it with --world"


@dataclass(frozen=True)
class JudgeQuestion(Generic[T]):
    """A question about one item, or about several that are asked about together."""

    stage: str
    item: str
    """Names the question in the journal; of several items it is the first."""
    prompt: Prompt
    given: Mapping[str, str] | Callable[[], Mapping[str, str]]
    """What fills the prompt; a function is called only where the question is asked."""
    answer: type[T]
    read: Callable[[T], Ruling | Mapping[str, Ruling]]
    """The ruling on the item, or rulings by item; an item without one failed."""
    check: Check[T] | None = None
    """What the judge is told is wrong with its answer; None where nothing is."""
    items: tuple[str, ...] = ()
    """All that it is about; empty for ``item`` alone."""
    order: Order | None = None
    """Whose report is read first, where two are compared."""
    purpose: str = ""
    """Says how long the answer may be, where that is not as usual."""
    begins_with: str = ""
    """Names what its text begins with: of the questions of one name the first is asked alone, and is read from the
    cache by the others. Without a name it waits for no other."""
    sources: Sequence[SourceRef] = ()
    """What the answer rests on, beside the report."""
    notes: Sequence[str] = ()
    """Recorded with every verdict that is scored or failed."""

    @property
    def about(self) -> tuple[str, ...]:
        return self.items or (self.item,)

    def rulings(self, answer: T) -> Mapping[str, Ruling]:
        """What the answer says of each item that it says something of."""
        read = self.read(answer)
        return {self.item: read} if isinstance(read, Ruling) else read
