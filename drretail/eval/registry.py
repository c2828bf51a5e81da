"""Metric families by name: built-in ones, plugins (entry points of drretail.evaluators), and ``module:attribute``."""

import re
from collections.abc import Iterable
from functools import cache
from typing import cast

from drretail.errors import UnknownName, UserError, quoted
from drretail.eval.metric import Metric, OwnMetric, description_of
from drretail.plugins import Plugins
from drretail.records.score import MetricDescription

METRICS = {
    "faithfulness": "drretail.eval.faithfulness:METRIC",
    "fault_place": "drretail.eval.fault_place:METRIC",
    "quality": "drretail.eval.quality:METRIC",
    "failure_modes": "drretail.eval.failure_modes:METRIC",
    "checks": "drretail.eval.checks:METRIC",
    "reading": "drretail.eval.reading:METRIC",
    "process": "drretail.eval.process:METRIC",
    "basket": "drretail.eval.basket:METRIC",
    "outcome": "drretail.eval.outcome:METRIC",
    "understood": "drretail.eval.understood:METRIC",
    "next_purchase": "drretail.eval.next_purchase:METRIC",
    "robustness": "drretail.eval.robustness:METRIC",
    "pqr": "drretail.eval.pqr:METRIC",
    "race": "drretail.eval.race:METRIC",
    "dr3": "drretail.eval.dr3:METRIC",
    "error_causes": "drretail.eval.error_causes:METRIC",
    "rubrics": "drretail.eval.rubrics:METRIC",
    "report_eval": "drretail.eval.report_eval:METRIC",
}
USUAL = ("faithfulness", "fault_place", "quality", "checks", "process", "basket", "outcome")
"""The families that are scored where none is named."""
PAIRWISE = "pairwise"
"""The family whose verdicts are of two reports: asked for by name like the others, and no ``Metric``."""
_NAME = re.compile(r"[\w-]{1,60}")
FAMILIES = Plugins("metric", METRICS, "drretail.evaluators")


def metric_names() -> list[str]:
    """Every name of a family, which may be given besides ``module:attribute``."""
    return sorted([*FAMILIES.names(), PAIRWISE])


def load_metrics(families: Iterable[str | Metric]) -> list[Metric]:
    """The metric families of these names, each once, without ``pairwise``; raises as ``load_metric`` does.

    A Metric in place of a name stands for itself.
    """
    found: dict[str, Metric] = {}
    for family in families:
        if family != PAIRWISE:
            metric = _own(family) if isinstance(family, Metric) else load_metric(family)
            if found.setdefault(metric.name, metric) != metric:
                raise UserError(f"There are two metrics {metric.name!r}: give one of them another name.")
    return list(found.values())


@cache
def installed(name: str) -> Metric | None:
    """The family of that name; None for one that was given by its place, or is of a plugin that is not here."""
    try:
        return load_metric(name)
    except UserError:
        return None


def described(name: str) -> MetricDescription:
    """What the family of that name says of itself, for scores that were made before they held it."""
    metric = installed(name)
    return MetricDescription(title=name) if metric is None else description_of(metric)


def load_metric(name: str) -> Metric:
    """The metric family of that name; nothing but it is imported.

    Raises UnknownName for a name that nothing goes by, UserError for a place that holds no metric.
    """
    try:
        place, metric = FAMILIES.load(name)
    except UnknownName as problem:
        raise UnknownName(FAMILIES.what, name, metric_names()) from problem
    if isinstance(metric, type) or not isinstance(metric, Metric):
        raise FAMILIES.refused(place, metric, "a drretail.Metric")
    return metric if place in METRICS.values() else _own(metric)


def _is_a_form_of(metric: Metric, place: str) -> bool:
    """Whether its class is of that built-in family, such as ReportEval's that compares paragraphs."""
    return f"{type(metric).__module__}.".startswith(f"{place.partition(':')[0]}.")


def _own(metric: Metric) -> Metric:
    """The metric, its faults told by its name, under which its verdicts are kept; a built-in one as it is."""
    if metric.name in METRICS and (metric is load_metric(metric.name) or _is_a_form_of(metric, METRICS[metric.name])):
        return metric
    if metric.name in (*METRICS, PAIRWISE):
        raise UserError(f"The metric {metric.name!r} is drretail's own: give yours another name.")
    if not _NAME.fullmatch(metric.name):
        raise UserError(f"A metric cannot be called {quoted(metric.name)}: take letters, digits, _ and -, at most 60.")
    return cast(Metric, OwnMetric(metric))  # it has whatever the metric has
