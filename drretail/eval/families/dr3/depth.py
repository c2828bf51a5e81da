"""Depth quality: a rubric of what an analysis of the query has to weigh, and a rating by it."""

from typing import Annotated, Literal

from pydantic import Field

from drretail.eval.families.dr3.insights import Material
from drretail.eval.judging.dimensions import unjustified
from drretail.eval.judging.material import task_material
from drretail.eval.judging.numbered import numbered_items
from drretail.eval.judging.question import WHOLE_NUMBER, JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Task
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record, Rules, sha256_of
from drretail.records.criteria import CriteriaGroup, Criterion

STAGE = "depth"
GROUP = "depth"
"""The group of criteria that is the rubric."""
FEWEST = 3


class SaidPoint(Record):
    point: str = Field(min_length=1)
    explanation: str


class DepthRubric(Record):
    """What an analysis of a query has to weigh."""

    points: list[SaidPoint] = Field(min_length=FEWEST)


class Depth(Record):
    """What an analysis lacks, and how deep it is."""

    justification: str
    rating: Annotated[Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], WHOLE_NUMBER]


def depth_prompt(rules: Rules) -> Prompt:
    name = "depth_released" if rules == "dr3" else "depth"
    return Prompt(name, load_prompt(__file__, name).text, load_prompt(__file__, "shared").text)


def making_prompt() -> Prompt:
    return load_prompt(__file__, "make_depth")


async def make_rubric(task: Task, judge_session: JudgeSession, stage: str) -> CriteriaGroup | str:
    """The rubric of a query; why there is none where the model gave no usable answer."""
    reply = await judge_session.ask(stage, task.query.query_id, making_prompt(), task_material(task), DepthRubric)
    if reply.answer is None:
        return f"the judge made no rubric of depth: {reply.error}"
    points = (
        Criterion(text=point.point.strip(), explanation=point.explanation.strip()) for point in reply.answer.points
    )
    return CriteriaGroup(name=GROUP, criteria=tuple(points))


def depth_item(rubric: CriteriaGroup | None) -> str:
    """What the rating is filed under; the released rules show no rubric."""
    return "report" if rubric is None else f"report@{sha256_of([item.text for item in numbered_items(rubric)])[:8]}"


async def judge_depth(rubric: CriteriaGroup | None, judge_session: JudgeSession, material: Material) -> None:
    """Records a rating 1 to 10, unless one stands."""
    points = [] if rubric is None else [item.text for item in numbered_items(rubric)]
    text = "\n\n".join(tagged("criterion", point, id=str(number)) for number, point in enumerate(points, 1))
    await judge_session.ask_and_record(
        JudgeQuestion(
            STAGE,
            depth_item(rubric),
            depth_prompt(judge_session.rules),
            lambda: {**material(), **({} if rubric is None else {"items": text})},
            Depth,
            lambda answer: Ruling(answer.rating, answer.justification.strip()),
            unjustified,
        )
    )
