"""The weights and criteria that DeepResearch Bench publishes for its queries, as criteria of this family.

Its file is JSONL: {"prompt", "dimension_weight": {dimension: weight}, "criterions": {dimension: [{"criterion",
"explanation", "weight"}]}}. Other fields are left alone.
"""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from drretail.errors import UserError
from drretail.eval.weighted.axis import Axis
from drretail.eval.weighted.shares import normalised
from drretail.files import read_jsonl
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.query import Query


class _Published(BaseModel):
    """One thing of the file; what is not named here does not matter."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _PublishedCriterion(_Published):
    criterion: str
    explanation: str = ""
    weight: float


class _PublishedTask(_Published):
    prompt: str
    dimension_weight: dict[str, float]
    criterions: dict[str, list[_PublishedCriterion]]


def published_criteria(path: Path, family: str, axis: Axis, queries: Sequence[Query]) -> list[Criteria]:
    """The criteria of those queries whose very text is a prompt of the file; its weights are set to add up to 1.

    Raises UserError for a file of another form.
    """
    tasks = {_plain(task.prompt): task for task in _tasks(path)}
    return [
        Criteria(family=family, query_id=query.query_id, groups=_groups(axis, task), made_by="DeepResearch Bench")
        for query in queries
        if (task := tasks.get(_plain(query.text))) is not None and {*axis.keys} <= {*task.criterions}
    ]


def _tasks(path: Path) -> list[_PublishedTask]:
    try:
        return [_PublishedTask.model_validate(line) for line in read_jsonl(path, forgives_a_cut=False)]
    except ValidationError as problem:
        wanted = "prompt, dimension_weight and criterions on each line"
        raise UserError(f"{path} does not hold DeepResearch Bench's criteria: {wanted} are wanted.") from problem


def _groups(axis: Axis, task: _PublishedTask) -> tuple[CriteriaGroup, ...]:
    weights = normalised([task.dimension_weight.get(key, 0.0) for key in axis.keys])
    return tuple(_group(key, weight, task.criterions[key]) for key, weight in zip(axis.keys, weights, strict=True))


def _group(key: str, weight: float, published: Sequence[_PublishedCriterion]) -> CriteriaGroup:
    weights = normalised([published_criterion.weight for published_criterion in published])
    criteria = (
        Criterion(text=it.criterion, explanation=it.explanation, weight=share)
        for it, share in zip(published, weights, strict=True)
    )
    return CriteriaGroup(name=key, weight=weight, criteria=tuple(criteria))


def _plain(text: str) -> str:
    return " ".join(text.split())
