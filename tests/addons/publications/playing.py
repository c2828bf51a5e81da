"""A judge that plays weights, criteria, scores, triplets and support as a test says."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drretail.addons.publications.pqr.axis import NAME
from drretail.addons.publications.pqr.triplets import (
    DUPLICATES,
    REPORT,
    SUPPORT,
    TRIPLETS,
    UNKNOWN,
    Triplet,
    distinct_facts,
    duplicates_item,
    fact_source_item,
)
from drretail.eval.judging.session import Judge
from drretail.eval.metric import Value
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.score import Score, Verdict
from tests import build

_KEY = re.compile(r"^- `(?P<key>[a-z_]+)` \(", re.MULTILINE)
_CRITERION = re.compile(r'<criterion dimension="(?P<key>[a-z_]+)">\n(?P<text>.*?)\n(?:\((?P<why>.*?)\)\n)?</criterion>')
_FACT = re.compile(r'<claim id="(?P<id>\d+)">\n(?P<text>.*?)\n</claim>', re.DOTALL)


@dataclass
class Played:
    """What the judge answers; each may be changed between two commands."""

    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    """Of dimensions that are not weighed alike."""
    criteria: Mapping[str, Sequence[tuple[str, float]]] = field(default_factory=dict[str, Sequence[tuple[str, float]]])
    """By dimension (criterion, weight); one of weight 1 without."""
    score: Callable[[str, str], int] = lambda key, text: 5
    """Of a criterion of a dimension."""
    triplets: Sequence[tuple[str, str, str]] = ()
    """(fact, ref_idx, url)."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """By fact; "supported" without."""

    def __call__(self, question: str) -> Any:
        keys = [each["key"] for each in _KEY.finditer(question)]
        if "How much each of these dimensions weighs" in question:
            fields = {key: self.weights.get(key, 1 / len(keys)) for key in keys}
            return {"analysis": "So.", "weights": [{"dimension": key, "weight": each} for key, each in fields.items()]}
        if "in this one dimension" in question:
            made = self.criteria.get(keys[0], [(f"Meets {keys[0]}.", 1.0)])
            fields = [{"criterion": text, "explanation": "It matters.", "weight": weight} for text, weight in made]
            return {"analysis": "So.", "criteria": fields}
        if "You score a research report" in question:
            asked = [(each["key"], each["text"]) for each in _CRITERION.finditer(question)]
            return {key: [self._scored(each, text) for each, text in asked if each == key] for key in keys}
        if "list the facts it states" in question:
            return {
                "triplets": [dict(zip(("fact", "ref_idx", "url"), triplet, strict=True)) for triplet in self.triplets]
            }
        if "say exactly the same in other words" in question:
            return {"groups": []}
        if "You check facts of a report" in question:
            return {"facts": [self._ruled(each) for each in _FACT.finditer(question)]}
        raise AssertionError(
            f"Nothing is played to this question: its schema is answered in an every_answer.py.\n{question}"
        )

    def _scored(self, key: str, text: str) -> dict[str, Any]:
        return {"criterion": text, "analysis": "So.", "target_score": self.score(key, text)}

    def _ruled(self, fact: re.Match[str]) -> dict[str, Any]:
        label = self.labels.get(fact["text"], "supported")
        return {"fact_id": int(fact["id"]), "quote": "", "justification": "So.", "label": label}


def weighed(weights: Mapping[str, float]) -> Criteria:
    """Of each dimension two criteria, One of three quarters of its weight and Two of the rest."""
    both = (Criterion(text="One", weight=0.75), Criterion(text="Two", weight=0.25))
    groups = (CriteriaGroup(name=key, weight=weight, criteria=both) for key, weight in weights.items())
    return Criteria(metric=NAME, query_id="q1", groups=tuple(groups))


def judged_facts(triplets: Sequence[Triplet], support: Mapping[tuple[str, str], Any]) -> list[Verdict]:
    """Verdicts on a report's facts and, by fact and source, on their support: a value, or a state without one.

    "unknown" is a page that says nothing of it.
    """

    def verdict(*given: Any, **more: Any) -> Verdict:
        return build.verdict(NAME, *given, **more)

    found = [
        verdict(TRIPLETS, REPORT, [triplet.model_dump(exclude_none=True) for triplet in triplets]),
        verdict(DUPLICATES, duplicates_item(distinct_facts(triplets)), []),
    ]
    for (fact, source), outcome in support.items():
        item = fact_source_item(fact, source)
        if outcome == "unknown":
            found.append(verdict(SUPPORT, item, 0.0, notes=(UNKNOWN,)))
        elif isinstance(outcome, str):
            found.append(verdict(SUPPORT, item, None, outcome))
        else:
            found.append(verdict(SUPPORT, item, outcome))
    return found


def answered(folder: Path, judge: Judge, **given: Any) -> dict[tuple[str, str], Score]:
    """By system and variant the rows over reports that have a value."""
    scores = build.scored(folder, NAME, judge, **given).scores
    return {(each.system, each.variant): each for each in scores}


def figure(value: Value) -> float | str:
    """A value's number, or its state where it has none."""
    return value.state if value.value is None else round(value.value, 4)


def figures(values: Mapping[str, Value], *names: str) -> list[float | str]:
    return [figure(values[name]) for name in names]
