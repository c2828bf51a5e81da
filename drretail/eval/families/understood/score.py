"""The measures' verdicts as values."""

from collections.abc import Sequence

from drretail.eval.families.understood.judge import VARIANTS, judge_understood, lacks_understanding
from drretail.eval.family import Family, of_verdicts
from drretail.eval.values import Value, lacking
from drretail.records.score import MetricDescription, Verdict
from drretail.records.scoreboard import BoardColumn


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """One value for each measure; one without a verdict is failed."""
    by_variant = {verdict.item: verdict for verdict in verdicts}
    return [_value(variant, by_variant.get(variant)) for variant in VARIANTS]


def _value(variant: str, verdict: Verdict | None) -> Value:
    if verdict is None:
        return Value(variant, "failed")
    if verdict.state != "scored":
        return lacking(variant, verdict.state, verdict.reason)
    return Value(variant, "scored", float(verdict.value))


DESCRIPTION = MetricDescription(
    title="Understood",
    meaning="How the agent says that it understood the question, beside what the query's maker typed.",
    meanings={
        "understood": "the mean of wants and limits",
        "wants": "share of the query's wants for which much the same products would do",
        "limits": "share of budget, brands and quantities that are equal",
    },
    scoreboard=(BoardColumn(variant="understood", meaning="share of wants and limits that the agent understood"),),
)
METRIC = Family(
    "understood",
    1,
    judge_understood,
    of_verdicts(values),
    VARIANTS,
    DESCRIPTION,
    lacks=lacks_understanding,
    needs_judge=False,
)
