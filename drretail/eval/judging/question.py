"""One question to a judge, and how its answer becomes verdicts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import AfterValidator

from drretail.llm.prompts.prompt import Prompt
from drretail.llm.structured import Check
from drretail.records.base import Record
from drretail.records.score import Order, SourceRef, VerdictState

T = TypeVar("T", bound=Record)
S = TypeVar("S")
LEFT_OUT = "the judge left it out"


def _not_blank(words: str) -> str:
    if not words.strip():
        raise ValueError("it has to say something")
    return words


REASON = AfterValidator(_not_blank)
"""Marks a field of an answer as a reason, which may not be blank."""


@dataclass(frozen=True, slots=True)
class JudgeAnswer(Generic[T]):
    """A judge's answer, or why there is none."""

    answer: T | None
    prompt_hash: str
    error: str | None = None


class Ruling(NamedTuple):
    """An answer's ruling on one item: the value of its verdict, and the reason."""

    value: Any
    reason: str = ""
    quote: str = ""
    more_quotes: Sequence[str] = ()
    notes: Sequence[str] = ()


class CodeVerdict(NamedTuple):
    """A verdict that code finds, without a judge."""

    state: VerdictState
    value: Any = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    keeps_existing: bool = False
    """True if an existing verdict is to stay, since it was made with more at hand."""

    @classmethod
    def measured(cls, value: Any, reason: str = "", notes: tuple[str, ...] = (), **fields: bool) -> "CodeVerdict":
        """A measure's verdict: scored with a value, else na."""
        return cls("na" if value is None else "scored", value, reason, notes, **fields)


NO_WORLD = "the world is not at hand: name it with --world"


def still_to_ask(parts: Iterable[Sequence[S]], is_missing: Callable[[S], bool]) -> Iterator[list[S]]:
    """The missing items of each part that has any.

    Form the parts from all items: if they were formed from the missing ones, judging that was cut would ask other
    questions than before, which no journal answers.
    """
    for part in parts:
        if left := [item for item in part if is_missing(item)]:
            yield left


@dataclass(frozen=True)
class JudgeQuestion(Generic[T]):
    """A question about one item, or about several that are asked about together."""

    stage: str
    item: str
    """Names the question in the journal; of several items, the first."""
    prompt: Prompt
    values: Mapping[str, str] | Callable[[], Mapping[str, str]]
    """The prompt's values; a function is called only if the question is asked."""
    answer: type[T]
    read: Callable[[T], Ruling | Mapping[str, Ruling]]
    """The ruling on the item, or rulings by item; an item without one is failed."""
    check: Check[T] | None = None
    """What is wrong with the answer, in words for the judge; None if nothing is."""
    items: tuple[str, ...] = ()
    """All items that it is about; empty for ``item`` alone."""
    order: Order | None = None
    """Whose report is read first, if two are compared."""
    purpose: str = ""
    """Sets how long the answer may be, if that is not the default."""
    begins_with: str = ""
    """A name for the beginning of its text. The first question of a name is asked alone, and the others read the
    beginning from the provider's cache. Questions without a name do not wait.
    """
    sources: Sequence[SourceRef] = ()
    """What the answer rests on, besides the report."""
    notes: Sequence[str] = ()
    """Recorded with every scored or failed verdict."""

    @property
    def about(self) -> tuple[str, ...]:
        return self.items or (self.item,)

    def rulings(self, answer: T) -> Mapping[str, Ruling]:
        """The rulings by item; items that the answer leaves out are missing."""
        read = self.read(answer)
        return {self.item: read} if isinstance(read, Ruling) else read
