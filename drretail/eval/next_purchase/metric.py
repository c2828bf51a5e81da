"""The next purchase as a metric family."""

from drretail.eval.by_code import CodeFamily
from drretail.eval.metric import Metric
from drretail.eval.next_purchase.judge import judge_next_purchase
from drretail.eval.next_purchase.score import values, variants

METRIC: Metric = CodeFamily("next_purchase", 1, judge_next_purchase, values, variants())
