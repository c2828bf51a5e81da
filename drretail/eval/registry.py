"""Metric families by name: built-in ones, plugins (entry points of drretail.evaluators), and ``module:attribute``.

Nothing else imports a family's folder (a contract in pyproject.toml), but for what is about one family alone:

eval/judging/readings.py             what the family reading read, which families by code rest on
eval/families/error_causes/judge.py           verdicts of dr3, single stages of which it follows
lab/bias/{drift,joint,justification}.py  probes of quality's own questions
sandboxes/search_based/gold.py              dr3's criteria, made with a sandbox before any experiment
viewer/voting/criteria.py            people are asked by the criteria of quality and pairwise
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from drretail.errors import UnknownName, UserError, quoted
from drretail.eval.family import ClaimMark, Family, PairFamily
from drretail.eval.guarded import guarded
from drretail.plugins import Plugins
from drretail.records.score import MetricDescription, Verdict
from drretail.tables.table import Table

_NAMES = (
    "faithfulness",
    "fault_place",
    "quality",
    "failure_modes",
    "checks",
    "reading",
    "process",
    "basket",
    "outcome",
    "understood",
    "next_purchase",
    "robustness",
    "pqr",
    "race",
    "dr3",
    "error_causes",
    "rubrics",
    "report_eval",
)
METRICS = {name: f"drretail.eval.families.{name}.score:METRIC" for name in _NAMES}
USUAL = ("faithfulness", "fault_place", "quality", "checks", "process", "basket", "outcome")
"""The families that are scored where none is named."""
WHERE_THERE = ("next_purchase", "understood")
"""Those that are scored as well in experiments that hold what they need (``Family.lacks``)."""
READING = "reading"
"""The family by which a judge reads what reports say; families by code rest on it where it was asked."""
DECIDES = "outcome"
"""The family that says which queries a system refuses, by which twins of queries are compared."""
COUNTS_STEPS = "process"
"""The family of what runs did, whose measures are correlated with scores."""
MARKS_CLAIMS = "fault_place"
"""The family that says something of single claims (``Family.marks``), which pages show beside them."""
UNITS = {"section": "report_eval", "paragraph": "drretail.eval.families.report_eval.score:BY_PARAGRAPHS"}
"""The forms of report_eval, by what it compares pairs of."""
PAIRWISE = "pairwise"
"""The family whose verdicts are of two reports: asked for by name like the others, and a ``PairFamily``."""
_OURS = (*METRICS.values(), *UNITS.values())
_NAME = re.compile(r"[\w-]{1,60}")
FAMILIES = Plugins("metric", METRICS, "drretail.evaluators")


def metric_names() -> list[str]:
    """Every name of a family, which may be given besides ``module:attribute``."""
    return sorted([*FAMILIES.names(), PAIRWISE])


def load_metrics(families: Iterable[str | Family]) -> list[Family]:
    """The metric families of these names, each once, without ``pairwise``; raises as ``load_metric`` does.

    A Family in place of a name stands for itself.
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
    """The family of that name; None for one that was given by its place, or is of a plugin that is not here."""
    try:
        return load_metric(name)
    except UserError:
        return None


def described(name: str) -> MetricDescription:
    """What the family of that name says of itself, for scores that were made before they held it."""
    metric = installed(name)
    return MetricDescription(title=name) if metric is None else metric.description


def usual_metrics(experiment: Path) -> list[str]:
    """The names of the families that are scored where none is named."""
    there = (load_metric(name) for name in WHERE_THERE)
    return [*USUAL, *(metric.name for metric in there if metric.lacks is None or not metric.lacks(experiment))]


def claim_marks(verdicts: Iterable[Verdict]) -> Mapping[str, ClaimMark]:
    """What the verdicts of the family ``MARKS_CLAIMS`` say of a report's claims, by their ids."""
    marks = load_metric(MARKS_CLAIMS).marks
    return {} if marks is None else marks(verdicts)


def details_of(experiment: Path, names: Iterable[str]) -> list[Table]:
    """What lies behind the scores of these families, as tables; of families that have such."""
    families = (installed(name) for name in dict.fromkeys(names))
    return [table for family in families if family and family.details for table in family.details(experiment)]


@cache  # asked for with every verdict of a pair
def pair_family() -> PairFamily:
    """The one family of pairs."""
    family = FAMILIES.load(f"drretail.eval.families.{PAIRWISE}.judge:METRIC")[1]
    assert isinstance(family, PairFamily)
    return family


def load_metric(name: str) -> Family:
    """The metric family of that name; nothing but it is imported.

    Raises UnknownName for a name that nothing goes by, UserError for a place that holds no metric.
    """
    try:
        place, metric = FAMILIES.load(name)
    except UnknownName as problem:
        raise UnknownName(FAMILIES.what, name, metric_names()) from problem
    if not isinstance(metric, Family):
        raise FAMILIES.refused(place, metric, "a drretail.Family, or put @drretail.metric before a function of a run")
    return metric if place in _OURS else _own(metric)


def _own(metric: Family) -> Family:
    """The metric, its faults told by its name, under which its verdicts are kept; a built-in one as it is."""
    if metric.name in METRICS and any(metric is FAMILIES.load(place)[1] for place in _OURS if metric.name in place):
        return metric
    if metric.name in (*METRICS, PAIRWISE):
        raise UserError(f"The metric {metric.name!r} is drretail's own: give yours another name.")
    if not _NAME.fullmatch(metric.name):
        raise UserError(f"A metric cannot be called {quoted(metric.name)}: take letters, digits, _ and -, at most 60.")
    return guarded(metric)
