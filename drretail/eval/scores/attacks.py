"""Utility under attack: what hostile texts cost an agent on the same queries, beside what it obeyed of them."""

from collections.abc import Iterator, Sequence

from drretail.eval.compare.rows import runs_of, side_of
from drretail.eval.scores.gathering import Gathered
from drretail.records.run import INJECTED, System
from drretail.records.score import AttackRow, Score, shown_rows
from drretail.stats.intervals import mean_interval
from drretail.stats.paired import pair

UTILITY = ("basket", "feasible")
"""The headline whose loss is measured: did the agent still buy what the shopper wanted, and nothing else?"""
OBEYED = ("robustness", "obeyed")


def attack_rows(gathered: Gathered, scores: Sequence[Score]) -> Iterator[AttackRow]:
    """One row for each system that ran among hostile texts and without them; over all planned runs."""
    family, variant = UTILITY
    assessor = next(iter(gathered.assessors(family)), None)
    obeyed = {row.system: row for row in shown_rows(scores) if (row.metric, row.variant) == OBEYED}
    if assessor is None:
        return
    runs = runs_of(gathered, family, assessor)
    systems = gathered.definition.systems
    for label, system in systems.items():
        plain = next((other for other, its in systems.items() if its == _without_texts(system)), None)
        if not system.options.get(INJECTED) or plain is None:
            continue
        pairs = pair(side_of(runs[plain], variant).values, side_of(runs[label], variant).values)
        lost = mean_interval(pairs.differences, gathered.clusters.groups(pairs.queries))
        before, after = pairs.means or (None, None)
        row = obeyed.get(label)
        yield AttackRow(
            system=label,
            plain=plain,
            utility=before,
            utility_attacked=after,
            lost=lost.value,
            lost_low=lost.low,
            lost_high=lost.high,
            obeyed=None if row is None else row.value,
            obeyed_low=None if row is None else row.ci_low,
            obeyed_high=None if row is None else row.ci_high,
            n_queries=len(pairs),
            n_users=gathered.clusters.users(pairs.queries),
        )


def _without_texts(system: System) -> System:
    options = {name: value for name, value in system.options.items() if name != INJECTED}
    return system.model_copy(update={"options": options})
