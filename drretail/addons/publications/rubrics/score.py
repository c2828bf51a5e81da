"""Makes a query's rubric, and asks which of its criteria a report meets. Its score is points divided by the possible
points, over all criteria and by axis; the metric.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from drretail.addons.publications import DESCRIPTIONS
from drretail.errors import UserError
from drretail.eval.judging.criteria import STAGE as MAKING
from drretail.eval.judging.criteria import (
    NumberedItem,
    QuestionBatch,
    ask_numbered,
    criteria_by,
    criteria_of,
    criterion_item,
    criterion_text,
)
from drretail.eval.judging.question import Ruling
from drretail.eval.judging.readings import report_material, task_material
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject, Task
from drretail.eval.metric import NOT_JUDGED, Metric, Value, description_of
from drretail.files import read_jsonl
from drretail.llm.prompt import Prompt, load_prompt
from drretail.records.base import Record
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.query import Query
from drretail.records.score import WHY_NOT, Verdict

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
"""Three of DeepResearch Bench II, then ResearchRubrics'. Groups of other names count in the overall score only."""
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
    by_axis: dict[str, list[Criterion]] = {name: [] for name in OWN_AXES}
    for said in reply.answer.criteria:
        about = {"text": said.criterion.strip(), "explanation": said.explanation.strip()}
        by_axis[said.axis].append(Criterion(**about, weight=said.weight, kind=said.kind))
    groups = (CriteriaGroup(name=name, criteria=tuple(criteria)) for name, criteria in by_axis.items() if criteria)
    return criteria_by(judge_session, task, NAME, groups, making_prompt())


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

    def check(answer: MarkedCriteria, part: Sequence[NumberedItem]) -> str | None:
        partly = [each.criterion_id for each in answer.criteria if each.label == "partly"]
        binary = [str(number) for number in partly if not part[number - 1].text.endswith(_MAY_BE_PARTLY)]
        text = f"Only ternary criteria can be partly met: say met or not_met of {', '.join(binary)}."
        return text if binary else None

    await ask_numbered(judge_session, batch, things, material, MarkedCriteria, rulings, check=check)


_BENCH_II = {"info_recall": "information", "analysis": "analysis", "presentation": "presentation"}
_RESEARCH_RUBRICS = {
    "explicit": "explicit",
    "implicit": "implicit",
    "synthesis": "synthesis",
    "references": "references",
    "communication": "communication",
    "instruction": "instructions",
}
"""Our axes by the first word of ResearchRubrics' axes, in lower case."""


class PublishedRubric(Record):
    """A rubric with what its task is known by."""

    names: tuple[str, ...]
    """Ids that a query may have, or its text."""
    groups: tuple[CriteriaGroup, ...] = Field(min_length=1)


def published_rubrics(source: Path, queries: Sequence[Query]) -> list[Criteria]:
    """The published rubrics of these queries, found by id or text. Raises UserError for a line of another form."""
    by_name = {name: rubric for rubric in read_rubrics(source) for name in rubric.names}
    pairs = [(each, by_name.get(each.query_id) or by_name.get(each.text)) for each in queries]
    return [
        Criteria(metric=NAME, query_id=query.query_id, groups=rubric.groups, made_by=source.name)
        for query, rubric in pairs
        if rubric is not None
    ]


def read_rubrics(source: Path) -> Iterator[PublishedRubric]:
    """Every rubric of a file. Raises UserError for a line in neither form."""
    for number, line in enumerate(read_jsonl(source), 1):
        try:
            yield _bench_ii(line) if "content" in line else _research_rubrics(line)
        except (KeyError, TypeError, AttributeError, ValidationError) as problem:
            reason = problem.errors()[0]["msg"] if isinstance(problem, ValidationError) else repr(problem)
            raise UserError(
                f"{source}, line {number} is no rubric of DeepResearch Bench II or ResearchRubrics: {reason}."
            ) from problem


def _bench_ii(line: Mapping[str, Any]) -> PublishedRubric:
    content = line["content"]
    blocked = content.get("blocked") or {}
    articles = [blocked.get("title", ""), *blocked.get("urls", ())]
    why = f"Not met by a sentence that cites this blocked article: {' · '.join(articles)}" if any(articles) else ""
    groups: list[CriteriaGroup] = []
    for label, name in _BENCH_II.items():
        if texts := content["rubric"].get(label):
            criteria = tuple(Criterion(text=text, explanation=why, kind="binary") for text in texts)
            groups.append(CriteriaGroup(name=name, criteria=criteria))
    ids = (str(line[name]) for name in ("id", "idx") if name in line)
    texts = (str(each) for each in (content.get("task"), line.get("prompt")) if each)
    return PublishedRubric(names=(*ids, f"idx-{line.get('idx')}", *texts), groups=tuple(groups))


def _research_rubrics(line: Mapping[str, Any]) -> PublishedRubric:
    by_axis: dict[str, list[Criterion]] = {}
    for entry in line["rubrics"]:
        criterion = Criterion(text=entry["criterion"], weight=entry["weight"], kind="binary")
        label = str(entry["axis"]).strip()
        first = label.casefold().split()[0] if label else "other"
        by_axis.setdefault(_RESEARCH_RUBRICS.get(first, label or first), []).append(criterion)
    groups = (CriteriaGroup(name=name, criteria=tuple(criteria)) for name, criteria in by_axis.items())
    return PublishedRubric(names=(str(line["sample_id"]), str(line["prompt"])), groups=tuple(groups))


SCORE, STRICT = "score", "strict"
VARIANTS = (SCORE, STRICT, *AXES)


class Mark(NamedTuple):
    """A criterion's weight, and how far it is met: 1, ½ or 0; None if the judge failed or was not asked yet."""

    weight: float
    met: float | None
    is_asked: bool = True
    """False for a criterion that is newer than the verdicts, as after an edit of the rubric."""

    @property
    def strictly(self) -> "Mark":
        """The mark with ½ counted against the report: a half-met merit is 0, a half-made fault is 1."""
        if self.met is None:
            return self
        return self._replace(met=float(self.met == 1 if self.weight > 0 else self.met > 0))


def values(verdicts: Sequence[Verdict], criteria: Criteria | None) -> list[Value]:
    """``score`` = Σ weight · met / Σ positive weights; ``strict`` with ½ as 0 (faults: 1); and each axis alone."""
    if criteria is None:
        return [Value(variant, "failed") for variant in VARIANTS]
    by_item = {verdict.item: verdict for verdict in verdicts if verdict.stage == STAGE}
    marks: dict[str, list[Mark]] = {}
    for group in criteria.groups:
        marks[group.name] = []
        for criterion in group.criteria:
            verdict = by_item.get(criterion_item(group, criterion))
            met = float(verdict.value) if verdict is not None and verdict.state == "scored" else None
            # The weight of a group is 1 unless somebody changed it.
            marks[group.name].append(Mark(group.weight * criterion.weight, met, is_asked=verdict is not None))
    every = [mark for of_axis in marks.values() for mark in of_axis]
    strict = [mark.strictly for mark in every]
    return [
        weighted(SCORE, every),
        weighted(STRICT, strict),
        *(weighted(axis, marks[axis]) if axis in marks else Value(axis, "na") for axis in AXES),
    ]


def weighted(variant: str, marks: Sequence[Mark]) -> Value:
    """Points divided by the possible points; negative if faults outweigh merits, and never clamped.

    If the judge failed on a criterion, the value is failed: a share of the others would be of another rubric.
    """
    whole = sum(mark.weight for mark in marks if mark.weight > 0)
    if not whole:
        return Value(variant, "na", None, {f"{WHY_NOT}no criterion has a weight above nought": 1.0})
    met = [mark.weight * mark.met for mark in marks if mark.met is not None]
    if len(met) < len(marks):
        broken = sum(mark.is_asked for mark in marks if mark.met is None)
        return Value(variant, "failed", None, {"failed": float(broken)} if broken else {NOT_JUDGED: 1.0})
    return Value(variant, "scored", sum(met) / whole, {"points": sum(met), "of": whole, "criteria": float(len(marks))})


DESCRIPTION = description_of("rubrics", DESCRIPTIONS)


METRIC = Metric(
    NAME,
    VERSION,
    judge,
    lambda subject, verdicts, rules: values(verdicts, criteria_of(subject, NAME)),
    VARIANTS,
    DESCRIPTION,
    lambda: [marking_prompt(), making_prompt()],
    rules=("default",),
    is_opinion=True,
    prepare=prepare,
    published=published_rubrics,
)
