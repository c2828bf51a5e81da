"""What a rubric comes to: points by the points that can be had, over all criteria and by axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from drretail.eval.judging.criteria import Task, criteria_of
from drretail.eval.judging.numbered import criterion_item
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, OnlyMeans, Value
from drretail.eval.rubrics.axes import AXES
from drretail.eval.rubrics.judge import FAMILY, STAGE, VERSION, judge, making_prompt, marking_prompt, prepare
from drretail.eval.rubrics.published import published_rubrics
from drretail.records.criteria import Criteria, CriteriaGroup
from drretail.records.query import Query
from drretail.records.score import WHY_NOT, MetricDescription, Rules, Verdict
from drretail.records.scoreboard import BoardColumn

SCORE, STRICT, FAULTS = "score", "strict", "faults"
VARIANTS = (SCORE, STRICT, FAULTS, *AXES)
NO_POINTS = "no criterion has a weight above nought"


class Mark(NamedTuple):
    """A criterion's weight, and how far it is met: 1, ½ or 0; None where the judge broke."""

    weight: float
    met: float | None


def values(verdicts: Sequence[Verdict], criteria: Criteria | None) -> list[Value]:
    """``score`` = Σ weight · met / Σ positive weights; ``strict`` with ½ as 0; ``faults`` the share of those criteria
    of negative weight that are met; each axis by itself."""
    if criteria is None:
        return [Value(variant, "failed") for variant in VARIANTS]
    said = {it.item: it for it in verdicts if it.stage == STAGE}
    marks = {group.name: _marks(group, said) for group in criteria.groups}
    every = [mark for held in marks.values() for mark in held]
    strict = [mark._replace(met=None if mark.met is None else float(mark.met == 1)) for mark in every]
    return [
        weighted(SCORE, every),
        weighted(STRICT, strict),
        _faults(every),
        *(weighted(axis, marks[axis]) if axis in marks else Value(axis, "na") for axis in AXES),
    ]


def _marks(group: CriteriaGroup, said: Mapping[str, Verdict]) -> list[Mark]:
    """The weight of the group multiplies that of its criteria; it is 1 unless somebody changed it."""
    found = [(it, said.get(criterion_item(group, it))) for it in group.criteria]
    return [
        Mark(group.weight * it.weight, float(verdict.value) if verdict and verdict.state == "scored" else None)
        for it, verdict in found
    ]


def weighted(variant: str, marks: Sequence[Mark]) -> Value:
    """Points by the points that can be had. Below nought where faults weigh more than what is met, and never clamped;
    a criterion that the judge broke leaves no share: it would be one of another rubric."""
    whole = sum(mark.weight for mark in marks if mark.weight > 0)
    if not whole:
        return Value(variant, "na", None, {f"{WHY_NOT}{NO_POINTS}": 1.0})
    met = [mark.weight * mark.met for mark in marks if mark.met is not None]
    if len(met) < len(marks):
        return Value(variant, "failed", None, {"failed": float(len(marks) - len(met))})
    return Value(variant, "scored", sum(met) / whole, {"points": sum(met), "of": whole, "criteria": float(len(marks))})


def _faults(marks: Sequence[Mark]) -> Value:
    faults = [mark.met for mark in marks if mark.weight < 0]
    known = [met for met in faults if met is not None]
    if not faults:
        return Value(FAULTS, "na", None, {f"{WHY_NOT}no criterion has a weight below nought": 1.0})
    if len(known) < len(faults):
        return Value(FAULTS, "failed")
    return Value(FAULTS, "scored", sum(known) / len(known), {"faults": sum(known)})


DESCRIPTION = MetricDescription(
    title="Rubrics",
    meaning="Criteria that were written down for each query: the weight of those that a report meets by the weight of "
    "all, less that of its faults (docs/metrics/rubrics.md).",
    meanings={
        SCORE: "weight of the criteria met, in part ½, by the weight that can be had; faults take off",
        STRICT: "the same with what is met in part as not met",
        FAULTS: "share of the faults a rubric names that the report has; lower is better",
        **{axis: f"score of one axis: {meaning}" for axis, meaning in AXES.items()},
    },
    headlines=(SCORE, STRICT),
    compared=(SCORE,),
    summaries=(SCORE,),
    primary=(SCORE,),
    correlated=(SCORE,),
    plots={"Rubrics by axis": tuple(AXES)},
    groups=dict.fromkeys(AXES, "by axis"),
    counts=(FAULTS,),
    scoreboard=(BoardColumn(variant=SCORE, name="rubrics", meaning="weight of the rubric's criteria that are met"),),
)


@dataclass(frozen=True, slots=True)
class Rubrics(OnlyMeans):
    """A rubric's score under one set of rules: the published ones are the same formula."""

    name: str = FAMILY
    version: int = VERSION
    needs_judge: bool = True
    is_opinion: bool = True
    rules: tuple[Rules, ...] = ("default",)
    description: MetricDescription = DESCRIPTION

    async def prepare(self, task: Task, judge_session: JudgeSession) -> Criteria | str:
        return await prepare(task, judge_session)

    def published(self, path: Path, queries: Sequence[Query]) -> list[Criteria]:
        return published_rubrics(path, queries)

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        await judge(subject, judge_session)

    def prompt_hashes(self) -> frozenset[str]:
        return frozenset({"", marking_prompt().hash, making_prompt().hash})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        del rules
        return values(verdicts, criteria_of(subject, FAMILY))

    def variants(self) -> tuple[str, ...]:
        return VARIANTS


METRIC: Metric = Rubrics()
