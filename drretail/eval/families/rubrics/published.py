"""Rubrics in the forms of the two benchmarks, as criteria of ours: one JSON object a line.

DeepResearch Bench II (tasks_and_rubrics.jsonl): ``{id, idx, content: {task, rubric: {info_recall, analysis,
presentation}, blocked}}``; an item that only a blocked article bears out is not met, which stands in its explanation.
ResearchRubrics (processed_data.jsonl): ``{sample_id, prompt, rubrics: [{criterion, weight, axis}]}``.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from drretail.errors import UserError
from drretail.eval.families.rubrics.judge import FAMILY
from drretail.files import read_jsonl
from drretail.records.base import Record
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.query import Query

_BENCH_II = {"info_recall": "information", "analysis": "analysis", "presentation": "presentation"}
_RESEARCH_RUBRICS = {
    "explicit": "explicit",
    "implicit": "implicit",
    "synthesis": "synthesis",
    "references": "references",
    "communication": "communication",
    "instruction": "instructions",
}
"""By the first word of an axis there, in lower case."""


class PublishedRubric(Record):
    """A rubric with what its task is known by."""

    names: tuple[str, ...]
    """Ids that a query may have, or its text."""
    groups: tuple[CriteriaGroup, ...] = Field(min_length=1)


def published_rubrics(source: Path, queries: Sequence[Query]) -> list[Criteria]:
    """The published rubrics of these queries, found by id or text. Raises UserError for a line of another form."""
    by_name = {name: rubric for rubric in read_rubrics(source) for name in rubric.names}
    found = [(each, by_name.get(each.query_id) or by_name.get(each.text)) for each in queries]
    return [
        Criteria(family=FAMILY, query_id=query.query_id, groups=rubric.groups, made_by=source.name)
        for query, rubric in found
        if rubric is not None
    ]


def read_rubrics(source: Path) -> Iterator[PublishedRubric]:
    """Every rubric of a file; raises UserError for a line that is none of either form."""
    for number, line in enumerate(read_jsonl(source), 1):
        try:
            yield _bench_ii(line) if "content" in line else _research_rubrics(line)
        except (KeyError, TypeError, AttributeError, ValidationError) as problem:
            raise UserError(
                f"{source}, line {number} is no rubric of DeepResearch Bench II or ResearchRubrics: {_reason(problem)}."
            ) from problem


def _reason(problem: Exception) -> str:
    return problem.errors()[0]["msg"] if isinstance(problem, ValidationError) else repr(problem)


def _bench_ii(line: Mapping[str, Any]) -> PublishedRubric:
    content = line["content"]
    blocked = content.get("blocked") or {}
    articles = [blocked.get("title", ""), *blocked.get("urls", ())]
    explanation = (
        f"Not met by a sentence that cites this blocked article: {' · '.join(articles)}" if any(articles) else ""
    )
    groups = (
        CriteriaGroup(
            name=name,
            criteria=tuple(
                Criterion(text=each, explanation=explanation, kind="binary") for each in content["rubric"][label]
            ),
        )
        for label, name in _BENCH_II.items()
        if content["rubric"].get(label)
    )
    ids = (str(line[name]) for name in ("id", "idx") if name in line)
    texts = (str(each) for each in (content.get("task"), line.get("prompt")) if each)
    return PublishedRubric(names=(*ids, f"idx-{line.get('idx')}", *texts), groups=tuple(groups))


def _research_rubrics(line: Mapping[str, Any]) -> PublishedRubric:
    by_axis: dict[str, list[Criterion]] = {}
    for it in line["rubrics"]:
        criterion = Criterion(text=it["criterion"], weight=it["weight"], kind="binary")
        by_axis.setdefault(_axis(str(it["axis"])), []).append(criterion)
    groups = (CriteriaGroup(name=name, criteria=tuple(held)) for name, held in by_axis.items())
    return PublishedRubric(names=(str(line["sample_id"]), str(line["prompt"])), groups=tuple(groups))


def _axis(label: str) -> str:
    first = label.casefold().split()[0] if label.strip() else "other"
    return _RESEARCH_RUBRICS.get(first, label.strip() or first)
