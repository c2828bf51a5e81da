"""Weights that have to add up to 1: checked where a model gives them, held to where a person edited them."""

from collections.abc import Iterable, Sequence

from drretail.errors import UserError
from drretail.eval.judging.criteria import criteria_of
from drretail.eval.judging.subject import Subject
from drretail.eval.weighted.axis import Axis
from drretail.records.criteria import Criteria

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
            raise UserError(f"{place} has no group {lacking[0]!r}: an axis is judged in all its dimensions or in none.")
        sets = {f"the dimensions of {axis.name}": [group.weight for group in groups]}
        sets |= {group.name: [criterion.weight for criterion in group.criteria] for group in groups}
        for name, weights in sets.items():
            if problem := off(weights):
                raise UserError(f"{place}, {name}: {problem}.")
