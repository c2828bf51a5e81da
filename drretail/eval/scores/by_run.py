"""The value of every planned run as one long table, from which the scores are means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from drretail.eval.metric import is_unrated
from drretail.eval.scores.gathering import LACKS_IN_WORDS, Gathered, TableKey
from drretail.eval.scores.panel import name_of
from drretail.eval.scores.planned import counted, headline_variants
from drretail.eval.values import Value
from drretail.records.base import Rules
from drretail.records.score import Policy, VerdictState, reasons_of


@dataclass(frozen=True, slots=True)
class RunValue:
    """One planned run in one variant by one judge, or by a panel."""

    metric: str
    variant: str
    policy: Policy
    rules: Rules
    judge: str
    """Its full name, with the hash of parameters that tell two judges of one model apart."""
    system: str
    query_id: str
    repeat: int
    run_id: str
    state: VerdictState
    """Why the run has no value of its own, if it is not "scored"."""
    value: float | None
    """What the run counts in the mean: with policy "planned" 0 for some runs without a value of their own."""
    why: str
    """Why it has none, in words; empty if nothing more is known than its state."""
    items: Mapping[str, float]
    name: str
    """The variant's name on the scoreboard."""


def run_values(gathered: Gathered) -> Iterator[RunValue]:
    """A row for each planned run, variant and judge: with policy "answered", and for headlines also with "planned".

    Runs without a report, or without a verdict of this judge, are among them. Pooled variants are not, since runs have
    no value in them. Systems of which a judge judged nothing have no rows by it.
    """
    for name, metric in gathered.metrics.items():
        headlines = headline_variants(metric)
        for assessor in gathered.assessors(name):
            if is_unrated(metric, assessor.judge):
                continue
            runs = [*gathered.judged_runs(name, assessor)]
            judged_here = gathered.tables_of_judges[TableKey(name, assessor)]
            labels = {plan.label for plan, _ in runs if plan.run_id in judged_here}
            asked = {variant for _, judged in runs for variant in judged.result.values}
            for plan, judged in runs:
                result = judged.result
                for variant in metric.variants:
                    if plan.label not in labels or variant not in asked or variant in metric.pooled:
                        continue
                    value = result.values.get(variant) or Value(variant, "failed")
                    lacks = LACKS_IN_WORDS[result.lacks] if result.lacks else ""
                    numbers: dict[Policy, float | None] = {"answered": value.value}
                    if assessor.rules == "default" and variant in headlines:
                        numbers["planned"] = counted(result, variant)
                    for policy, number in numbers.items():
                        yield RunValue(
                            name,
                            variant,
                            policy,
                            assessor.rules,
                            name_of(assessor.judge),
                            plan.label,
                            plan.query.query_id,
                            plan.repeat,
                            plan.run_id,
                            value.state,
                            number,
                            lacks or next(iter(reasons_of(value.items)), ""),
                            value.items,
                            metric.description.own_name(variant) or variant,
                        )
