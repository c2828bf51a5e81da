"""Metric families by name: built-in ones, plugins (entry points of drretail.evaluators), and ``module:attribute``."""

from drretail.errors import UserError
from drretail.eval.metric import Metric
from drretail.plugins import Plugins

METRICS = {
    "faithfulness": "drretail.eval.faithfulness:METRIC",
    "quality": "drretail.eval.quality:METRIC",
    "checks": "drretail.eval.checks:METRIC",
}
FAMILIES = Plugins("metric", METRICS, "drretail.evaluators")


def metric_names() -> list[str]:
    """Every name that ``load_metric`` takes besides ``module:attribute``."""
    return FAMILIES.names()


def load_metric(name: str) -> Metric:
    """The metric family of that name; nothing but it is imported.

    Raises UnknownName for a name that nothing goes by, UserError for a place that holds no metric.
    """
    place, metric = FAMILIES.load(name)
    if not isinstance(metric, Metric):
        raise UserError(f"{place} is not a metric: see the protocol drretail.eval.metric.Metric.")
    return metric
