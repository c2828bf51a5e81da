"""Instruction following: a checklist of what the query asks for, and whether the report does it."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from drretail.eval.families.dr3.insights import Material
from drretail.eval.judging.material import task_material
from drretail.eval.judging.numbered import NumberedItem, QuestionBatch, ask_numbered, numbered_items
from drretail.eval.judging.question import Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Task
from drretail.grounding.text.wording import format_amount
from drretail.prompts import Prompt, load_prompt
from drretail.records.base import Record
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.query import Query

STAGE = "requirements"
CONSTRAINTS, FROM_QUERY = "constraints", "query"
"""The groups of the checklist: what the query's wish says, and what a model reads out of its words."""
MOST = 5
"""Of one question, as released."""
Category = Literal["content", "constraint", "format", "personal"]


class SaidRequirement(Record):
    requirement: str = Field(min_length=1)
    category: Category


class QueryRequirements(Record):
    """What a query asks of a report beside what is on the list."""

    requirements: list[SaidRequirement]


class MetRequirement(Record):
    requirement_id: int
    reason: str
    met: bool


class MetRequirements(Record):
    """Whether the report meets each requirement."""

    requirements: list[MetRequirement]


def checklist_prompt() -> Prompt:
    return Prompt("checklist", load_prompt(__file__, "checklist").text, load_prompt(__file__, "shared").text)


def making_prompt() -> Prompt:
    return load_prompt(__file__, "make_checklist")


def wish_requirements(query: Query) -> CriteriaGroup:
    """The requirements that follow from the query's wish, made by code; none where nobody has typed it."""
    made = (Criterion(text=text, kind=kind) for kind, text in _required(query))
    return CriteriaGroup(name=CONSTRAINTS, criteria=tuple(made))


def _required(query: Query) -> Iterator[tuple[str, str]]:
    wish = query.wish
    if wish is None:
        return
    if not wish.wants:
        yield "want", "It recommends to buy nothing."
    for want in wish.wants:
        kinds = " or ".join(want.kinds)
        thing = want.name if kinds.casefold() == want.name.casefold() else f"{want.name} ({kinds})"
        count = f", {want.quantity} pieces" if want.quantity > 1 else ""
        does = "It says whether to buy" if want.optional else "It recommends"
        yield "want", f"{does} what is asked for as {thing}{count}."
        where = f"As {want.name} it recommends"
        for demand in want.must:
            yield "must", f"{where} only what meets this demand: {demand.removesuffix('.')}."
        for unwanted in want.must_not:
            yield "must_not", f"{where} nothing that is or has what is not wanted: {unwanted.removesuffix('.')}."
        if want.rating_min is not None:
            yield "rating_min", f"{where} only what is rated with at least {want.rating_min:g} stars."
        if want.ratings_min is not None:
            yield "ratings_min", f"{where} only what has at least {want.ratings_min:,} ratings."
        if want.price_max is not None:
            yield "price_max", f"{where} only what costs no more than {format_amount(want.price_max)} a piece."
        if want.brands_wanted:
            yield "brands_wanted", f"{where} only what is by {' or '.join(want.brands_wanted)}."
        if want.brands_unwanted:
            yield "brands_unwanted", f"{where} nothing by {' or '.join(want.brands_unwanted)}."
    if wish.budget is not None:
        yield "budget", f"What it recommends costs no more than {format_amount(wish.budget)} together."
    if wish.deadline:
        yield "deadline", f"It keeps to the date by which things are needed: {wish.deadline}."
    if wish.owned and not all(want.again for want in wish.wants):
        yield "owned", f"It does not recommend to buy again what is owned already: {', '.join(wish.owned)}."


async def make_checklist(task: Task, judge_session: JudgeSession, stage: str) -> tuple[CriteriaGroup, ...] | str:
    """The two groups of a query's checklist; why there is none where the model gave no usable answer."""
    by_code = wish_requirements(task.query)
    text = "\n".join(f"- {criterion.text}" for criterion in by_code.criteria) or "- none"
    given = {**task_material(task), "items": text}
    reply = await judge_session.ask(stage, task.query.query_id, making_prompt(), given, QueryRequirements)
    if reply.answer is None:
        return f"the judge made no checklist: {reply.error}"
    texts = {
        requirement.requirement.strip(): requirement.category
        for requirement in reply.answer.requirements
        if requirement.requirement.strip()
    }
    read = tuple(Criterion(text=text, kind=kind) for text, kind in texts.items())
    return by_code, CriteriaGroup(name=FROM_QUERY, criteria=read)


def requirements_of(criteria: Criteria) -> list[NumberedItem]:
    """All of both groups."""
    groups = (criteria.group(CONSTRAINTS), criteria.group(FROM_QUERY))
    return [item for group in groups if group is not None for item in numbered_items(group)]


async def judge_requirements(criteria: Criteria, judge_session: JudgeSession, material: Material) -> None:
    """Records of every requirement that has no verdict whether the report meets it."""

    def rulings(answer: MetRequirements) -> list[tuple[int, Ruling]]:
        return [
            (requirement.requirement_id, Ruling(float(requirement.met), requirement.reason.strip()))
            for requirement in answer.requirements
        ]

    batch = QuestionBatch(STAGE, checklist_prompt(), MOST)
    await ask_numbered(judge_session, batch, requirements_of(criteria), material, MetRequirements, rulings)
