"""The metrics by name. Their code is loaded when one is used, so that help need not load them."""

METRICS = {
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
        "pqr": "pqr.score",
        "race": "race.score",
        "dr3": "dr3.score",
        "rubrics": "rubrics.score",
        "report_eval": "report_eval.score",
    }.items()
}
"""Where each is, in the order of tables."""
PAIRWISE = "pairwise"
"""The metric that compares two reports: it is named like the others, and is a ``PairMetric``."""
