"""All that is measured of one query: its factual reports against those of the same system before another profile."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.counterfactual.advice import Advice
from drretail.eval.counterfactual.change import Change, changes
from drretail.eval.counterfactual.direction import Direction, direction
from drretail.eval.counterfactual.overuse import overridden, strays
from drretail.eval.counterfactual.prices import price_spans
from drretail.grounding.case import constraints_of
from drretail.records.counterfactual import DIMENSIONS, Counterfactual, CounterfactualKind, Dimension, ProfileTraits
from drretail.records.query import Query

TELLING: tuple[Dimension, ...] = ("products", "constraints")
"""Dimensions in which a report shows that it looked at the profile; the others follow from the products."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One query; what cannot be told is None."""

    changes: Mapping[Dimension, Change]
    direction: Direction
    ignored: bool | None
    overused_constraint: bool | None
    overused_category: bool | None
    regained: bool
    """A constraint that most factual reports break and most others do not: how far such things happen anyway."""

    @property
    def overused(self) -> bool | None:
        told = [it for it in (self.overused_constraint, self.overused_category) if it is not None]
        return any(told) if told else None


def measured(
    query: Query,
    frozen: Counterfactual,
    kind: CounterfactualKind,
    factual: Sequence[Advice],
    other: Sequence[Advice],
) -> Outcome:
    """``factual`` and ``other`` are the query's reports by both systems, one of each at least."""
    partner = frozen.partner if kind == "swap" and frozen.partner is not None else nobody(frozen.user_id)
    spans = price_spans(advice.handed for advice in (*factual, *other))
    found: dict[Dimension, Change] = {dimension: changes(factual, other, dimension, spans) for dimension in DIMENSIONS}
    overused_constraint = overused_category = None
    if kind == "swap" and any(it.recommended for it in factual) and any(it.recommended for it in other):
        stated = constraints_of(query)
        overused_constraint = bool(overridden(factual, other))
        overused_category = strays(factual, other, partner, stated)
    return Outcome(
        changes=found,
        direction=direction(factual, other, frozen.own, partner, spans),
        ignored=is_ignored(found) if frozen.own.orders or partner.orders else None,
        overused_constraint=overused_constraint,
        overused_category=overused_category,
        regained=overused_constraint is not None and bool(overridden(other, factual)),
    )


def nobody(user_id: str) -> ProfileTraits:
    """The traits of a user without orders."""
    return ProfileTraits(user_id=user_id, orders=0)


def is_ignored(found: Mapping[Dimension, Change]) -> bool | None:
    """True when neither products nor constraints change by more than the factual repeats do among themselves.

    What counts is the largest difference between two repeats, 0 without repeats. None where nothing can be told:
    nothing is named, or two repeats already have nothing in common.
    """
    told = [
        change > (most or 0.0)
        for change, most in ((found[it].change, found[it].most) for it in TELLING)
        if change is not None and (most or 0.0) < 1
    ]
    return not any(told) if told else None
