"""Metric families by name: built-in ones, plugins (entry points of drretail.evaluators), and ``module:attribute``."""

from collections.abc import Iterable

from drretail.errors import UnknownName, UserError
from drretail.eval.metric import Metric
from drretail.plugins import Plugins

METRICS = {
    "faithfulness": "drretail.eval.faithfulness:METRIC",
    "quality": "drretail.eval.quality:METRIC",
    "checks": "drretail.eval.checks:METRIC",
    "reading": "drretail.eval.reading:METRIC",
    "process": "drretail.eval.process:METRIC",
    "basket": "drretail.eval.basket:METRIC",
    "next_purchase": "drretail.eval.next_purchase:METRIC",
}
PAIRWISE = "pairwise"
"""The family whose verdicts are of two reports: asked for by name like the others, and no ``Metric``."""
FAMILIES = Plugins("metric", METRICS, "drretail.evaluators")


def metric_names() -> list[str]:
    """Every name of a family, which may be given besides ``module:attribute``."""
    return sorted([*FAMILIES.names(), PAIRWISE])


def load_metrics(names: Iterable[str]) -> list[Metric]:
    """The metric families of these names, each once, without ``pairwise``; raises as ``load_metric`` does."""
    return [load_metric(name) for name in dict.fromkeys(names) if name != PAIRWISE]


def load_metric(name: str) -> Metric:
    """The metric family of that name; nothing but it is imported.

    Raises UnknownName for a name that nothing goes by, UserError for a place that holds no metric.
    """
    try:
        place, metric = FAMILIES.load(name)
    except UnknownName as problem:
        raise UnknownName(FAMILIES.what, name, metric_names()) from problem
    if not isinstance(metric, Metric):
        raise UserError(f"{place} is not a metric: see the protocol drretail.eval.metric.Metric.")
    return metric
