"""Whose numbers are not shown."""

from drretail.eval.gathering import Seat
from drretail.eval.metric import Metric


def hidden(metric: Metric, seat: Seat) -> bool:
    """True for opinions of a rule-based judge: as numbers they mean nothing."""
    return metric.is_opinion and seat.judge.kind == "rule_based"
