"""One report's value in a variant of a metric, and how values follow from verdicts and from other values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from numbers import Real

from drretail.errors import shortened
from drretail.records.score import WHY_NOT, Verdict, VerdictState, reasons_of

NOT_JUDGED = "not_judged"
"""Among a value's items: no judge was asked yet."""
UNFETCHED_PAGES = "nobody fetched the pages it cites: `score --fetch-sources` does"


@dataclass(frozen=True, slots=True)
class Value:
    """One report's value in one variant."""

    variant: str
    """FP, clarity, utility_ratio …"""
    state: VerdictState
    """Whether there is a value, or why not."""
    value: float | None = None
    """Present exactly if ``state`` is "scored"."""
    items: Mapping[str, float] = field(default_factory=dict[str, float])
    """Counts of items behind it, which are summed over reports."""
    earns: float | None = None
    """What a report with nothing to score gets in a headline: 0 if that is the report's own fault; None if the query,
    or the judge's sources, gave nothing to score.
    """


def lacking(variant: str, state: VerdictState, why: str = "", *, earns: float | None = None) -> Value:
    """A missing value, with the reason if there is nothing to score, and with what it earns in a headline."""
    return Value(variant, state, None, {f"{WHY_NOT}{why}": 1.0} if why and state == "na" else {}, earns)


def value_of(variant: str, verdict: Verdict | None, items: Mapping[str, float] | None = None) -> Value:
    """The number in a verdict; failed without a verdict, and with the reason if there is nothing to score."""
    if verdict is None:
        return Value(variant, "failed")
    items = items or {}
    if verdict.state != "scored":
        return Value(variant, verdict.state, None, {**items, **lacking(variant, verdict.state, verdict.reason).items})
    return Value(variant, "scored", float(verdict.value), items)


def all_lacking(verdict: Verdict | None, variants: Iterable[str]) -> list[Value]:
    """The values of a report whose one verdict has no value, or is missing, which counts as failed."""
    state, why = ("failed", "") if verdict is None else (verdict.state, verdict.reason)
    return [lacking(variant, state, why) for variant in variants]


def share(variant: str, part: tuple[str, int], whole: tuple[str, int]) -> Value:
    """A part of a whole, with both among the items under their names; n/a if the whole is 0."""
    items = {name: float(count) for name, count in (part, whole)}
    return Value(variant, "scored", part[1] / whole[1], items) if whole[1] else Value(variant, "na", None, items)


def pooled_share(variant: str, part: str, whole: str) -> Callable[[Mapping[str, Value]], Sequence[tuple[float, float]]]:
    """One report's sums for a share over all reports, from two items; zeros without a value."""

    def sums(report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        value = report[variant]
        return [(value.items[part], value.items[whole])] if value.state == "scored" else [(0.0, 0.0)]

    return sums


def gravest(states: Iterable[VerdictState | None]) -> VerdictState | None:
    """The state of a combination of values with these states: failed before unverifiable before na; None if all have
    values.
    """
    present = {*states}
    missing: tuple[VerdictState, ...] = ("failed", "unverifiable", "na")
    return next((state for state in missing if state in present), None)


def joined(variant: str, parts: Sequence[Value], formula: Callable[[Sequence[float]], float]) -> Value:
    """A formula over the parts' values, if each has one; else no value, with the gravest reason of any.

    If each part has a value or earns something, it earns the formula of these.
    """
    missing = gravest(part.state for part in parts)
    if missing is not None:
        earned = [part.earns if part.value is None else part.value for part in parts]
        known = [value for value in earned if value is not None]
        earns = formula(known) if len(known) == len(parts) else None
        return lacking(variant, missing, reason_in(parts), earns=earns)
    return Value(variant, "scored", formula([part.value for part in parts if part.value is not None]))


def reason_in(values: Iterable[Value]) -> str:
    """The first reason why one of these has nothing to score; empty without any."""
    return next((reason for value in values for reason in reasons_of(value.items)), "")


class Unsound(Exception):
    """A metric returned something invalid; the sentence names no place, since the caller adds it."""


def number_of(value: object, whose: str) -> float:
    """What a user's metric returned, as a number. Raises Unsound."""
    if isinstance(value, Real | Decimal) and isfinite(value):
        return float(value)
    raise Unsound(f"{whose} gave {shortened(repr(value))}, which is no number")
