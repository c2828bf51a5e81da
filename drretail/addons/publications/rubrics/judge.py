"""Makes a query's rubric, and asks which of its criteria a report meets."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from pydantic import Field

from drretail.eval.judging.criteria import STAGE as MAKING
from drretail.eval.judging.criteria import (
    NumberedItem,
    QuestionBatch,
    ask_numbered,
    criteria_of,
    criterion_item,
    criterion_text,
)
from drretail.eval.judging.question import Ruling
from drretail.eval.judging.readings import report_material, task_material
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject, Task
from drretail.llm.prompt import Prompt, load_prompt
from drretail.records.base import Record
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion

AXES: Mapping[str, str] = {
    "information": "facts that a good answer has to name",
    "analysis": "what has to be concluded, weighed or explained from them",
    "presentation": "form that makes it usable",
    "explicit": "what the query asks for in words",
    "implicit": "what it takes for granted",
    "synthesis": "what has to be brought together",
    "references": "which sources, and how they are named",
    "communication": "tone and clarity for who asked",
    "instructions": "rules that the query sets",
}
"""The first three are DeepResearch Bench II's, the others ResearchRubrics'. Groups of other names count in the overall
score only.
"""
OWN_AXES = ("information", "analysis", "presentation")
"""The axes of rubrics that a model makes."""
Kind = Literal["binary", "ternary"]
TERNARY: Kind = "ternary"
"""The kind of a criterion that can be partly met; all others are met or not."""


NAME, VERSION = "rubrics", 1
STAGE = "criteria_met"
MOST = 10
"""Criteria in one question."""
Label = Literal["met", "partly", "not_met"]
_VALUES: Mapping[Label, float] = {"met": 1.0, "partly": 0.5, "not_met": 0.0}
_MAY_BE_PARTLY = "This criterion is ternary."


class SaidCriterion(Record):
    criterion: str = Field(min_length=1)
    explanation: str
    axis: Literal["information", "analysis", "presentation"]
    weight: Literal[-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]
    kind: Kind


class QueryRubric(Record):
    """The criteria by which reports on a query are marked."""

    criteria: list[SaidCriterion] = Field(min_length=1)


class MarkedCriterion(Record):
    criterion_id: int
    reason: str
    evidence: str
    label: Label


class MarkedCriteria(Record):
    """Which criteria a report meets."""

    criteria: list[MarkedCriterion]


def making_prompt() -> Prompt:
    return load_prompt(__file__, "make_rubric")


def marking_prompt() -> Prompt:
    """The prompt with report and sources first, so that a provider caches them for the next criteria."""
    return load_prompt(__file__, "marking").shared_until("# How you mark")


async def prepare(task: Task, judge_session: JudgeSession) -> Criteria | str:
    """A query's rubric, or why the judge made none."""
    axes = "\n".join(f"- {name}: {AXES[name]}" for name in OWN_AXES)
    material = {**task_material(task), "axes": axes}

    def check(answer: QueryRubric) -> str | None:
        has_weight = any(criterion.weight > 0 for criterion in answer.criteria)
        return None if has_weight else "criteria: none has a weight above nought"

    reply = await judge_session.ask(MAKING, task.query.query_id, making_prompt(), material, QueryRubric, check)
    if reply.answer is None:
        return f"the judge made no rubric: {reply.error}"
    by_axis = {name: [criterion for criterion in reply.answer.criteria if criterion.axis == name] for name in OWN_AXES}
    return Criteria(
        metric=NAME,
        query_id=task.query.query_id,
        groups=tuple(
            CriteriaGroup(
                name=name,
                criteria=tuple(
                    Criterion(
                        text=reply.criterion.strip(),
                        explanation=reply.explanation.strip(),
                        weight=reply.weight,
                        kind=reply.kind,
                    )
                    for reply in criteria
                ),
            )
            for name, criteria in by_axis.items()
            if criteria
        ),
        made_by=judge_session.judge.ref.spec,
        prompt_hash=making_prompt().hash,
    )


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records for every criterion without a verdict whether the report meets it: 1, ½ if allowed, or 0."""
    criteria = criteria_of(subject, NAME)
    if criteria is None:
        return
    things: list[NumberedItem] = []
    for group in criteria.groups:
        for criterion in group.criteria:
            note = f"\n{_MAY_BE_PARTLY}" if criterion.kind == TERNARY else ""
            things.append(NumberedItem(criterion_item(group, criterion), criterion_text(criterion) + note))
    batch = QuestionBatch(STAGE, marking_prompt(), MOST)
    material = cache(lambda: report_material(subject))

    def rulings(answer: MarkedCriteria) -> list[tuple[int, Ruling]]:
        return [
            (each.criterion_id, Ruling(_VALUES[each.label], each.reason.strip(), each.evidence.strip()))
            for each in answer.criteria
        ]

    await ask_numbered(judge_session, batch, things, material, MarkedCriteria, rulings, check=_problem)


def _problem(answer: MarkedCriteria, part: Sequence[NumberedItem]) -> str | None:
    """What is wrong with an answer that has every number once."""
    binary = [
        str(criterion.criterion_id)
        for criterion in answer.criteria
        if criterion.label == "partly" and not part[criterion.criterion_id - 1].text.endswith(_MAY_BE_PARTLY)
    ]
    return f"Only ternary criteria can be partly met: say met or not_met of {', '.join(binary)}." if binary else None
