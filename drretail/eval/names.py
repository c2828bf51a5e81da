"""The metrics by name. Their code is loaded when one is used, so that help need not load them."""

from drretail.plugins import Plugins

_BUILT_IN = {
    name: f"drretail.eval.metrics.{name}:METRIC"
    for name in (
        "faithfulness",
        "false_statements",
        "quality",
        "checks",
        "reading",
        "process",
        "basket",
        "outcome",
        "conversation",
    )
}
PLUGINS = Plugins("metric", _BUILT_IN, "drretail.evaluators")
METRICS = PLUGINS.own
"""Where each is, in the order of tables: the core's, then those of add-ons."""
PAIRWISE = "pairwise"
"""The metric that compares two reports: it is named like the others, and is a ``PairMetric``."""
