"""Correlations: of judges with each other, and of what runs did with their scores."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from itertools import combinations

from drretail.eval.judging.pairs import research_labels
from drretail.eval.metric import Metric, is_unrated
from drretail.eval.registry import COUNTS_STEPS as PROCESS
from drretail.eval.scores.gathering import Assessor, Gathered, JudgedRun, TableKey
from drretail.eval.scores.panel import name_of, panels_of
from drretail.eval.scores.planned import means_by_query
from drretail.records.run import BASELINES
from drretail.records.score import CODE, Agreement, Correlation
from drretail.stats.agreement import Values, correlation, spearman_within
from drretail.stats.significance import holm


def agreements(gathered: Gathered) -> list[Agreement]:
    """One row for each variant and pair of judges that are models, under the same rules; none for a single judge.

    Floors, the oracle and runs with another user's profile are left out. The paper's Appendix E does not say whether
    its ρ is over systems or over reports: both are given.
    """
    return [
        _agreement(gathered, metric, variant, first, second)
        for metric in gathered.metrics.values()
        for assessors in panels_of(gathered.assessors(metric.name))
        for first, second in combinations(assessors, 2)
        for variant in metric.variants
        if variant not in metric.pooled
    ]


def _agreement(gathered: Gathered, metric: Metric, variant: str, first: Assessor, second: Assessor) -> Agreement:
    ones, others = (gathered.tables_of_judges[TableKey(metric.name, assessor)] for assessor in (first, second))
    by_label: dict[str, list[tuple[float, float]]] = defaultdict(list)
    dropped = 0
    systems = frozenset(research_labels(gathered.definition))
    for plan in gathered.plans:
        if plan.label not in systems:
            continue
        a, b = _value(ones, plan.run_id, variant), _value(others, plan.run_id, variant)
        if a is not None and b is not None:
            by_label[plan.label].append((a, b))
        elif a is not None or b is not None:
            dropped += 1
    pairs = [pair for of_system in by_label.values() for pair in of_system]
    means = [(sum(a for a, _ in its) / len(its), sum(b for _, b in its) / len(its)) for its in by_label.values()]
    n = len(pairs)
    return Agreement(
        metric=metric.name,
        variant=variant,
        rules=first.rules,
        first=name_of(first.judge),
        second=name_of(second.judge),
        n_reports=n,
        n_dropped=dropped,
        rho_report=_rho(pairs),
        n_systems=len(means),
        rho_system=_rho(means),
        exact=round(sum(a == b for a, b in pairs) / n, 10) if n else None,
        difference=round(sum(abs(a - b) for a, b in pairs) / n, 10) if n else None,
    )


def _value(judged: Mapping[str, JudgedRun], run_id: str, variant: str) -> float | None:
    if run_id not in judged:
        return None
    value = judged[run_id].values.get(variant)
    return None if value is None else value.value


def _rho(pairs: list[tuple[float, float]]) -> float | None:
    rho = correlation([a for a, _ in pairs], [b for _, b in pairs], "spearman")
    return None if rho is None else round(rho, 10)


FEWEST = 10
"""Correlations of fewer pairs are not reported: they would be noise."""


def correlations(gathered: Gathered) -> list[Correlation]:
    """Every measure of ``process`` against every score that a metric names for it, for every judge, within systems.

    Floors and the ceiling are left out, since they research nothing, and so are checks of systems that check
    themselves. Empty without ``process``.
    """
    code = next((assessor for assessor in gathered.assessors(PROCESS) if assessor.judge.spec == CODE), None)
    if code is None:
        return []
    correlated = {name: metric.description.correlated for name, metric in gathered.metrics.items()}
    measured = {
        name: _values(gathered, PROCESS, code, name)
        for name in gathered.metrics[PROCESS].variants
        if name not in correlated[PROCESS]
    }
    rows = [
        Correlation(
            process=name,
            metric=metric,
            variant=variant,
            **assessor.columns,
            **asdict(within),
            p_holm=within.p,
        )
        for metric, variants in correlated.items()
        for variant in variants
        for assessor in gathered.assessors(metric)
        if not is_unrated(gathered.metrics[metric], assessor.judge)
        if (scored := _values(gathered, metric, assessor, variant))
        for name, counted in measured.items()
        if (within := spearman_within(counted, scored)) is not None and within.n >= FEWEST
    ]
    adjusted = holm([row.p for row in rows])
    return [row.model_copy(update={"p_holm": p}) for row, p in zip(rows, adjusted, strict=True)]


def _values(gathered: Gathered, metric: str, assessor: Assessor, variant: str) -> Values:
    """The mean over repeats of every system and query that has one."""
    left_out = {label for label, system in gathered.definition.systems.items() if system.agent in BASELINES}
    if gathered.metrics[metric].description.self_checked:
        left_out |= {label for label, system in gathered.definition.systems.items() if system.self_checked}
    values = (
        ((plan.label, plan.query.query_id), judged.values.get(variant))
        for plan, judged in gathered.judged_runs(metric, assessor)
        if plan.label not in left_out
    )
    return means_by_query((cell, None if value is None else value.value) for cell, value in values)
