"""Metrics as data: what a judge is asked, how a report's values follow from its verdicts, and how both are described.

A metric that needs no model is a function of a run: ``@metric``, or ``of_measures`` if each number has a reason. Any
other is a ``Metric``.
"""

import tomllib
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from graphlib import CycleError, TopologicalSorter
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar, overload

from drretail.errors import UserError, shortened
from drretail.eval.baskets import Measured
from drretail.eval.judging.question import NO_WORLD, CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import CriteriaTask, Pair, Subject
from drretail.experiments.experiment import Definition
from drretail.llm.prompt import Prompt
from drretail.records.criteria import Criteria
from drretail.records.run import BASELINES, System
from drretail.records.score import WHY_NOT, JudgeRef, MetricDescription, Order, Rules, Verdict, VerdictState, reasons_of

OPEN = "open"
"""Among a value's items: there is none because a pick rests on a demand that nobody has decided."""
NOT_KNOWN = "not known"
"""The note of a check that could not be made since something is not known, not since there is nothing to check."""
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


def no_value(variant: str, state: VerdictState, why: str = "") -> Value:
    """A missing value, with the reason if there is nothing to score."""
    return Value(variant, state, None, {f"{WHY_NOT}{why}": 1.0} if why and state == "na" else {})


def value_of(variant: str, verdict: Verdict | None, items: Mapping[str, float] | None = None) -> Value:
    """The number in a verdict; failed without a verdict, and with the reason if there is nothing to score."""
    if verdict is None:
        return Value(variant, "failed")
    items = items or {}
    if verdict.state != "scored":
        return Value(variant, verdict.state, None, {**items, **no_value(variant, verdict.state, verdict.reason).items})
    return Value(variant, "scored", float(verdict.value), items)


def all_lacking(verdict: Verdict | None, variants: Iterable[str]) -> list[Value]:
    """The values of a report whose one verdict has no value, or is missing, which counts as failed."""
    state, why = ("failed", "") if verdict is None else (verdict.state, verdict.reason)
    return [no_value(variant, state, why) for variant in variants]


def share(variant: str, part: tuple[str, int], whole: tuple[str, int]) -> Value:
    """A part of a whole, with both among the items under their names; n/a if the whole is 0."""
    items = {name: float(count) for name, count in (part, whole)}
    return Value(variant, "scored", part[1] / whole[1], items) if whole[1] else Value(variant, "na", None, items)


def gravest(states: Iterable[VerdictState | None]) -> VerdictState | None:
    """The state of a combination of values with these states: failed before unverifiable before na; None if all have
    values.
    """
    present = {*states}
    missing: tuple[VerdictState, ...] = ("failed", "unverifiable", "na")
    return next((state for state in missing if state in present), None)


def combine(variant: str, parts: Sequence[Value], formula: Callable[[Sequence[float]], float]) -> Value:
    """A formula over the parts' values, if each has one; else no value, with the gravest reason of any."""
    missing = gravest(part.state for part in parts)
    if missing is not None:
        return no_value(variant, missing, reason_in(parts))
    return Value(variant, "scored", formula([part.value for part in parts if part.value is not None]))


def reason_in(values: Iterable[Value]) -> str:
    """The first reason why one of these has nothing to score; empty without any."""
    return next((reason for value in values for reason in reasons_of(value.items)), "")


class Unsound(Exception):
    """A metric returned something invalid; the sentence names no place, since the caller adds it."""


def as_number(value: object, whose: str) -> float:
    """What a user's metric returned, as a number. Raises Unsound."""
    if isinstance(value, Real | Decimal) and isfinite(value):
        return float(value)
    raise Unsound(f"{whose} gave {shortened(repr(value))}, which is no number")


Judging = Callable[[Subject, JudgeSession], Awaitable[None] | None]
Valuing = Callable[[Subject, Sequence[Verdict], Rules], Sequence[Value]]
Pooling = Callable[[Mapping[str, Value]], Sequence[tuple[float, float]]]
BY_RULES = "a judge that follows rules is not asked for it"
UNDESCRIBED = MetricDescription(title="")
DESCRIPTIONS = Path(__file__).parent / "metrics" / "descriptions.toml"
OF_ANSWERS = DESCRIPTIONS.with_name("answers.toml")
RULES: tuple[Rules, ...] = ("default", "paper")
"""The rules of a metric that names none."""


@cache
def _descriptions(path: Path) -> dict[str, dict[str, Any]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def description_of(metric: str, path: Path = DESCRIPTIONS) -> MetricDescription:
    """How a built-in metric is shown, from ``metrics/descriptions.toml`` or an add-on's."""
    descriptions = _descriptions(path)
    if metric not in descriptions:
        raise ValueError(f"{path.name} has no section [{metric}]: add its title, meanings and notes.")
    return MetricDescription.model_validate(descriptions[metric])


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric such as faithfulness: one function judges a run, one makes values from the verdicts."""

    name: str
    """Letters, digits, ``_`` and ``-``."""
    version: int
    """Increase it when values change their meaning; verdicts of another version are stale."""
    judge: Judging
    """Records the missing verdicts of a run with a report, by the rules ``judge_session.rules``."""
    values: Valuing
    """A run's value in every variant, from the current verdicts of this version, rules and judge only. Pure. Variants
    that are judged on request may be left out.
    """
    variants: tuple[str, ...]
    """All variants, in the order of tables."""
    description: MetricDescription = UNDESCRIBED
    """Its title (default: the name), what its numbers mean, which variants are headlines."""
    prompts: Callable[[], Iterable[Prompt]] = tuple
    """All current prompts: verdicts that were asked by other prompts are stale."""
    rules: tuple[Rules, ...] = RULES
    """The rules that ``score --rules`` accepts for it."""
    needs_judge: bool = True
    """False for metrics without a model; their judge is "code"."""
    is_opinion: bool = False
    """True if a value is a matter of judgement, such as a rating: a rule-based judge is not asked for it."""
    after: tuple[str, ...] = ()
    """The metrics whose verdicts it reads; if the same command scores them, they come first."""
    pooled: Mapping[str, Pooling] = field(default_factory=dict[str, Pooling])
    """The variants that are computed over all reports together, such as J; all others are means.

    Each function returns one report's (numerator, denominator) in each part of the variant, from its values by variant.
    A part is the sum of numerators divided by the sum of denominators, and the variant is the mean of its parts. A
    report without a part returns (0, 0) for it. A share over all reports has one part, (its cases, all cases), and the
    mean of two means has two. Intervals can be drawn from the sums without judging again.
    """
    pooled_means: frozenset[str] = frozenset()
    """The pooled variants whose parts are means of reports, such as J: repeats are first averaged within their query.
    """
    prepare: Callable[[CriteriaTask, JudgeSession], Awaitable[Criteria | str]] | None = None
    """Makes a query's criteria before any report is judged, or says why there are none."""
    keep_gold: Callable[[Path, Definition, Path], object] | None = None
    """Copies what good answers are known to contain from a folder into the experiment."""
    lacks: Callable[[Path], str] | None = None
    """What an experiment lacks for this metric, in a sentence; empty if nothing."""
    applies: Callable[[Subject], Collection[str]] | None = None
    """Which variants of success a run's query has, whatever a report says; None for all."""

    def __post_init__(self) -> None:
        if not self.description.title:
            object.__setattr__(self, "description", self.description.model_copy(update={"title": self.name}))

    async def run_judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        """Calls the judging function, which may be async or not."""
        with judge_session.file.at_once():  # code gives forty verdicts on a report, and each write waits for the disk
            judging = self.judge(subject, judge_session)
        if judging is not None:
            await judging

    def prompt_hashes(self) -> frozenset[str]:
        """The hashes of the current prompts, and "" for verdicts without a prompt; all others are stale."""
        return frozenset({"", *(prompt.hash for prompt in self.prompts())})

    def without_report(self, subject: Subject, *, failed: bool) -> dict[str, Value]:
        """The values of success of a run without a report.

        They are n/a in the variants that the query lacks. In all others they are 0 if the run ``failed``.
        """
        success = self.description.success
        applicable = success if self.applies is None or not success else self.applies(subject)
        values = {variant: Value(variant, "na") for variant in success if variant not in applicable}
        return values | ({variant: Value(variant, "scored", 0.0) for variant in applicable} if failed else {})


def of_answers(metric: Metric) -> Metric:
    """The metric as an assistant is asked for it, from ``metrics/answers.toml``; without variants if it is not."""
    changes = dict(_descriptions(OF_ANSWERS).get(metric.name, {}))
    without = frozenset(changes.pop("without", ()))
    variants = tuple(name for name in changes.pop("variants", metric.variants) if name not in without)
    is_opinion = changes.pop("is_opinion", metric.is_opinion)
    shown = {**metric.description.model_dump(), **changes}
    shown["scoreboard"] = [column for column in shown["scoreboard"] if column["variant"] not in without]
    shown["headlines"] = [name for name in shown["headlines"] if name not in without]
    description = MetricDescription.model_validate(shown)
    return replace(metric, variants=variants, is_opinion=is_opinion, description=description)


@dataclass(frozen=True, eq=False)
class PairMetric:
    """A metric whose verdicts compare two reports on one query."""

    name: str
    version: int
    judge: Callable[[Pair, str, JudgeSession], Awaitable[None]]
    """Records the missing verdicts of two runs with reports; the text seeds the order."""
    variants: tuple[str, ...]
    """The dimensions in which two reports are compared."""
    prompts: Callable[[Rules], Mapping[str, Prompt]]
    """The current prompts by variant."""
    orders: Callable[[Rules, str, tuple[str, str], str], tuple[Order, ...]]
    """The orders in which a judge reads two runs' reports in a variant, by rules and the experiment's seed."""
    rules: tuple[Rules, ...] = RULES
    needs_judge: bool = True
    after: tuple[str, ...] = ()

    def prompt_hashes(self, rules: Rules = "default") -> frozenset[str]:
        """The hashes of all its prompts under these rules, and "" for verdicts without a prompt."""
        return frozenset().union(*self.hashes(rules).values())

    def hashes(self, rules: Rules) -> dict[str, frozenset[str]]:
        """The same by variant."""
        return {variant: frozenset({"", prompt.hash}) for variant, prompt in self.prompts(rules).items()}


AnyMetric = TypeVar("AnyMetric", Metric, PairMetric, Metric | PairMetric)


def judging_order(metrics: Sequence[AnyMetric]) -> list[list[AnyMetric]]:
    """The metrics in groups, each after those whose verdicts it reads; within a group in the order given.

    Raises UserError if metrics depend on one another in a circle.
    """
    by_name = {metric.name: metric for metric in metrics}
    sorter = TopologicalSorter({name: {*metric.after} & by_name.keys() for name, metric in by_name.items()})
    try:
        sorter.prepare()
    except CycleError as problem:
        raise UserError(
            f"These metrics need one another in a circle: {' → '.join(problem.args[1])}. Remove one of these needs."
        ) from problem
    groups: list[list[AnyMetric]] = []
    while sorter.is_active():
        ready = set(sorter.get_ready())
        groups.append([metric for metric in metrics if metric.name in ready])
        sorter.done(*ready)
    return groups


def check_rules(metrics: Iterable[Metric | PairMetric], rules: Rules) -> None:
    """Raises UserError if a metric that asks a judge does not accept these rules; metrics by code ignore them."""
    for metric in metrics:
        if metric.needs_judge and rules not in metric.rules:
            choices = ", ".join(metric.rules)
            raise UserError(f"{metric.name} has no rules {rules}: take {choices}.")


def is_unrated(metric: Metric, judge: JudgeRef) -> bool:
    """True for opinions of a rule-based judge: it is not asked for them, and none is ever shown."""
    return metric.is_opinion and judge.kind == "rule_based"


def is_judged(metric: Metric, system: System, *, floors: bool) -> bool:
    """Whether a metric judges a system's runs; it judges opinions on floors and the oracle only with ``floors``."""
    return floors or not metric.is_opinion or system.agent not in BASELINES


def of_verdicts(values: Callable[[Sequence[Verdict]], Sequence[Value]]) -> Valuing:
    """Values that follow from a run's verdicts only, whatever the run and the rules."""
    return lambda subject, verdicts, rules: values(verdicts)


def by_code(stage: str, measure: Callable[[Subject], Iterable[tuple[str, CodeVerdict]]]) -> Judging:
    """A judge without a model: it records what ``measure`` finds, by item, if it changed."""

    def judge(subject: Subject, judge_session: JudgeSession) -> None:
        for item, measured in measure(subject):
            judge_session.record_if_changed(stage, item, measured)

    return judge


def of_measures(
    name: str,
    version: int,
    measure: Callable[[Subject], Mapping[str, Measured] | str],
    *,
    after: tuple[str, ...] = ("reading",),
    lacks: Callable[[Path], str] | None = None,
    applies: Callable[[Subject], Collection[str]] | None = None,
    described: Path = DESCRIPTIONS,
) -> Metric:
    """A metric without a judge: code measures one number for each variant that the metric's description explains, or
    says why there is nothing to measure.

    If the world is not at hand, earlier measurements stay. Notes of verdicts are counted.
    """
    description = description_of(name, described)
    variants = tuple(description.meanings)

    def verdicts(subject: Subject) -> Iterator[tuple[str, CodeVerdict]]:
        measured = measure(subject)
        if isinstance(measured, str):
            measured = dict.fromkeys(variants, Measured(None, measured))
        for variant, outcome in measured.items():
            keeps, notes = outcome.reason == NO_WORLD, outcome.notes
            if outcome.is_open:
                yield variant, CodeVerdict("unverifiable", None, outcome.reason, (*notes, OPEN))
            else:
                yield variant, CodeVerdict.measured(outcome.value, outcome.reason, notes, keeps_existing=keeps)

    def values(recorded: Sequence[Verdict]) -> list[Value]:
        by_item = {verdict.item: verdict for verdict in recorded}
        notes = {item: dict.fromkeys(verdict.notes, 1.0) for item, verdict in by_item.items()}
        return [value_of(variant, by_item.get(variant), notes.get(variant)) for variant in variants]

    return Metric(
        name,
        version,
        by_code(name, verdicts),
        of_verdicts(values),
        variants,
        description,
        after=after,
        lacks=lacks,
        applies=applies,
        needs_judge=False,
    )


Measure = Callable[[Subject], "float | Mapping[str, float | None] | None"]
"""A report's number; None if it has nothing to score."""
MEASURE = "measure"
"""The stage of the verdicts of ``@metric``: their values are the reports' values."""


@overload
def metric(measure: Measure, /) -> Metric: ...
@overload
def metric(
    *, name: str = "", version: int = 1, variants: Sequence[str] = (), **described: Any
) -> Callable[[Measure], Metric]: ...
def metric(
    measure: Measure | None = None,
    /,
    *,
    name: str = "",
    version: int = 1,
    variants: Sequence[str] = (),
    **described: Any,
) -> Metric | Callable[[Measure], Metric]:
    """Makes a metric from a function of a run, and gives it the function's name unless ``name`` is given.

    The function returns a number, or None if there is nothing to score; with ``variants``, one of these for each by
    name. It is called once for each report: increase ``version`` when its results change. ``described`` are fields of
    MetricDescription; the title defaults to the name.
    """

    def metric_of(measure: Measure) -> Metric:
        names = tuple(variants) or (measure.__name__,)
        if len({*names}) < len(names):
            raise UserError(f"The metric {name or measure.__name__!r} names a variant twice: {', '.join(names)}.")

        async def judge(subject: Subject, judge_session: JudgeSession) -> None:
            if all(judge_session.existing(MEASURE, variant) is not None for variant in names):
                return
            returned = measure(subject)
            outcomes = returned if isinstance(returned, Mapping) else dict.fromkeys(names, returned)
            if {*outcomes} != {*names}:
                raise Unsound(
                    f"{measure.__name__} gave {', '.join(map(repr, outcomes)) or 'nothing'} for {', '.join(names)}"
                )
            numbers = {name: None if outcomes[name] is None else as_number(outcomes[name], name) for name in names}
            for variant, value in numbers.items():
                judge_session.record(MEASURE, variant, "na" if value is None else "scored", value)

        own_name = name or measure.__name__
        usual = {"title": own_name.capitalize(), "named_by_variant": names == (own_name,)}
        return measured_metric(own_name, version, names, MetricDescription.model_validate(usual | described), judge)

    return metric_of if measure is None else metric_of(measure)


def measured_metric(
    name: str, version: int, variants: tuple[str, ...], description: MetricDescription, judge: Judging
) -> Metric:
    """A metric whose values are its verdicts in the stage ``MEASURE``, one for each variant."""

    def values(verdicts: Sequence[Verdict]) -> list[Value]:
        return [Value(verdict.item, verdict.state, verdict.value) for verdict in verdicts]

    return Metric(name, version, judge, of_verdicts(values), variants, description, needs_judge=False)
