"""Metric families as data: what is asked of a judge, what is made of its verdicts, and how both are described.

A family that needs no model is a function of a run: ``@metric``, or ``of_measures`` where each number has its reason.
Any other is a ``Family``.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload

from drretail.errors import UserError
from drretail.eval.baskets.distance import Measured
from drretail.eval.judging.pairs import Pair
from drretail.eval.judging.question import NO_WORLD, CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject, Task
from drretail.eval.values import Unsound, Value, number_of, value_of
from drretail.experiment import Definition
from drretail.prompts import Prompt
from drretail.records.counterfactual import kind_of
from drretail.records.criteria import Criteria
from drretail.records.query import Query
from drretail.records.run import BASELINES, System
from drretail.records.score import JudgeRef, MetricDescription, Order, Rules, Verdict
from drretail.tables.table import Table

Judging = Callable[[Subject, JudgeSession], Awaitable[None] | None]
Valuing = Callable[[Subject, Sequence[Verdict], Rules], Sequence[Value]]
Pooling = Callable[[Mapping[str, Value]], Sequence[tuple[float, float]]]
BY_RULES = "a judge that follows rules is not asked for it"
UNDESCRIBED = MetricDescription(title="")
Input = Callable[[Path, Definition, str], object]
"""Keeps in an experiment what the command was given."""
RULES: tuple[Rules, ...] = ("default", "paper", "drg")
"""What a family knows that says nothing of rules."""


class ClaimMark(NamedTuple):
    """What a family says of one claim of a report, beside whether its sources support it."""

    kind: str
    reason: str


@dataclass(frozen=True, eq=False)
class Family:
    """A metric family such as faithfulness: one stage that judges a run, one that makes values of the verdicts."""

    name: str
    """Letters, digits, ``_`` and ``-``."""
    version: int
    """Counted up when values change their meaning; verdicts of another version are stale."""
    judge: Judging
    """Records the verdicts that are missing for a run with a report, by the rules ``judge_session.rules``."""
    values: Valuing
    """A run's value in every variant, from living verdicts of this version, rules and judge alone. Pure.

    A variant that has to be asked for may be left out where it was not."""
    variants: tuple[str, ...]
    """All variants, in the order of tables."""
    description: MetricDescription = UNDESCRIBED
    """Its title (the name where there is none), what its numbers mean, which variants are headlines."""
    prompts: Callable[[], Iterable[Prompt]] = tuple
    """All prompts as they are worded now: verdicts that were asked for in other words are stale."""
    rules: tuple[Rules, ...] = RULES
    """Those that it knows; ``score --rules`` takes no other."""
    needs_judge: bool = True
    """False for families that need no model; their judge is "code"."""
    is_opinion: bool = False
    """True where a value is a matter of judgement, such as a rating: a rule-based judge is not asked for it."""
    after: tuple[str, ...] = ()
    """The families whose verdicts it reads: where they are scored by the same command, they are first."""
    pooled: Mapping[str, Pooling] = field(default_factory=dict[str, Pooling])
    """The variants that are formed over all reports at once, such as FP_pooled; all others are means.

    Each function gives one report's (numerator, denominator) in each part of the variant, from its values by variant.
    A part is the sum of numerators over the sum of denominators. The variant is the plain mean of its parts. A report
    without a part gives (0, 0) for it. So FP_pooled has one part, (sum of s, number of
    items), and FP_eq2 two, (FP_web, 1) and (FP_product, 1). Sums let intervals be drawn without asking again."""
    pooled_means: frozenset[str] = frozenset()
    """Those of them whose parts are means of reports, such as FP_eq2: repeats are averaged inside their query first."""
    prepare: Callable[[Task, JudgeSession], Awaitable[Criteria | str]] | None = None
    """Makes what reports on a query are held to, before any is judged; or says why there is nothing."""
    published: Callable[[Path, Sequence[Query]], list[Criteria]] | None = None
    """Reads such criteria of these queries out of a publication's file. Raises UserError for a file of another form."""
    inputs: Mapping[str, Input] = field(default_factory=dict[str, Input])
    """What else the command may be given, by the option's name, and how it is kept in the experiment."""
    lacks: Callable[[Path], str] | None = None
    """What an experiment has to hold for it, in a sentence; empty where it holds it."""
    query_lacks: Callable[[Path, Query], str | None] | None = None
    """Why a query of an experiment has nothing to measure, whatever a report says; None where it has."""

    marks: Callable[[Iterable[Verdict]], Mapping[str, ClaimMark]] | None = None
    """What pages show of single claims, by their ids in the verdicts of faithfulness."""
    details: Callable[[Path], Sequence[Table]] | None = None
    """Tables of what lies behind its scores, read from an experiment: ``score --details`` and ``report`` show them."""
    sheet: Callable[[Path], None] | None = None
    """Writes, once it is scored, a file of its verdicts for people to fill in, and keeps what they filled in."""

    def __post_init__(self) -> None:
        if not self.description.title:
            object.__setattr__(self, "description", self.description.model_copy(update={"title": self.name}))

    async def run_judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        """Has its function judge, which need not be async where it asks nobody."""
        asked = self.judge(subject, judge_session)
        if asked is not None:
            await asked

    def prompt_hashes(self) -> frozenset[str]:
        """Of the prompts as they are worded now, and "" for verdicts that need none: all others are stale."""
        return frozenset({"", *(prompt.hash for prompt in self.prompts())})


@dataclass(frozen=True, eq=False)
class PairFamily:
    """A family whose verdicts are of two reports on one query: which is better."""

    name: str
    version: int
    judge: Callable[[Pair, str, JudgeSession], Awaitable[None]]
    """Records the verdicts that are missing for two runs with reports; the text draws orders."""
    variants: tuple[str, ...]
    """The dimensions in which two reports are compared."""
    prompts: Callable[[Rules], Mapping[str, Prompt]]
    """By variant, as they are worded now."""
    orders: Callable[[Rules, str, tuple[str, str], str], tuple[Order, ...]]
    """In which orders a judge reads two runs' reports in a variant, by rules and the seed of the experiment."""
    rules: tuple[Rules, ...] = RULES
    needs_judge: bool = True
    after: tuple[str, ...] = ()

    def prompt_hashes(self, rules: Rules = "default") -> frozenset[str]:
        """Of all its prompts under these rules, and "" where nobody was asked: verdicts in other words are stale."""
        return frozenset().union(*self.hashes(rules).values())

    def hashes(self, rules: Rules) -> dict[str, frozenset[str]]:
        """The same by variant."""
        return {variant: frozenset({"", prompt.hash}) for variant, prompt in self.prompts(rules).items()}


AnyFamily = TypeVar("AnyFamily", Family, PairFamily, Family | PairFamily)


def in_order(families: Sequence[AnyFamily]) -> list[list[AnyFamily]]:
    """The families in groups, each after those whose verdicts it reads; within a group in the order given.

    Raises UserError where families wait for one another.
    """
    by_name = {family.name: family for family in families}
    sorter = TopologicalSorter({name: {*family.after} & by_name.keys() for name, family in by_name.items()})
    try:
        sorter.prepare()
    except CycleError as problem:
        raise UserError(
            f"These metrics need one another in a circle: {' → '.join(problem.args[1])}. Remove one of these needs."
        ) from problem
    groups: list[list[AnyFamily]] = []
    while sorter.is_active():
        ready = set(sorter.get_ready())
        groups.append([family for family in families if family.name in ready])
        sorter.done(*ready)
    return groups


def check_rules(families: Iterable[Family | PairFamily], rules: Rules) -> None:
    """Raises UserError where a family that asks a judge does not know these rules; code has one set of its own."""
    for family in families:
        if family.needs_judge and rules not in family.rules:
            known = ", ".join(family.rules)
            raise UserError(f"{family.name} has no rules {rules}: take {known}.")


def is_unrated(family: Family, judge: JudgeRef) -> bool:
    """True for opinions of a judge that follows rules: it is not asked for them, and none is ever shown."""
    return family.is_opinion and judge.kind == "rule_based"


def is_judged(family: Family, system: System, *, floors: bool) -> bool:
    """Whether a family judges a system's runs; of floors and the oracle it asks for opinions only with ``floors``.

    Families that ask a model leave runs with other data out: what they measure of the system, they measure on the
    users' own. Asked again they would cost as much once more, and put a second line of the same system into each
    ranking. Families by code cost nothing, and tell whether a run with other data is as sound.
    """
    if family.is_opinion and not floors and system.agent in BASELINES:
        return False
    return not family.needs_judge or kind_of(system) is None


def of_verdicts(values: Callable[[Sequence[Verdict]], Sequence[Value]]) -> Valuing:
    """Values that follow from a run's verdicts alone, whatever the run and the rules."""
    return lambda subject, verdicts, rules: values(verdicts)


def by_code(stage: str, measure: Callable[[Subject], Iterable[tuple[str, CodeVerdict]]]) -> Judging:
    """A judge that needs no model: it records what ``measure`` finds, by item, and anew what comes out differently."""

    def judge(subject: Subject, judge_session: JudgeSession) -> None:
        for item, found in measure(subject):
            judge_session.record_if_changed(stage, item, found)

    return judge


def of_measures(
    name: str,
    version: int,
    measure: Callable[[Subject], Mapping[str, Measured]],
    description: MetricDescription,
    *,
    after: tuple[str, ...] = ("reading",),
    lacks: Callable[[Path], str] | None = None,
    query_lacks: Callable[[Path, Query], str | None] | None = None,
) -> Family:
    """A family without a judge: one number by code for each variant, which are those that the description explains.

    What was measured before stays where the world is not at hand this time. Notes of verdicts are counted.
    """

    def verdicts(subject: Subject) -> Iterator[tuple[str, CodeVerdict]]:
        for variant, found in measure(subject).items():
            keeps = found.reason == NO_WORLD
            yield variant, CodeVerdict.measured(found.value, found.reason, found.notes, keeps_existing=keeps)

    def values(given: Sequence[Verdict]) -> list[Value]:
        by_item = {verdict.item: verdict for verdict in given}
        notes = {item: dict.fromkeys(verdict.notes, 1.0) for item, verdict in by_item.items()}
        return [value_of(variant, by_item.get(variant), notes.get(variant)) for variant in variants]

    variants = tuple(description.meanings)
    return Family(
        name,
        version,
        by_code(name, verdicts),
        of_verdicts(values),
        variants,
        description,
        after=after,
        lacks=lacks,
        query_lacks=query_lacks,
        needs_judge=False,
    )


Measure = Callable[[Subject], "float | Mapping[str, float | None] | None"]
"""What a report gets; None where it holds nothing to score."""
_STAGE = "measure"


@overload
def metric(measure: Measure, /) -> Family: ...
@overload
def metric(
    *, name: str = "", version: int = 1, variants: Sequence[str] = (), **described: Any
) -> Callable[[Measure], Family]: ...
def metric(
    measure: Measure | None = None,
    /,
    *,
    name: str = "",
    version: int = 1,
    variants: Sequence[str] = (),
    **described: Any,
) -> Family | Callable[[Measure], Family]:
    """Makes a family of a function of a run, whose name it has unless another is given.

    The function gives a number, or None where there is nothing to score; with ``variants``, one of these for each by
    name. It is called once for each report: raise ``version`` when what it gives changes. ``described`` are the fields
    of a MetricDescription, whose title is the name unless it is among them.
    """

    def family_of(measure: Measure) -> Family:
        names = tuple(variants) or (measure.__name__,)
        if len({*names}) < len(names):
            raise UserError(f"The metric {name or measure.__name__!r} names a variant twice: {', '.join(names)}.")

        async def judge(subject: Subject, judge_session: JudgeSession) -> None:
            if all(judge_session.existing(_STAGE, variant) is not None for variant in names):
                return
            given = measure(subject)
            found = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
            if {*found} != {*names}:
                raise Unsound(
                    f"{measure.__name__} gave {', '.join(map(repr, found)) or 'nothing'} for {', '.join(names)}"
                )
            numbers = {each: None if found[each] is None else number_of(found[each], each) for each in names}
            for variant, value in numbers.items():
                judge_session.record(_STAGE, variant, "na" if value is None else "scored", value)

        own_name = name or measure.__name__
        return Family(
            own_name,
            version,
            judge,
            of_verdicts(lambda verdicts: [Value(verdict.item, verdict.state, verdict.value) for verdict in verdicts]),
            names,
            MetricDescription.model_validate({"title": own_name.capitalize(), **described}),
            needs_judge=False,
        )

    return family_of if measure is None else family_of(measure)
