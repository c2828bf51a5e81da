"""Verdicts on low ratings as values: whether a report fails in a mode, and how many of its ratings are low."""

from collections.abc import Sequence

from drretail.eval.families.failure_modes.details import details, write_sheet
from drretail.eval.families.failure_modes.judge import (
    FAMILY,
    LISTED,
    MEANINGS,
    MODES,
    RATED,
    SORTED,
    VERSION,
    judge,
    prompt,
)
from drretail.eval.family import Family, of_verdicts
from drretail.eval.values import Value, lacking
from drretail.records.score import MetricDescription, Verdict

N_LOW = "n_low"
VARIANTS = (N_LOW, *MODES)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """Of one report: ``n_low`` ratings, and 1 in each mode that any of them is about.

    A mode is failed where a rationale could not be sorted and no other one names it.
    """
    listed = next((verdict for verdict in reversed(verdicts) if verdict.stage == LISTED), None)
    if listed is None:
        return [Value(variant, "failed") for variant in VARIANTS]
    if listed.state != "scored":
        return [lacking(variant, "na", listed.reason) for variant in VARIANTS]
    found = {verdict.item: verdict for verdict in verdicts if verdict.stage == SORTED}
    sorted_ratings = [found.get(item) for item in listed.value]
    named = {
        mode for rating in sorted_ratings if rating is not None and rating.state == "scored" for mode in rating.value
    }
    is_whole = all(rating is not None and rating.state == "scored" for rating in sorted_ratings)
    modes = [
        Value(mode, "scored", float(mode in named)) if is_whole or mode in named else Value(mode, "failed")
        for mode in MODES
    ]
    return [Value(N_LOW, "scored", float(len(listed.value))), *modes]


DESCRIPTION = MetricDescription(
    title="Failure modes",
    meaning="Shares of reports with a rating below 4 whose rationale is about this weakness.",
    meanings={N_LOW: "ratings of a report below 4, of seven", **MEANINGS},
    headlines=(N_LOW,),
    counts=(N_LOW,),
    higher_is_better=False,
)


METRIC = Family(
    FAMILY,
    VERSION,
    judge,
    of_verdicts(values),
    VARIANTS,
    DESCRIPTION,
    lambda: [prompt()],
    is_opinion=True,
    after=(RATED,),
    details=details,
    sheet=write_sheet,
)
