"""The metrics by name. Their code is loaded when one is used, so that help need not load them."""

from drretail.plugins import Plugins

_BUILT_IN = {
    name: f"drretail.eval.metrics.{module}:METRIC"
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
        "reward": "reward",
    }.items()
}
PLUGINS = Plugins("metric", _BUILT_IN, "drretail.evaluators")
METRICS = PLUGINS.own
"""Where each is, in the order of tables: the core's, then those of add-ons."""
PAIRWISE = "pairwise"
"""The metric that compares two reports: it is named like the others, and is a ``PairMetric``."""
