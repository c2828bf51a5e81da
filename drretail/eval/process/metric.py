"""Process as a metric family: no value of it is better high or low by itself."""

from drretail.eval.by_code import CodeFamily
from drretail.eval.metric import Metric
from drretail.eval.process.judge import judge_process
from drretail.eval.process.score import values, variants

METRIC: Metric = CodeFamily("process", 1, judge_process, values, variants())
