"""What a metric family is: one stage that judges a run, one that makes values per report of the verdicts."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any, Protocol, get_args, runtime_checkable

from drretail.errors import DrretailError, UserError, quoted, shortened, told
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.records.counterfactual import kind_of
from drretail.records.run import BASELINES, System
from drretail.records.score import WHY_NOT, JudgeRef, MetricDescription, Rules, Verdict, VerdictState, reasons_of

UNFETCHED_PAGES = "nobody fetched the pages it cites: `score --fetch-sources` does"


@dataclass(frozen=True, slots=True)
class Value:
    """What one report gets in one variant. ``value`` is present exactly when ``state`` is "scored"."""

    variant: str
    state: VerdictState
    value: float | None = None
    items: Mapping[str, float] = field(default_factory=dict[str, float])
    """Counts of items behind it; summed over reports."""
    earns: float | None = None
    """Of a report that has nothing to score: what it earns in a headline, 0 where that is the report's own lack. None
    where the query, or whoever looked, gave nothing to score."""


def lacking(variant: str, state: VerdictState, why: str = "", *, earns: float | None = None) -> Value:
    """No value; where there is nothing to score, with the reason, and with what it earns in a headline."""
    return Value(variant, state, None, {f"{WHY_NOT}{why}": 1.0} if why and state == "na" else {}, earns)


def all_lacking(verdict: Verdict | None, variants: Iterable[str]) -> list[Value]:
    """What a report has of them whose one verdict holds nothing, or is missing, which is failed."""
    state, why = ("failed", "") if verdict is None else (verdict.state, verdict.reason)
    return [lacking(variant, state, why) for variant in variants]


def share(variant: str, part: tuple[str, int], whole: tuple[str, int]) -> Value:
    """A part of a whole, each with its name among the items; n/a of nothing."""
    items = {name: float(count) for name, count in (part, whole)}
    return Value(variant, "scored", part[1] / whole[1], items) if whole[1] else Value(variant, "na", None, items)


def pooled_share(value: Value, part: str, whole: str) -> Sequence[tuple[float, float]]:
    """The same as pairs that are summed over a system's reports; one without a value adds nothing."""
    return [(value.items[part], value.items[whole])] if value.state == "scored" else [(0.0, 0.0)]


def gravest(states: Iterable[VerdictState | None]) -> VerdictState | None:
    """Why there is no value where any of these has none: failed before unverifiable before na; None where all have."""
    found = {*states}
    missing: tuple[VerdictState, ...] = ("failed", "unverifiable", "na")
    return next((state for state in missing if state in found), None)


def joined(variant: str, parts: Sequence[Value], formula: Callable[[Sequence[float]], float]) -> Value:
    """What a formula makes of the parts' values where each has one; else no value, by the gravest reason of any.

    Where each part has a value or earns something, it earns what the formula makes of these.
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


def description_of(metric: "Metric") -> MetricDescription:
    """What the family says of itself, or the plainest that can be said of one that says nothing."""
    described = getattr(metric, "description", None)
    return described if isinstance(described, MetricDescription) else MetricDescription(title=metric.name)


RULES: tuple[Rules, ...] = ("default", "paper", "drg")
"""What a family knows that says nothing of rules."""


def check_rules(metrics: Iterable["Metric"], rules: Rules) -> None:
    """Raises UserError where a family that asks a judge does not know these rules; code has one set of its own.

    A family says which it knows by an attribute ``rules``.
    """
    for metric in metrics:
        known: tuple[Rules, ...] = getattr(metric, "rules", RULES)
        if metric.needs_judge and rules not in known:
            raise UserError(f"{metric.name} knows the rules {', '.join(known)}, and not {rules}: judge it by those.")


def is_unrated(metric: "Metric", judge: JudgeRef) -> bool:
    """True for opinions of a judge that follows rules: it is not asked for them, and none is ever shown."""
    return metric.is_opinion and judge.kind == "rule_based"


def is_judged(metric: "Metric", system: System, *, floors: bool) -> bool:
    """Whether a family judges a system's runs; of floors and the oracle it asks for opinions only with ``floors``.

    Families that ask a model leave runs with other data out: what they measure of the system, they measure on the
    users' own. Asked again they would cost as much once more, and put a second line of the same system into each
    ranking. Families by code cost nothing, and tell whether a run with other data is as sound.
    """
    if metric.is_opinion and not floors and system.agent in BASELINES:
        return False
    return not metric.needs_judge or kind_of(system) is None


@runtime_checkable
class Metric(Protocol):
    """A family such as faithfulness. Knowing one is knowing all.

    It may also have a ``description``: its title, what its numbers mean, which of its variants are headlines.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int:
        """Counted up when values change their meaning; verdicts of another version are stale."""
        ...

    @property
    def needs_judge(self) -> bool:
        """False for families that need no model; their judge is "code"."""
        ...

    @property
    def is_opinion(self) -> bool:
        """True where a value is a matter of judgement, such as a rating: a rule-based judge is not asked for it."""
        ...

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        """Records the verdicts that are missing for this run; what stands is not judged again.

        Only called for a run with a report. The rules are ``judge_session.rules``.
        """
        ...

    def prompt_hashes(self) -> frozenset[str]:
        """Of all prompts as they are worded today, and "" where verdicts need none: all others are stale."""
        ...

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        """The run's value in every variant, from living verdicts of this version, rules and judge alone. Pure.

        A variant that has to be asked for may be left out where it was not.
        """
        ...

    def variants(self) -> tuple[str, ...]:
        """All variants, in the order of tables."""
        ...

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        """One report's (numerator, denominator) in each part of a pooled variant, from its values by variant.

        Over all reports the variant is the plain mean of its parts, and a part is the sum of numerators over the sum
        of denominators; a part for which a report has nothing is (0, 0). So FP_pooled has one part, (sum of s, number
        of items), and FP_eq2 two, (FP_web, 1) and (FP_product, 1). Sums let intervals be drawn without asking again.
        Raises KeyError for a variant that is not in ``pooled_variants``.
        """
        ...

    def pooled_variants(self) -> frozenset[str]:
        """The variants that are formed over all reports at once, such as FP_pooled; all others are means."""
        ...


class _Unsound(Exception):
    """What a metric gives is no value; its sentence needs no place, since it is found behind the metric."""


class OwnMetric:
    """A ``Metric`` of somebody else's, whose faults are told by its name, its file and its line: a UserError."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnMetric) and other._metric is self._metric

    def __hash__(self) -> int:
        return id(self._metric)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._metric, name)
        return self._told(name, found) if callable(found) else found

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        with self._telling("judge"):
            await self._metric.judge(subject, judge_session)

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        with self._telling("values"):
            made = [_sound(it) for it in self._metric.values(subject, verdicts, rules)]
            names = [it.variant for it in made]
            for name in names:
                if name not in self._metric.variants():
                    raise _Unsound(f"{name!r} is none of its variants")
                if names.count(name) > 1:
                    raise _Unsound(f"{name!r} stands twice")
            return made

    def _told(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **given: Any) -> Any:
            with self._telling(name):
                return function(*args, **given)

        return call

    @contextmanager
    def _telling(self, what: str) -> Generator[None]:
        try:
            yield
        except DrretailError:
            raise
        # The boundary of somebody's metric.
        except (Exception, SystemExit) as problem:
            said = str(problem) if isinstance(problem, _Unsound) else told(problem)
            raise UserError(f"The metric {quoted(self._metric.name)} failed in {what}: {said}.") from problem


def _sound(given: object) -> Value:
    """The value, if a mean can be made of it; raises _Unsound."""
    if not isinstance(given, Value):
        raise _Unsound(f"a {type(given).__name__} is no drretail.Value")
    if given.state not in get_args(VerdictState):
        raise _Unsound(f"{given.variant!r} is in the state {given.state!r}, which is none")
    if given.state == "scored":
        return replace(given, value=_number(given.value, repr(given.variant)))
    if given.value is not None:
        raise _Unsound(f"{given.variant!r} has a value, although its state is {given.state!r}")
    return given


def _number(given: object, whose: str) -> float:
    if isinstance(given, Real | Decimal) and isfinite(given):
        return float(given)
    raise _Unsound(f"{whose} gave {shortened(repr(given))}, which is no number")


class OnlyMeans:
    """A family none of whose variants is pooled: over reports all are means."""

    __slots__ = ()

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        raise KeyError(variant)

    def pooled_variants(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True, slots=True)
class CodeFamily(OnlyMeans):
    """A ``Metric`` that asks no model, whose values are the same under all rules and means over reports alone."""

    name: str
    version: int
    judged: Callable[[Subject, JudgeSession], None]
    """Records the verdicts that are missing for a run."""
    valued: Callable[[Sequence[Verdict]], list[Value]]
    """A run's value in every variant, from its verdicts."""
    names: tuple[str, ...]
    """All variants, in the order of tables."""
    description: MetricDescription | None = None
    needs_judge: bool = False
    is_opinion: bool = False

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        self.judged(subject, judge_session)

    def prompt_hashes(self) -> frozenset[str]:
        return frozenset({""})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        del subject, rules
        return self.valued(verdicts)

    def variants(self) -> tuple[str, ...]:
        return self.names


Measure = Callable[[Subject], float | None]
"""What a report gets; None where it holds nothing to score."""
_STAGE = "measure"


def metric_of(name: str, *measures: Measure, version: int = 1, **described: Any) -> CodeFamily:
    """A family of functions of a run, each a variant by its name.

    They are called once for each report; raise ``version`` when what they give changes. ``described`` are the fields of
    a MetricDescription, whose title is the name unless it is among them.
    """

    def judged(subject: Subject, judge_session: JudgeSession) -> None:
        for measure in measures:
            if judge_session.standing(_STAGE, measure.__name__) is None:
                given = measure(subject)
                value = None if given is None else _number(given, measure.__name__)
                judge_session.record(_STAGE, measure.__name__, "na" if value is None else "scored", value)

    def valued(verdicts: Sequence[Verdict]) -> list[Value]:
        return [Value(it.item, it.state, it.value) for it in verdicts]

    names = tuple(measure.__name__ for measure in measures)
    if not names:
        raise ValueError(f"the metric {name!r} has no function that measures")
    for measure in names:
        if names.count(measure) > 1:
            raise ValueError(f"two functions of the metric {name!r} have the name {measure!r}, and each is a variant")
    description = MetricDescription.model_validate({"title": name.capitalize(), **described})
    return CodeFamily(name, version, judged, valued, names, description)
