"""Several items asked about in one question, each under its number: insights, requirements, criteria."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from drretail.eval.judging.question import JudgeQuestion, Ruling, still_to_ask
from drretail.eval.judging.session import JudgeSession
from drretail.llm.prompts.prompt import Prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.criteria import CriteriaGroup, Criterion
from drretail.records.score import SourceRef

T = TypeVar("T", bound=Record)


class NumberedItem(NamedTuple):
    """The item of one verdict, and its text for the judge."""

    item: str
    text: str


@dataclass(frozen=True, slots=True)
class QuestionBatch:
    """How a judge is asked about all items, ``most`` in one question."""

    stage: str
    prompt: Prompt
    """It has a placeholder ``items`` beside those of the material."""
    most: int
    tag: str = "criterion"
    sources: tuple[SourceRef, ...] = ()
    """What the answers rest on besides the report."""


async def ask_numbered(
    judge_session: JudgeSession,
    batch: QuestionBatch,
    things: Sequence[NumberedItem],
    material: Mapping[str, str] | Callable[[], Mapping[str, str]],
    answer: type[T],
    rulings: Callable[[T], Sequence[tuple[int, Ruling]]],
    *,
    check: Callable[[T, Sequence[NumberedItem]], str | None] | None = None,
    repairs_numbers: bool = True,
) -> None:
    """Records a verdict on each item without one.

    ``rulings`` gives an answer's rulings by number, from 1 in each question. The judge is asked again if numbers are
    missing or given twice, or if ``check`` objects. With ``repairs_numbers`` False, missing items are failed, and the
    first of two counts.
    """
    unique = [*{thing.item: thing for thing in things}.values()]

    def is_missing(thing: NumberedItem) -> bool:
        return judge_session.existing(batch.stage, thing.item, batch.prompt.hash) is None

    def problem(reply: T, part: Sequence[NumberedItem]) -> str | None:
        numbers, count = [number for number, _ in rulings(reply)], len(part)
        if repairs_numbers and sorted(numbers) != list(range(1, count + 1)):
            return f"Give each of 1 to {count} once, by its number; these were given: {numbers}."
        return None if check is None else check(reply, part)

    def question(part: Sequence[NumberedItem]) -> JudgeQuestion[T]:
        items = tuple(numbered_item.item for numbered_item in part)
        text = "\n\n".join(tagged(batch.tag, thing.text, id=str(number)) for number, thing in enumerate(part, 1))
        return JudgeQuestion(
            batch.stage,
            items[0],
            batch.prompt,
            lambda: {**(material() if callable(material) else material), "items": text},
            answer,
            lambda reply: {
                items[number - 1]: ruling for number, ruling in reversed(rulings(reply)) if 0 < number <= len(items)
            },
            lambda reply: problem(reply, part),
            items=items,
            begins_with="report",
            sources=batch.sources,
        )

    parts = (unique[at : at + batch.most] for at in range(0, len(unique), batch.most))
    await judge_session.ask_and_record(*map(question, still_to_ask(parts, is_missing)))


def numbered_items(group: CriteriaGroup) -> list[NumberedItem]:
    """A group's criteria. A reworded criterion is a different item, a reweighted one the same."""
    return [NumberedItem(criterion_item(group, criterion), criterion_text(criterion)) for criterion in group.criteria]


def criterion_item(group: CriteriaGroup, criterion: Criterion) -> str:
    return f"{group.name}@{sha256_of([criterion.text, criterion.explanation, criterion.kind])[:8]}"


def criterion_text(criterion: Criterion) -> str:
    """The criterion and its explanation."""
    return "\n".join(filter(None, (criterion.text.strip(), criterion.explanation.strip())))
