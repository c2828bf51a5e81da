"""Values of answer quality per report: the seven ratings and their plain means."""

from collections.abc import Mapping, Sequence

from drretail.eval.metric import Value
from drretail.eval.quality.contradictions import contradicts
from drretail.eval.quality.dimensions import DIMENSIONS, PERSONALIZATION
from drretail.records.score import Verdict, VerdictState

AVERAGE = "Avg"
AVERAGE_OF_SIX = "Avg_6"
VARIANTS = (*DIMENSIONS, AVERAGE, AVERAGE_OF_SIX)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """A report's ratings, ``Avg`` over all seven, and ``Avg_6`` over the six that need no profile.

    A mean is na when a rating of it is na, and failed when one failed or is missing: it is never made of fewer.
    """
    by_item = {verdict.item: verdict for verdict in verdicts}
    ratings = {dimension: _rated(dimension, by_item.get(dimension)) for dimension in DIMENSIONS}
    six = [dimension for dimension in DIMENSIONS if dimension != PERSONALIZATION]
    means = [_mean(AVERAGE, ratings, DIMENSIONS), _mean(AVERAGE_OF_SIX, ratings, six)]
    return [*ratings.values(), *means]


def _rated(dimension: str, verdict: Verdict | None) -> Value:
    if verdict is None:
        return Value(dimension, "failed")
    if verdict.state != "scored":
        return Value(dimension, verdict.state)
    flagged = contradicts(verdict.value, verdict.reason)
    return Value(dimension, "scored", float(verdict.value), {"contradictions": 1} if flagged else {})


def _mean(variant: str, ratings: Mapping[str, Value], dimensions: Sequence[str]) -> Value:
    parts = [ratings[dimension] for dimension in dimensions]
    lacking: tuple[VerdictState, ...] = ("failed", "unverifiable", "na")
    for state in lacking:
        if any(part.state == state for part in parts):
            return Value(variant, state)
    numbers = [part.value for part in parts if part.value is not None]
    return Value(variant, "scored", sum(numbers) / len(numbers))
