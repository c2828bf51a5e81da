"""Checks as a metric family."""

from drretail.eval.by_code import CodeFamily
from drretail.eval.checks.judge import judge_checks
from drretail.eval.checks.score import values, variants
from drretail.eval.metric import Metric

METRIC: Metric = CodeFamily("checks", 3, judge_checks, values, variants())
