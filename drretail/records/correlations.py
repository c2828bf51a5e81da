"""How the course of runs and the scores of their reports go together."""

from drretail.records.base import Record
from drretail.records.rules import Rules
from drretail.records.run import ModelKind


class Correlation(Record):
    """Spearman's ρ of one measure of ``process`` with one score, over reports of the same system."""

    process: str
    metric: str
    variant: str
    judge: str
    judge_kind: ModelKind
    judge_params: str = ""
    rules: Rules = "default"
    rho: float
    n: int
    """Pairs of a system and a query, repeats averaged, in systems in which neither side is always the same."""
    n_queries: int
    n_effective: float
    """As many independent pairs as these are worth: systems go through the same queries."""
    p: float
    """Two-sided, from n_effective pairs."""
    p_holm: float
    """After Holm over all correlations of the experiment."""
