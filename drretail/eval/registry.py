"""Metric families by name: built-in ones, plugins (entry points of drretail.evaluators), and ``module:attribute``."""

from importlib import import_module
from importlib.metadata import entry_points

from drretail.errors import UnknownName, UserError
from drretail.eval.metric import Metric

METRICS = {
    "faithfulness": "drretail.eval.faithfulness:METRIC",
    "quality": "drretail.eval.quality:METRIC",
    "checks": "drretail.eval.checks:METRIC",
}
PLUGINS = "drretail.evaluators"


def metric_names() -> list[str]:
    """Every name that ``load_metric`` takes besides ``module:attribute``."""
    return sorted({*METRICS, *(point.name for point in entry_points(group=PLUGINS))})


def load_metric(name: str) -> Metric:
    """The metric family of that name; nothing but it is imported.

    Raises UnknownName for a name that nothing goes by, UserError for a place that holds no metric.
    """
    place = METRICS.get(name) or _plugin(name) or (name if ":" in name else None)
    if place is None:
        raise UnknownName("metric", name, metric_names())
    module, _, attribute = place.partition(":")
    try:
        metric = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as problem:
        raise UserError(f"The metric {name!r} cannot be loaded from {place}: {problem}.") from problem
    if not isinstance(metric, Metric):
        raise UserError(f"{place} is not a metric: see the protocol drretail.eval.metric.Metric.")
    return metric


def _plugin(name: str) -> str | None:
    return next((point.value for point in entry_points(group=PLUGINS, name=name)), None)
