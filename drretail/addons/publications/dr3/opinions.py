"""What only a model can say of a report: which insights it holds, which instructions it follows, how deep it is.

A query's checklist of requirements and its rubric of depth are made before any report is judged.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from drretail.eval.judging.criteria import NumberedItem, QuestionBatch, ask_numbered, numbered_items
from drretail.eval.judging.dimensions import unjustified
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import CriteriaTask
from drretail.eval.metrics.readings import task_material
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record, Rules, sha256_of
from drretail.records.criteria import GOLD_PARTS, Criteria, CriteriaGroup, Criterion, GoldInsight, GoldPart, KnownAnswer
from drretail.records.query import Query
from drretail.records.reading import WHOLE_NUMBER
from drretail.reports.text.wording import format_amount

INSIGHTS, REQUIREMENTS, DEPTH = STAGES = ("insights", "requirements", "depth")
_PROMPTS = {INSIGHTS: "insights", REQUIREMENTS: "checklist", DEPTH: "depth"}
CONSTRAINTS, FROM_QUERY, RUBRIC = "constraints", "query", "depth"
"""The groups of criteria: requirements of the query's wish, those that a model reads from its text, the rubric."""
MOST_INSIGHTS, MOST_REQUIREMENTS = 10, 5
"""In one question, as released."""
FEWEST_POINTS = 3
Material = Callable[[], Mapping[str, str]]


class FoundInsight(Record):
    insight_id: int
    found: str
    missing: str
    label: Literal["full", "partial", "none"]


class FoundInsights(Record):
    """How far the report tells each insight."""

    insights: list[FoundInsight]


class MarkedInsight(Record):
    insight_id: int
    found: str
    score: float


class MarkedInsights(Record):
    """How far each insight can be taken out of the report."""

    insights: list[MarkedInsight]


class SaidRequirement(Record):
    requirement: str = Field(min_length=1)
    category: Literal["content", "constraint", "format", "personal"]


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


class SaidPoint(Record):
    point: str = Field(min_length=1)
    explanation: str


class DepthRubric(Record):
    """What an analysis of a query has to weigh."""

    points: list[SaidPoint] = Field(min_length=FEWEST_POINTS)


class Depth(Record):
    """What an analysis lacks, and how deep it is."""

    justification: str
    rating: Annotated[Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], WHOLE_NUMBER]


def opinion_prompt(stage: str, rules: Rules) -> Prompt:
    """The prompt of a stage. Those for insights and depth have another wording under the released rules."""
    is_released = rules == "dr3" and stage != REQUIREMENTS
    name = f"{_PROMPTS[stage]}{'_released' if is_released else ''}"
    return Prompt(name, load_prompt(__file__, name).text, load_prompt(__file__, "shared").text)


def making_prompts() -> tuple[Prompt, Prompt]:
    return load_prompt(__file__, "make_checklist"), load_prompt(__file__, "make_depth")


def wish_requirements(query: Query) -> CriteriaGroup:
    """The requirements that follow from the query's wish, made by code; none without a typed wish."""
    criteria = (Criterion(text=text, kind=kind) for kind, text in _required(query))
    return CriteriaGroup(name=CONSTRAINTS, criteria=tuple(criteria))


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
            yield "must", f"{where} only what meets this demand: {str(demand).removesuffix('.')}."
        for unwanted in want.must_not:
            yield "must_not", f"{where} nothing that is or has what is not wanted: {str(unwanted).removesuffix('.')}."
        if want.rating_min is not None:
            yield "rating_min", f"{where} only what is rated with at least {want.rating_min:g} stars."
        if want.ratings_min is not None:
            yield "ratings_min", f"{where} only what has at least {want.ratings_min:,} ratings."
        if want.price_max is not None:
            yield "price_max", f"{where} only what costs no more than {format_amount(want.price_max)} a piece."
        if want.options:
            yield "options", f"{where} only what is {want.options_in_words}."
        if want.brands_wanted:
            yield "brands_wanted", f"{where} only what is by {' or '.join(want.brands_wanted)}."
        if want.brands_unwanted:
            yield "brands_unwanted", f"{where} nothing by {' or '.join(want.brands_unwanted)}."
    if wish.budget is not None:
        yield "budget", f"What it recommends costs no more than {format_amount(wish.budget)} together."
    if wish.deadline:
        yield "deadline", f"It keeps to the date by which things are needed: {wish.deadline}."
    if wish.owned and any(want.not_owned for want in wish.wants):
        yield "owned", f"It does not recommend to buy again what is owned already: {', '.join(wish.owned)}."


async def make_groups(task: CriteriaTask, judge_session: JudgeSession, stage: str) -> tuple[CriteriaGroup, ...] | str:
    """The two groups of a query's checklist and its rubric, or why there are none without a usable answer."""
    by_code, material, query_id = wish_requirements(task.query), task_material(task), task.query.query_id
    of_checklist, of_rubric = making_prompts()
    items = "\n".join(f"- {criterion.text}" for criterion in by_code.criteria) or "- none"
    read = await judge_session.ask(stage, query_id, of_checklist, {**material, "items": items}, QueryRequirements)
    if read.answer is None:
        return f"the judge made no checklist: {read.error}"
    rubric = await judge_session.ask(stage, query_id, of_rubric, material, DepthRubric)
    if rubric.answer is None:
        return f"the judge made no rubric of depth: {rubric.error}"
    texts = {
        requirement.requirement.strip(): requirement.category
        for requirement in read.answer.requirements
        if requirement.requirement.strip()
    }
    requirements = (Criterion(text=text, kind=kind) for text, kind in texts.items())
    points = (
        Criterion(text=point.point.strip(), explanation=point.explanation.strip()) for point in rubric.answer.points
    )
    return (
        by_code,
        CriteriaGroup(name=FROM_QUERY, criteria=tuple(requirements)),
        CriteriaGroup(name=RUBRIC, criteria=tuple(points)),
    )


def insight_item(part: GoldPart, insight: GoldInsight) -> str:
    return f"{part}/{insight.item}"


async def judge_insights(gold: KnownAnswer, judge_session: JudgeSession, material: Material) -> None:
    """Records 1, 0.5 or 0 for every insight without a verdict; files' and the sandbox's are asked separately."""
    worth = {"full": 1.0, "partial": 0.5, "none": 0.0}

    def coverages(answer: FoundInsights) -> list[tuple[int, Ruling]]:
        return [
            (
                insight.insight_id,
                Ruling(worth[insight.label], insight.missing.strip() or insight.label, insight.found.strip()),
            )
            for insight in answer.insights
        ]

    batch = QuestionBatch(INSIGHTS, opinion_prompt(INSIGHTS, judge_session.rules), MOST_INSIGHTS)
    for part in GOLD_PARTS:
        things = [NumberedItem(insight_item(part, insight), insight.text) for insight in gold.part(part).insights]
        if judge_session.rules == "dr3":
            await ask_numbered(judge_session, batch, things, material, MarkedInsights, _marked, repairs_numbers=False)
        else:
            await ask_numbered(judge_session, batch, things, material, FoundInsights, coverages)


def _marked(answer: MarkedInsights) -> list[tuple[int, Ruling]]:
    """As released: other numbers are rounded at 0.75 and 0.25, the first of two scores counts, a missing one is 0."""

    def snapped(score: float) -> float:
        return score if score in (0.0, 0.5, 1.0) else 1.0 if score >= 0.75 else 0.5 if score >= 0.25 else 0.0

    marks = [(insight.insight_id, Ruling(snapped(insight.score), insight.found.strip())) for insight in answer.insights]
    return [*marks, *((number, Ruling(0.0, "left out")) for number in range(1, MOST_INSIGHTS + 1))]


def requirements_of(criteria: Criteria) -> list[NumberedItem]:
    groups = (criteria.group(CONSTRAINTS), criteria.group(FROM_QUERY))
    return [item for group in groups if group is not None for item in numbered_items(group)]


async def judge_requirements(criteria: Criteria, judge_session: JudgeSession, material: Material) -> None:
    """Records whether the report meets each requirement that has no verdict yet."""

    def rulings(answer: MetRequirements) -> list[tuple[int, Ruling]]:
        return [
            (requirement.requirement_id, Ruling(float(requirement.met), requirement.reason.strip()))
            for requirement in answer.requirements
        ]

    batch = QuestionBatch(REQUIREMENTS, opinion_prompt(REQUIREMENTS, judge_session.rules), MOST_REQUIREMENTS)
    await ask_numbered(judge_session, batch, requirements_of(criteria), material, MetRequirements, rulings)


def depth_item(rubric: CriteriaGroup | None) -> str:
    """The item of the rating's verdict; the released rules show no rubric."""
    return "report" if rubric is None else f"report@{sha256_of([item.text for item in numbered_items(rubric)])[:8]}"


async def judge_depth(rubric: CriteriaGroup | None, judge_session: JudgeSession, material: Material) -> None:
    """Records a rating from 1 to 10, unless there is one."""
    points = [] if rubric is None else [item.text for item in numbered_items(rubric)]
    text = "\n\n".join(tagged("criterion", point, id=str(number)) for number, point in enumerate(points, 1))
    await judge_session.ask_and_record(
        JudgeQuestion(
            DEPTH,
            depth_item(rubric),
            opinion_prompt(DEPTH, judge_session.rules),
            lambda: {**material(), **({} if rubric is None else {"items": text})},
            Depth,
            lambda answer: Ruling(answer.rating, answer.justification.strip()),
            unjustified,
        )
    )
