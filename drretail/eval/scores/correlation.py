"""Do reports whose runs did more of something score higher? A hint where to look; a correlation is no cause."""

from collections import defaultdict
from collections.abc import Iterator

from drretail.eval.family import is_unrated
from drretail.eval.registry import COUNTS_STEPS as PROCESS
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.records.run import BASELINES
from drretail.records.score import CODE, Correlation
from drretail.stats.rank_correlation import Cell, Values, Within, spearman_within
from drretail.stats.significance import holm

FEWEST = 10
"""Pairs below which a correlation is not told: it would be noise."""


def correlations(gathered: Gathered) -> list[Correlation]:
    """Every measure of ``process`` against every score that a family names for it by every judge, inside systems.

    Floors and the ceiling are left out, since they research nothing, and so are checks of systems that check
    themselves. Empty without ``process``.
    """
    code = next((assessor for assessor in gathered.assessors(PROCESS) if assessor.judge.spec == CODE), None)
    if code is None:
        return []
    held = {name: metric.description.correlated for name, metric in gathered.families.items()}
    measured = {
        name: _values(gathered, PROCESS, code, name)
        for name in gathered.families[PROCESS].variants
        if name not in held[PROCESS]
    }
    rows = [
        _row(name, metric, variant, assessor, found)
        for metric, variants in held.items()
        for variant in variants
        for assessor in _assessors(gathered, metric)
        if (scored := _values(gathered, metric, assessor, variant))
        for name, counted in measured.items()
        if (found := spearman_within(counted, scored)) is not None and found.n >= FEWEST
    ]
    adjusted = holm([row.p for row in rows])
    return [row.model_copy(update={"p_holm": p}) for row, p in zip(rows, adjusted, strict=True)]


def _assessors(gathered: Gathered, metric: str) -> Iterator[Assessor]:
    """Whose values of a family mean something."""
    for assessor in gathered.assessors(metric):
        if not is_unrated(gathered.families[metric], assessor.judge):
            yield assessor


def _values(gathered: Gathered, metric: str, assessor: Assessor, variant: str) -> Values:
    """The mean over repeats of every system and query that has one."""
    left_out = {label for label, system in gathered.definition.systems.items() if system.agent in BASELINES}
    if gathered.families[metric].description.self_checked:
        left_out |= {label for label, system in gathered.definition.systems.items() if system.self_checked}
    found: dict[Cell, list[float]] = defaultdict(list)
    for plan, judged in gathered.judged_runs(metric, assessor):
        value = judged.result.values.get(variant)
        if plan.label not in left_out and value is not None and value.value is not None:
            found[plan.label, plan.query.query_id].append(value.value)
    return {cell: sum(values) / len(values) for cell, values in found.items()}


def _row(process: str, metric: str, variant: str, assessor: Assessor, found: Within) -> Correlation:
    return Correlation(
        process=process,
        metric=metric,
        variant=variant,
        **assessor.columns,
        rho=found.rho,
        n=found.n,
        n_queries=found.n_queries,
        n_effective=found.n_effective,
        p=found.p,
        p_holm=found.p,
    )
