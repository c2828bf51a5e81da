"""Baskets as a metric family."""

from drretail.eval.basket.judge import judge_basket
from drretail.eval.basket.score import values, variants
from drretail.eval.by_code import CodeFamily
from drretail.eval.metric import Metric

METRIC: Metric = CodeFamily("basket", 1, judge_basket, values, variants())
