"""How far the judges of an experiment agree, pair by pair: Spearman's ρ over reports and over systems.

Of systems that research alone, as in the paper's Appendix E: null agents that any judge puts last, and an oracle, would
make judges look alike that order real systems differently.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations

from drretail.eval.family import Family
from drretail.eval.judging.pairs import research_labels
from drretail.eval.scores.gathering import Assessor, Gathered, JudgedRun, TableKey
from drretail.eval.scores.panel import name_of, panels_of
from drretail.records.score import Agreement
from drretail.stats.agreement import spearman


def agreements(gathered: Gathered) -> list[Agreement]:
    """One row for each variant and pair of judges that are models, under the same rules; none with a single judge.

    Floors, the oracle and runs with another user's profile don't count, nor does what was said of them.
    The paper's Appendix E does not say whether its ρ is over systems or over reports: both are there.
    """
    return [
        _agreement(gathered, metric, variant, first, second)
        for metric in gathered.families.values()
        for assessors in panels_of(gathered.assessors(metric.name))
        for first, second in combinations(assessors, 2)
        for variant in metric.variants
        if variant not in metric.pooled
    ]


def _agreement(gathered: Gathered, metric: Family, variant: str, first: Assessor, second: Assessor) -> Agreement:
    ones, others = (gathered.tables_of_judges[TableKey(metric.name, assessor)] for assessor in (first, second))
    labels: list[str] = []
    pairs: list[tuple[float, float]] = []
    dropped = 0
    systems = frozenset(research_labels(gathered.definition))
    for plan in gathered.plans:
        if plan.label not in systems:
            continue
        a, b = _value(ones, plan.run_id, variant), _value(others, plan.run_id, variant)
        if a is not None and b is not None:
            labels.append(plan.label)
            pairs.append((a, b))
        elif a is not None or b is not None:
            dropped += 1
    means = list(_system_means(labels, pairs))
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
    value = judged[run_id].result.values.get(variant)
    return None if value is None else value.value


def _system_means(labels: list[str], pairs: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    by_label: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for label, pair in zip(labels, pairs, strict=True):
        by_label[label].append(pair)
    for values in by_label.values():
        yield sum(a for a, _ in values) / len(values), sum(b for _, b in values) / len(values)


def _rho(pairs: list[tuple[float, float]]) -> float | None:
    rho = spearman([a for a, _ in pairs], [b for _, b in pairs])
    return None if rho is None else round(rho, 10)
