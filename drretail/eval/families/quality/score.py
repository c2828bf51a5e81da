"""Values of answer quality per report: the seven ratings and their plain means."""

from collections.abc import Sequence

from drretail.eval.families.quality.judge import judge, prompt_for
from drretail.eval.family import Family, of_verdicts
from drretail.eval.judging.dimensions import DIMENSIONS, PERSONALIZATION
from drretail.eval.values import Value, joined, value_of
from drretail.prompts import Prompt
from drretail.records.score import MetricDescription, Rules, Verdict
from drretail.records.scoreboard import BoardColumn

AVERAGE = "Avg"
AVERAGE_OF_SIX = "Avg_6"
_WORDINGS: tuple[Rules, ...] = ("default", "paper")
"""Rules whose questions differ; the others' are the paper's."""
VARIANTS = (*DIMENSIONS, AVERAGE, AVERAGE_OF_SIX)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """A report's ratings, ``Avg`` over all seven, and ``Avg_6`` over the six that need no profile.

    A mean is na when a rating of it is na, and failed when one failed or is missing: it is never made of fewer.
    """
    by_item = {verdict.item: verdict for verdict in verdicts}
    ratings = {dimension: value_of(dimension, by_item.get(dimension)) for dimension in DIMENSIONS}
    six = [dimension for dimension in DIMENSIONS if dimension != PERSONALIZATION]
    means = [
        joined(name, [ratings[each] for each in dimensions], lambda numbers: sum(numbers) / len(numbers))
        for name, dimensions in ((AVERAGE, DIMENSIONS), (AVERAGE_OF_SIX, six))
    ]
    return [*ratings.values(), *means]


MEANINGS = {
    "clarity": "clear, exact, without overlap; 0 to 10, as all that follow",
    "depth": "weighs and explains, beyond what lies on the surface",
    "breadth": "covers the sides of the question that matter",
    "insightfulness": "sees what is not on the surface",
    "constraint_following": "keeps to what the question demands: budget, number, brands, what is owned",
    PERSONALIZATION: "fits what the shop knows of the user; only where there is a profile",
    "overall": "the report as a whole, rated by itself",
    AVERAGE: "mean of all seven ratings",
    AVERAGE_OF_SIX: "mean of the six that need no profile",
}

DESCRIPTION = MetricDescription(
    title="Answer quality",
    meanings=MEANINGS,
    headlines=("constraint_following", PERSONALIZATION, "overall", AVERAGE, AVERAGE_OF_SIX),
    compared=(*DIMENSIONS, AVERAGE),
    summaries=("overall", AVERAGE),
    primary=("overall",),
    scoreboard=(BoardColumn(variant="overall", name="quality", meaning="the judge's overall rating, 0 to 10"),),
    correlated=(AVERAGE,),
    plots={"Quality by dimension": DIMENSIONS},
    scale="rating",
    named_by_variant=True,
)


def prompts() -> list[Prompt]:
    """Of every dimension in every wording."""
    return [prompt_for(dimension, rules) for dimension in DIMENSIONS for rules in _WORDINGS]


METRIC = Family(
    "quality",
    1,
    judge,
    of_verdicts(values),
    VARIANTS,
    DESCRIPTION,
    prompts,
    is_opinion=True,
    after=("reading",),
)
