"""Dimensions that are weighed against each other for a query, their criteria, and scores by these.

The file ``axes.toml`` of a family describes its dimensions.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from drretail.errors import UserError
from drretail.eval.judging.criteria import criteria_of
from drretail.eval.judging.subject import Subject
from drretail.prompts import tagged
from drretail.records.criteria import Criteria, Criterion


@dataclass(frozen=True, slots=True)
class Dimension:
    """One side of a report that gets a score of its own."""

    key: str
    """Names it in files and in a judge's answer: ``goal_alignment``."""
    title: str
    text: str
    """What it looks at."""
    short: str = ""
    """Names its column; empty where the key does."""

    @property
    def variant(self) -> str:
        return self.short or self.key

    @property
    def prompt_text(self) -> str:
        """A line for prompts."""
        return f"- `{self.key}` ({self.title}): {self.text.strip()}"


@dataclass(frozen=True, slots=True)
class Axis:
    """Dimensions whose weights add up to 1."""

    name: str
    sees_profile: bool
    """True where weights and criteria are made for this shopper, and not for whoever asks the question."""
    stance: str
    """What all questions about it begin with."""
    dimensions: tuple[Dimension, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(dimension.key for dimension in self.dimensions)

    @property
    def prompt_text(self) -> str:
        """All dimensions for prompts, a line each."""
        return "\n".join(dimension.prompt_text for dimension in self.dimensions)

    def is_in(self, criteria: Criteria) -> bool:
        """True where the criteria have something for every dimension."""
        return all(criteria.group(key) is not None for key in self.keys)


@cache
def read_axes(path: Path) -> tuple[Axis, ...]:
    """The axes of a family, in the order of its file."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Axis(
            name,
            sees_profile=axis["sees_profile"],
            stance=axis["stance"].strip(),
            dimensions=tuple(Dimension(key, **fields) for key, fields in axis["dimensions"].items()),
        )
        for name, axis in tables.items()
    )


TOLERANCE = 0.01
"""How far a sum may be from 1: so much is rounding and is set right."""
_NOTHING = 1e-9


def off(weights: Sequence[float]) -> str | None:
    """What is wrong with weights that a model gave; None where they add up to 1 but for rounding."""
    total = sum(weights)
    if any(weight < 0 for weight in weights):
        return "a weight is below 0"
    if not abs(total - 1) <= TOLERANCE + _NOTHING:  # which NaN is not, either
        return f"the weights add up to {total:g} and have to add up to 1"
    return None


def normalised(weights: Sequence[float]) -> list[float]:
    """The same in the same proportions, adding up to 1; as they are where they do."""
    total = sum(weights)
    return list(weights) if abs(total - 1) <= _NOTHING else [weight / total for weight in weights]


def weighted_mean(parts: Iterable[tuple[float, float]]) -> float:
    """Σ weight · value over pairs (weight, value) whose weights add up to 1 but for rounding."""
    pairs = list(parts)
    weights = normalised([weight for weight, _ in pairs])
    return sum(weight * value for weight, (_, value) in zip(weights, pairs, strict=True))


def checked_criteria(subject: Subject, family: str, axes: Iterable[Axis]) -> Criteria | None:
    """What reports on the query are held to; raises UserError where an edit left sums that are not 1."""
    criteria = criteria_of(subject, family)
    if criteria is not None:
        check_sums(criteria, axes)
    return criteria


def check_sums(criteria: Criteria, axes: Iterable[Axis]) -> None:
    """Raises UserError, naming the file, where an edit left weights of dimensions or criteria that don't add up to 1,
    or a dimension without criteria."""
    place = f"rubrics/{criteria.family}/{criteria.query_id}.json"
    for axis in axes:
        groups = [group for key in axis.keys if (group := criteria.group(key)) is not None]
        if not groups:
            continue
        lacking = [key for key in axis.keys if criteria.group(key) is None]
        if lacking:
            raise UserError(f"{place} has no group {lacking[0]!r}: add it, or remove the whole axis.")
        sets = {f"the dimensions of {axis.name}": [group.weight for group in groups]}
        sets |= {group.name: [criterion.weight for criterion in group.criteria] for group in groups}
        for name, weights in sets.items():
            if problem := off(weights):
                raise UserError(f"{place}, {name}: {problem}.")


T = TypeVar("T")


def matched(criteria: Sequence[Criterion], scored: Sequence[tuple[str, T]]) -> dict[str, T] | str:
    """The score of each criterion, or what is wrong: one is missing, given twice, or unknown.

    Words are compared exactly, then without regard to case. Nothing is guessed: a score under other words is no score
    of a criterion.
    """
    exact = {criterion.text: criterion.text for criterion in criteria}
    folded = {criterion.text.strip().casefold(): criterion.text for criterion in criteria}
    found: dict[str, T] = {}
    for words, value in scored:
        text = exact.get(words) or folded.get(words.strip().casefold())
        if text is None:
            return f"{words!r} is no criterion: copy the criteria word for word"
        if text in found:
            return f"{text!r} is there twice"
        found[text] = value
    missing = [criterion.text for criterion in criteria if criterion.text not in found]
    return f"{missing[0]!r} is missing" if missing else found


class _Score(Protocol):
    criterion: str


S = TypeVar("S", bound=_Score)


def by_dimension(
    axis: Axis, criteria: Criteria, answered: Callable[[str], Sequence[S]]
) -> dict[str, dict[str, S] | str]:
    """By dimension the scores that were answered for it, by criterion, or what is wrong with them."""
    groups = {key: criteria.group(key) for key in axis.keys}
    return {
        key: matched(() if group is None else group.criteria, [(score.criterion, score) for score in answered(key)])
        for key, group in groups.items()
    }


def problems(found: Mapping[str, object]) -> str | None:
    """What to tell a judge of dimensions that could not be matched; None without any."""
    found_wrong = [f"{key}: {problem}" for key, problem in found.items() if isinstance(problem, str)]
    return "; ".join(found_wrong) or None


def criterion_tags(axis: Axis, criteria: Criteria) -> str:
    """The criteria of an axis for a prompt, each in a tag; their weights are not told to who scores."""
    groups = [group for key in axis.keys if (group := criteria.group(key)) is not None]
    return "\n".join(
        tagged(
            "criterion",
            f"{criterion.text}\n({criterion.explanation})" if criterion.explanation else criterion.text,
            dimension=group.name,
        )
        for group in groups
        for criterion in group.criteria
    )
