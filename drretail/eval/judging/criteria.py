"""A query's criteria for reports: made before any report is judged, frozen, and the same for all systems.
Criteria and other items that are asked about in one question stand there each under its number.

A metric with such criteria has a function ``prepare``, which is called once for each query without criteria. Criteria
that people put there, or copy from another experiment, stay.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from drretail.errors import UserError
from drretail.eval.judging.question import JudgeQuestion, Ruling, still_to_ask
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import CriteriaTask, Subject
from drretail.experiments.experiment import rubrics
from drretail.files import read_json, write_json
from drretail.llm.prompt import Prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.score import SourceRef

STAGE = "criteria"
FOLDER = "_queries"
"""Takes the place of a system's label if a judge is asked about a query and not a run."""


def criteria_of(subject: Subject, metric: str) -> Criteria | None:
    """The criteria of a metric for the query of this run, or None if none were frozen.

    Raises UserError if somebody edited the file so that it can't be read.
    """
    if subject.folder is None:
        return None
    return rubrics(metric).read(subject.folder, subject.query.query_id)


def about_task(task: CriteriaTask) -> dict[str, Any]:
    """What a judge session needs to know of a query instead of a run."""
    return {
        "run_id": task.query.query_id,
        "report_sha": sha256_of(task.query.text),
        "is_external": task.is_external,
    }


def criteria_by(
    judge_session: JudgeSession, task: CriteriaTask, metric: str, groups: Iterable[CriteriaGroup], *prompts: Prompt
) -> Criteria:
    """The criteria of a query that a judge has made, asked by these prompts."""
    hashes = [prompt.hash for prompt in prompts]
    return Criteria(
        metric=metric,
        query_id=task.query.query_id,
        groups=tuple(groups),
        made_by=judge_session.judge.ref.spec,
        prompt_hash=hashes[0] if len(hashes) == 1 else sha256_of(hashes)[:16],
    )


def freeze(kind: str, source: Path, files: Mapping[Path, Any]) -> None:
    """Writes the files that do not exist. Writes nothing and raises UserError if an existing one has other content."""
    for path, content in files.items():
        if path.exists() and read_json(path) != content:
            raise UserError(f"{path} holds other {kind} than {source}: remove it, or leave --{kind} out.")
    for path, content in files.items():
        if not path.exists():
            write_json(path, content)


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
    check: Callable[[T], str | None] | None = None,
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
        return None if check is None else check(reply)

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

    def item(criterion: Criterion) -> str:
        return f"{group.name}@{sha256_of([criterion.text, criterion.explanation, criterion.kind])[:8]}"

    def text(criterion: Criterion) -> str:
        return "\n".join(filter(None, (criterion.text.strip(), criterion.explanation.strip())))

    return [NumberedItem(item(criterion), text(criterion)) for criterion in group.criteria]
