"""Which families judge the runs of a system that saw other data than the users' own."""

from drretail.eval.metric import Metric
from drretail.records.counterfactual import kind_of
from drretail.records.run import System


def is_judged(metric: Metric, system: System) -> bool:
    """False for families that ask a model: what they measure of the system, they measure on the users' own data.

    Asked again of every swapped run they would cost as much once more, and put a second line of the same system into
    each ranking. Families by code cost nothing, and tell whether a run with other data is as sound.
    """
    return not metric.needs_judge or kind_of(system) is None
