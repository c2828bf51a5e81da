"""How many picks a judge reads of reports that declare none; its reading is used by the families by code."""

from collections.abc import Sequence

from drretail.eval.families.reading.judge import FAMILY, STAGE, VERSION, judge_reading, prompts
from drretail.eval.family import Family, of_verdicts
from drretail.eval.values import Value
from drretail.records.score import MetricDescription, Verdict

PICKS_READ = "picks_read"
"""How many products a judge reads as picks; na where the agent declared its own."""


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """How many picks the judge reads."""
    verdict = next((each for each in verdicts if each.stage == STAGE), None)
    if verdict is None or verdict.state != "scored":
        return [Value(PICKS_READ, "failed" if verdict is None else verdict.state)]
    return [Value(PICKS_READ, "scored", float(len(verdict.value)))]


DESCRIPTION = MetricDescription(
    title="Readings by a judge",
    meaning="How many things a report that declares no picks puts into the cart, as the judge reads it.",
    headlines=(PICKS_READ,),
    counts=(PICKS_READ,),
    higher_is_better=False,
)
METRIC = Family(FAMILY, VERSION, judge_reading, of_verdicts(values), (PICKS_READ,), DESCRIPTION, prompts)
