"""The measures' verdicts as values."""

from collections.abc import Sequence

from drretail.eval.families.basket.judge import judge_basket
from drretail.eval.family import Family, of_verdicts
from drretail.eval.values import Value
from drretail.grounding.basket.distance import MEASURES
from drretail.records.score import WHY_NOT, MetricDescription, Verdict
from drretail.records.scoreboard import BoardColumn


def variants() -> tuple[str, ...]:
    return tuple(MEASURES)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """One value for each measure; one without a verdict is failed."""
    by_variant = {verdict.item: verdict for verdict in verdicts}
    return [_value(variant, by_variant.get(variant)) for variant in MEASURES]


def _value(variant: str, verdict: Verdict | None) -> Value:
    if verdict is None:
        return Value(variant, "failed")
    readers = dict.fromkeys(verdict.notes, 1.0)
    if verdict.state != "scored":
        return Value(variant, verdict.state, None, readers | {f"{WHY_NOT}{verdict.reason}": 1.0})
    return Value(variant, "scored", float(verdict.value), readers)


DESCRIPTION = MetricDescription(
    title="Basket",
    meanings={
        "covered": "share of the wants that the picks cover in their quantity",
        "within_budget": "all picks together cost no more than the query allows",
        "feasible": "share of reports whose picks are all that is wanted and nothing else, within budget",
        "cost_ratio": "what all picks cost, by the cost of the cheapest basket",
        "utility_ratio": "how good the picks are, by the best basket",
    },
    counts=("cost_ratio",),
    primary=("feasible",),
    scoreboard=(
        BoardColumn(
            variant="feasible",
            meaning="share of reports whose picks are all that is wanted and nothing else, within budget",
        ),
    ),
    bounded_by_oracle=True,
)
METRIC = Family(
    "basket", 3, judge_basket, of_verdicts(values), variants(), DESCRIPTION, after=("reading",), needs_judge=False
)
