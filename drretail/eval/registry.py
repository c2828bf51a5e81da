"""Metrics by name: built-in ones, plugins (entry points of drretail.evaluators), and ``module:attribute``.

Nothing else imports a metric's folder (a contract in pyproject.toml), except what concerns one metric only:

eval/metrics/readings.py                   the readings of the metric reading, which metrics by code use
addons/sandboxes/search_based/gold.py      dr3's criteria, made with a sandbox before any experiment
"""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

from drretail.errors import DrretailError, UnknownName, UserError, describe_error, quoted
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import MEASURE, Metric, PairMetric, Unsound, Value, as_number, measured_metric
from drretail.eval.names import METRICS as METRICS
from drretail.eval.names import PAIRWISE as PAIRWISE
from drretail.eval.names import PLUGINS
from drretail.experiments.experiment import read_definition
from drretail.experiments.packs import packed_names
from drretail.files import read_json
from drretail.plugins import addon_names
from drretail.records.score import CODE, BoardColumn, MetricDescription, Rules, Verdict, VerdictState, unfolded
from drretail.reports.text.wording import listed

USUAL = ("faithfulness", "false_statements", "quality", "checks", "process", "basket", "outcome")
"""The metrics that are scored by default."""
PAPERS = ("faithfulness", "quality", PAIRWISE)
"""The metrics that are scored by default after ``run --preset paper``."""
CONVERSATION = "conversation"
"""The metric of turns that follow one another."""
READING = "reading"
"""The metric by which a judge reads picks and values; metrics by code use its readings if there are any."""
COUNTS_STEPS = "process"
"""The metric of what runs did."""
FALSE_STATEMENTS = "false_statements"
"""The metric of what is false in reports, which pages list, and its headline."""
KINDS: Mapping[str, Sequence[str]] = {
    "price": ("price_wrong",),
    "sale": ("list_price_wrong",),
    "variant": ("option_wrong",),
    "stock": ("stock_wrong",),
    "field": ("measure_wrong", "rating_wrong", "rating_count_wrong"),
    "order": ("order_status_wrong", "order_date_wrong"),
    "policy": ("policy_wrong",),
    "total": ("total_wrong", "equation_wrong"),
    "quotation": ("quotation_wrong",),
    "unknown": ("not_in_catalog", "unresolved_citation"),
    "text": ("contradicted",),
}
"""The kinds of false statements that have a row of their own, with their findings."""


TEXT = "text"
"""What a source says in words, as a judge quotes it: "your text says"."""


def kind_of_code(code: str) -> str:
    """The kind of false statement that a finding is."""
    return next((kind for kind, codes in KINDS.items() if code in codes), TEXT)


AS_ANSWERS = "read as answers"
"""The item of a score: in how many of its reports code read the answers of an assistant, which cites nothing."""
_OURS = (*METRICS.values(), *addon_names("forms_of_metrics").values())
_NAME = re.compile(r"[\w-]{1,60}")
_RAISED = "raised"
"""The stage of the verdict on a run for which a user's metric raised: it failed, and says why."""
MOST_COLUMNS = 6
"""The most columns of the scoreboard for a metric that names none."""


def metric_names() -> list[str]:
    """Every name of a metric that may be given besides ``module:attribute``."""
    return sorted([*PLUGINS.names(), PAIRWISE])


def load_metrics(metrics: Iterable[str | Metric]) -> list[Metric]:
    """The metrics of these names, each once, without ``pairwise``; raises as ``load_metric`` does.

    A Metric may be given instead of a name.
    """
    by_name: dict[str, Metric] = {}
    for entry in metrics:
        if entry != PAIRWISE:
            metric = _checked(entry) if isinstance(entry, Metric) else load_metric(str(entry))
            if by_name.setdefault(metric.name, metric) != metric:
                raise UserError(f"There are two metrics {metric.name!r}: give one of them another name.")
    return list(by_name.values())


@cache
def installed(name: str) -> Metric | None:
    """The metric of that name; None if it was given by ``module:attribute``, or its plugin is not installed.

    Names come from files of anybody: what they call ``module:attribute`` is not loaded.
    """
    if ":" in name:
        return None
    try:
        return load_metric(name)
    except UserError:
        return None


def recorded_metric(experiment: Path, name: str) -> Metric | None:
    """The installed metric of that name, or else a measure by code that was scored here, as scores.json describes it.

    The verdicts of such a measure are its values: only new reports need its function.
    """
    path = experiment / "scores.json"
    metric = installed(name)
    return _measured(path, name, path.stat().st_mtime_ns) if metric is None and path.exists() else metric


@cache  # pages ask for it with every run
def _measured(scores: Path, name: str, written: int) -> Metric | None:
    folders = sorted((scores.parent / "verdicts" / name / CODE).glob("*/"))
    files = [folder / file_name for folder in folders for file_name in packed_names(folder)]
    every = unfolded(read_json(scores).get("scores", ()))
    rows = [row for row in every if isinstance(row, dict) and row.get("metric") == name]
    if (
        not rows
        or not files
        or any(verdict.stage not in (MEASURE, _RAISED) for verdict in VerdictFile(files[0]).lasts())
    ):
        return None
    variants = tuple(dict.fromkeys(row["variant"] for row in rows))
    described = MetricDescription.model_validate(read_json(scores)["metrics"][name])
    return _guarded(measured_metric(name, rows[0]["version"], variants, described, lambda subject, judge_session: None))


def metric_description(name: str) -> MetricDescription:
    """The metric's description, for scores that were made before they included it."""
    metric = installed(name)
    return MetricDescription(title=name) if metric is None else metric.description


def usual_metrics(experiment: Path) -> list[str]:
    """The names of the metrics that are scored by default in this experiment: the usual ones, and those that say what
    they need (``Metric.lacks``) where it is there.
    """
    if read_definition(experiment).preset == "paper":
        return [*PAPERS]
    by_name = addon_names("only_by_name")  # loading those that apply nowhere by themselves takes time
    others = load_metrics(name for name in METRICS if name not in {*USUAL, *by_name})
    return [*USUAL, *(metric.name for metric in others if metric.lacks is not None and not metric.lacks(experiment))]


@cache  # asked for with every verdict of a pair
def pair_metric() -> PairMetric:
    """The one metric of pairs."""
    metric = PLUGINS.load(f"drretail.eval.metrics.{PAIRWISE}:METRIC")[1]
    assert isinstance(metric, PairMetric)
    return metric


def load_metric(name: str) -> Metric:
    """The metric of that name; no other is imported.

    Raises UnknownName for an unknown name, and UserError for a module that has no metric there.
    """
    try:
        place, metric = PLUGINS.load(name)
    except UnknownName as problem:
        raise UnknownName(PLUGINS.what, name, metric_names()) from problem
    except UserError as problem:
        whole, _, number = name.partition(":")
        if (metric := installed(whole)) is None:
            raise
        what = f"{name} is one number of the metric {whole}"
        if number not in metric.variants:
            what = f"The numbers of the metric {whole} are {listed(metric.variants)}, and none is {quoted(number)}"
        only = "Only `compare --by` with a condition takes one number."
        raise UserError(f"{what}: name {whole} alone. {only}") from problem
    if not isinstance(metric, Metric):
        raise PLUGINS.refused(place, metric, "a drretail.Metric, or put @drretail.metric before a function of a run")
    return metric if place in _OURS else _checked(metric)


def _checked(metric: Metric) -> Metric:
    """A user's metric, wrapped so that errors name it; a built-in one as it is."""
    if metric.name in METRICS and any(metric is PLUGINS.load(place)[1] for place in _OURS if metric.name in place):
        return metric
    if metric.name in (*METRICS, PAIRWISE):
        raise UserError(f"The metric {metric.name!r} is drretail's own: give yours another name.")
    if not _NAME.fullmatch(metric.name):
        raise UserError(f"A metric cannot be called {quoted(metric.name)}: take letters, digits, _ and -, at most 60.")
    return _guarded(_on_board(metric))


@cache
def _on_board(metric: Metric) -> Metric:
    """The metric with what it is compared by on the scoreboard, unless it names columns of its own; a single one is a
    headline.

    A metric whose values are neither good nor bad stays away.
    """
    its = metric.description
    if its.scoreboard or not its.higher_is_better:
        return metric
    chosen = its.compared or its.headlines or metric.variants
    shown = [variant for variant in metric.variants if variant in chosen and variant not in metric.pooled]
    columns = tuple(
        BoardColumn(variant=variant, is_brief=True, meaning=its.meanings.get(variant) or f"by the metric {metric.name}")
        for variant in shown[:MOST_COLUMNS]
    )
    headlines = its.primary or (tuple(shown) if len(shown) == 1 else ())
    return replace(metric, description=its.model_copy(update={"scoreboard": columns, "primary": headlines}))


@cache
def _guarded(metric: Metric) -> Metric:
    """A user's metric whose functions raise UserError for any exception and for invalid values.

    The error names the metric, the file and the line. A run for which the judging function raises has failed, and the
    next ``score`` tries it again.
    """

    async def judge(subject: Subject, judge_session: JudgeSession) -> None:
        fault: str | None = None
        try:
            with _named_faults(metric.name, "judge"):
                await metric.run_judge(subject, judge_session)
        except _Fault as problem:
            fault = str(problem)
        before = next((verdict.error for verdict in judge_session.verdicts() if verdict.stage == _RAISED), None)
        if fault != before:
            judge_session.record(_RAISED, metric.name, "na" if fault is None else "failed", error=fault)

    def values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        if any(verdict.stage == _RAISED and verdict.state == "failed" for verdict in verdicts):
            return [Value(variant, "failed") for variant in metric.variants]
        rest = [verdict for verdict in verdicts if verdict.stage != _RAISED]
        with _named_faults(metric.name, "values"):
            sound = [_sound(value) for value in metric.values(subject, rest, rules)]
            names = [value.variant for value in sound]
            for name in names:
                if name not in metric.variants:
                    raise Unsound(f"{name!r} is none of its variants")
                if names.count(name) > 1:
                    raise Unsound(f"{name!r} stands twice")
            return sound

    others = {name: getattr(metric, name) for name in ("prompts", "applies", "lacks", "keep_gold")}
    return replace(
        metric,
        judge=judge,
        values=values,
        **{name: _guarded_call(metric.name, name, function) for name, function in others.items() if function},
        pooled={name: _guarded_call(metric.name, "pooled", function) for name, function in metric.pooled.items()},
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


def _sound(value: object) -> Value:
    """The value, if a mean can be made of it; raises Unsound."""
    if not isinstance(value, Value):
        raise Unsound(f"a {type(value).__name__} is no drretail.Value")
    if value.state not in get_args(VerdictState):
        raise Unsound(f"{value.variant!r} is in the state {value.state!r}, which is none")
    if value.state == "scored":
        return replace(value, value=as_number(value.value, repr(value.variant)))
    if value.value is not None:
        raise Unsound(f"{value.variant!r} has a value, although its state is {value.state!r}")
    return value
