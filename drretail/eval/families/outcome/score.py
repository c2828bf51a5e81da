"""The outcome's verdict as values."""

from collections.abc import Mapping, Sequence

from drretail.eval.families.outcome.decision import VALUES, judge_outcome
from drretail.eval.family import Family, of_verdicts
from drretail.eval.values import Value, all_lacking
from drretail.grounding.basket.refusal import Decided
from drretail.records.score import MetricDescription, Verdict
from drretail.records.scoreboard import BoardColumn

J = "J"
"""refusal_recall less false_refusal: 1 is right on all, 0 what refusing all or nothing gets."""
NAMES = (J, *VALUES)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """A value for each measure that the query's proof allows; n/a the others."""
    verdict = next(iter(verdicts), None)
    if verdict is None or verdict.state != "scored":
        return all_lacking(verdict, NAMES)
    decided = Decided.model_validate(verdict.value)
    found = {name: read(decided) for name, read in VALUES.items()}
    measured = [Value(name, "na" if value is None else "scored", value) for name, value in found.items()]
    right = float(decided.refused == (decided.state == "proved"))
    return [Value(J, "scored", right), *measured]


def _difference(report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
    """J over all reports at once, the plain mean of two parts: twice the one share, less twice the other."""
    return [_part(report["refusal_recall"], 2.0), _part(report["false_refusal"], -2.0)]


def _part(value: Value, times: float) -> tuple[float, float]:
    return (0.0, 0.0) if value.value is None else (times * value.value, 1.0)


DESCRIPTION = MetricDescription(
    title="Outcome",
    meanings={
        J: "refusal_recall less false_refusal",
        "refusal_recall": "share of proved queries that are refused",
        "false_refusal": "share of feasible queries that are refused",
        "reason": "share of right refusals whose reason is the proof's",
        "nearest": "how near what is offered instead comes, by cost",
        "shown": "share of proved queries of which the run's own searches show it",
        "bought_anyway": "share of proved queries for which something is bought",
        "undeclared": "share of reports that declare no outcome",
    },
    meaning="A query is proved where a look at every product of the shop shows that its wish can't be met.",
    headlines=("refusal_recall", "false_refusal"),
    scoreboard=(BoardColumn(variant=J, meaning="refusals of what can't be met, less refusals of what can"),),
    bounded_by_oracle=True,
)
METRIC = Family(
    "outcome",
    1,
    judge_outcome,
    of_verdicts(values),
    NAMES,
    DESCRIPTION,
    pooled={J: _difference},
    pooled_means=frozenset({J}),
    needs_judge=False,
)
