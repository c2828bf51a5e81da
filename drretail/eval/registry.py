"""Metric families by name: built-in ones, plugins (entry points of drretail.evaluators), and ``module:attribute``.

Nothing else imports a family's folder (a contract in pyproject.toml), except what concerns one family only:

eval/judging/readings.py                 the readings of the family reading, which families by code use
lab/bias/{drift,justification}.py        probes of quality's own questions
sandboxes/search_based/gold.py           dr3's criteria, made with a sandbox before any experiment
viewer/voting/criteria.py                people are asked by the criteria of quality and pairwise
"""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

from drretail.errors import DrretailError, UnknownName, UserError, describe_error, quoted
from drretail.eval.family import MEASURE, ClaimMark, Family, PairFamily, measured_family
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.judging.verdicts import VerdictFile
from drretail.eval.values import Unsound, Value, number_of
from drretail.files import read_json
from drretail.plugins import Plugins
from drretail.records.score import CODE, MetricDescription, Rules, Verdict, VerdictState
from drretail.records.scoreboard import BoardColumn

METRICS = {
    name: f"drretail.eval.families.{module}:METRIC"
    for name, module in {
        "faithfulness": "faithfulness.score",
        "false_statements": "false_statements",
        "fault_place": "fault_place.score",
        "quality": "quality.score",
        "checks": "checks",
        "reading": "reading.score",
        "process": "process",
        "basket": "basket",
        "outcome": "outcome",
        "understood": "understood",
        "intent": "intent",
        "next_purchase": "next_purchase",
        "robustness": "robustness",
        "moves": "moves",
        "truth": "truth",
        "pqr": "pqr.score",
        "race": "race.score",
        "dr3": "dr3.score",
        "rubrics": "rubrics.score",
        "report_eval": "report_eval.score",
    }.items()
}
USUAL = ("faithfulness", "false_statements", "fault_place", "quality", "checks", "process", "basket", "outcome")
"""The families that are scored by default."""
WHERE_THERE = ("next_purchase", "understood", "intent", "moves")
"""Families that are also scored by default if the experiment has what they need (``Family.lacks``)."""
READING = "reading"
"""The family by which a judge reads picks and values; families by code use its readings if there are any."""
DECIDES = "outcome"
"""The family that says which queries a system refuses; twins of queries are compared by it."""
COUNTS_STEPS = "process"
"""The family of what runs did, whose measures are correlated with scores."""
FALSE_STATEMENTS = "false_statements"
"""The family of what is false in reports, which pages list, and its headline."""
KINDS: Mapping[str, Sequence[str]] = {
    "price": ("price_wrong",),
    "stock": ("stock_wrong",),
    "field": ("property_wrong", "rating_wrong", "rating_count_wrong", "brand_wrong"),
    "order": ("status_wrong", "order_date_wrong"),
    "policy": ("policy_wrong",),
    "total": ("total_wrong", "calculation_wrong"),
    "unknown": ("not_in_catalog", "unresolved_citation"),
}
"""The kinds of false statements that have a row of their own, with their findings."""


JUDGED = "judged"


def kind_of_code(code: str) -> str:
    """The kind of false statement that a finding is; ``JUDGED`` for a judge's and for what has no kind."""
    return next((kind for kind, codes in KINDS.items() if code in codes), JUDGED)


AS_ANSWERS = "read as answers"
"""The item of a score: in how many of its reports code read the answers of an assistant, which cites nothing."""
MARKS_CLAIMS = "fault_place"
"""The family with marks on single claims (``Family.marks``), which pages show beside them."""
UNITS = {"section": "report_eval", "paragraph": "drretail.eval.families.report_eval.score:BY_PARAGRAPHS"}
"""The forms of report_eval, by the unit whose pairs are compared."""
PAIRWISE = "pairwise"
"""The family that compares two reports: it is named like the others, and is a ``PairFamily``."""
_OURS = (*METRICS.values(), *UNITS.values())
_NAME = re.compile(r"[\w-]{1,60}")
_RAISED = "raised"
"""The stage of the verdict on a run for which a user's metric raised: it failed, and says why."""
MOST_COLUMNS = 6
"""The most columns of the scoreboard for a family that names none."""
FAMILIES = Plugins("metric", METRICS, "drretail.evaluators")


def metric_names() -> list[str]:
    """Every name of a family that may be given besides ``module:attribute``."""
    return sorted([*FAMILIES.names(), PAIRWISE])


def load_metrics(families: Iterable[str | Family]) -> list[Family]:
    """The metric families of these names, each once, without ``pairwise``; raises as ``load_metric`` does.

    A Family may be given instead of a name.
    """
    found: dict[str, Family] = {}
    for family in families:
        if family != PAIRWISE:
            metric = _own(family) if isinstance(family, Family) else load_metric(family)
            if found.setdefault(metric.name, metric) != metric:
                raise UserError(f"There are two metrics {metric.name!r}: give one of them another name.")
    return list(found.values())


@cache
def installed(name: str) -> Family | None:
    """The family of that name; None if it was given by ``module:attribute``, or its plugin is not installed."""
    try:
        return load_metric(name)
    except UserError:
        return None


def recorded_family(experiment: Path, name: str) -> Family | None:
    """The installed family of that name, or else a measure by code that was scored here, as scores.json describes it.

    The verdicts of such a measure are its values: only new reports need its function.
    """
    path = experiment / "scores.json"
    family = installed(name)
    return _measured(path, name, path.stat().st_mtime_ns) if family is None and path.exists() else family


@cache  # pages ask for it with every run
def _measured(scores: Path, name: str, written: int) -> Family | None:
    files = sorted((scores.parent / "verdicts" / name / CODE).glob("*/*.jsonl"))
    rows = [row for row in read_json(scores).get("scores", ()) if row["metric"] == name]
    if not rows or not files or any(each.stage not in (MEASURE, _RAISED) for each in VerdictFile(files[0]).lasts()):
        return None
    variants = tuple(dict.fromkeys(row["variant"] for row in rows))
    described = MetricDescription.model_validate(read_json(scores)["metrics"][name])
    return _guarded(measured_family(name, rows[0]["version"], variants, described, lambda subject, judge_session: None))


def described(name: str) -> MetricDescription:
    """The family's description, for scores that were made before they included it."""
    metric = installed(name)
    return MetricDescription(title=name) if metric is None else metric.description


def usual_metrics(experiment: Path) -> list[str]:
    """The names of the families that are scored by default in this experiment."""
    there = (load_metric(name) for name in WHERE_THERE)
    return [*USUAL, *(metric.name for metric in there if metric.lacks is None or not metric.lacks(experiment))]


def claim_marks(verdicts: Iterable[Verdict]) -> Mapping[str, ClaimMark]:
    """The marks of the family ``MARKS_CLAIMS`` on a report's claims, by their ids."""
    marks = load_metric(MARKS_CLAIMS).marks
    return {} if marks is None else marks(verdicts)


@cache  # asked for with every verdict of a pair
def pair_family() -> PairFamily:
    """The one family of pairs."""
    family = FAMILIES.load(f"drretail.eval.families.{PAIRWISE}.judge:METRIC")[1]
    assert isinstance(family, PairFamily)
    return family


def load_metric(name: str) -> Family:
    """The metric family of that name; no other is imported.

    Raises UnknownName for an unknown name, and UserError for a module that has no metric there.
    """
    try:
        place, metric = FAMILIES.load(name)
    except UnknownName as problem:
        raise UnknownName(FAMILIES.what, name, metric_names()) from problem
    if not isinstance(metric, Family):
        raise FAMILIES.refused(place, metric, "a drretail.Family, or put @drretail.metric before a function of a run")
    return metric if place in _OURS else _own(metric)


def _own(metric: Family) -> Family:
    """A user's metric, wrapped so that errors name it; a built-in one as it is."""
    if metric.name in METRICS and any(metric is FAMILIES.load(place)[1] for place in _OURS if metric.name in place):
        return metric
    if metric.name in (*METRICS, PAIRWISE):
        raise UserError(f"The metric {metric.name!r} is drretail's own: give yours another name.")
    if not _NAME.fullmatch(metric.name):
        raise UserError(f"A metric cannot be called {quoted(metric.name)}: take letters, digits, _ and -, at most 60.")
    return _guarded(_on_board(metric))


@cache
def _on_board(family: Family) -> Family:
    """The family with what it is compared by on the scoreboard, unless it names columns of its own.

    A family whose values are neither good nor bad stays away.
    """
    its = family.description
    if its.scoreboard or not its.higher_is_better:
        return family
    chosen = its.compared or its.headlines or family.variants
    shown = [each for each in family.variants if each in chosen and each not in family.pooled]
    columns = tuple(
        BoardColumn(variant=each, meaning=its.meanings.get(each) or f"by the metric {family.name}")
        for each in shown[:MOST_COLUMNS]
    )
    return replace(family, description=its.model_copy(update={"scoreboard": columns}))


@cache
def _guarded(family: Family) -> Family:
    """A user's family whose functions raise UserError for any exception and for invalid values.

    The error names the family, the file and the line. A run for which the judging function raises has failed, and the
    next ``score`` tries it again.
    """

    async def judge(subject: Subject, judge_session: JudgeSession) -> None:
        fault: str | None = None
        try:
            with _named_faults(family.name, "judge"):
                await family.run_judge(subject, judge_session)
        except _Fault as problem:
            fault = str(problem)
        before = next((each.error for each in judge_session.verdicts() if each.stage == _RAISED), None)
        if fault != before:
            judge_session.record(_RAISED, family.name, "na" if fault is None else "failed", error=fault)

    def values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        if any(each.stage == _RAISED and each.state == "failed" for each in verdicts):
            return [Value(variant, "failed") for variant in family.variants]
        own = [each for each in verdicts if each.stage != _RAISED]
        with _named_faults(family.name, "values"):
            made = [_sound(value) for value in family.values(subject, own, rules)]
            names = [value.variant for value in made]
            for name in names:
                if name not in family.variants:
                    raise Unsound(f"{name!r} is none of its variants")
                if names.count(name) > 1:
                    raise Unsound(f"{name!r} stands twice")
            return made

    return replace(
        family,
        judge=judge,
        values=values,
        prompts=_guarded_call(family.name, "prompts", family.prompts),
        pooled={name: _guarded_call(family.name, "pooled", function) for name, function in family.pooled.items()},
    )


def _guarded_call(name: str, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        with _named_faults(name, what):
            return function(*args)

    return call


class _Fault(UserError):
    """A user's metric raised."""


@contextmanager
def _named_faults(name: str, what: str) -> Generator[None]:
    try:
        yield
    except DrretailError:
        raise
    # The boundary to the user's metric.
    except (Exception, SystemExit) as problem:
        fault = str(problem) if isinstance(problem, Unsound) else describe_error(problem)
        raise _Fault(f"The metric {quoted(name)} failed in {what}: {fault}.") from problem


def _sound(given: object) -> Value:
    """The value, if a mean can be made of it; raises Unsound."""
    if not isinstance(given, Value):
        raise Unsound(f"a {type(given).__name__} is no drretail.Value")
    if given.state not in get_args(VerdictState):
        raise Unsound(f"{given.variant!r} is in the state {given.state!r}, which is none")
    if given.state == "scored":
        return replace(given, value=number_of(given.value, repr(given.variant)))
    if given.value is not None:
        raise Unsound(f"{given.variant!r} has a value, although its state is {given.state!r}")
    return given
