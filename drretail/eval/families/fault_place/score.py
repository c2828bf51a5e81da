"""Verdicts on fault places as values: how many claims are wrong, and the shares of them by place."""

from drretail.eval.breakdown import breakdown
from drretail.eval.families.fault_place.judge import FAMILY, FOLLOWS, STAGE, VERSION, marks, placed_in, sort_claims
from drretail.eval.families.fault_place.placing import PLACES
from drretail.eval.values import Value
from drretail.records.score import MetricDescription, Verdict

N_WRONG, N_PLACED = "n_wrong", "n_placed"
COUNTS = (N_WRONG, N_PLACED)
PART, WHOLE = "here", "wrong"


def counts(verdict: Verdict) -> list[Value]:
    """How many claims of a report are wrong, and of how many the place is known."""
    places = [claim.place for claim in placed_in(verdict)]
    wrong = len(places)
    placed = wrong - places.count("unknown")
    return [
        Value(name, "scored", float(count), {WHOLE: wrong}) for name, count in zip(COUNTS, (wrong, placed), strict=True)
    ]


DESCRIPTION = MetricDescription(
    title="Fault place",
    meaning="Where the wrong claims of a system's reports went wrong: shares of all of them, which add up to 1.",
    meanings={
        N_WRONG: "wrong claims of a report: not supported, contradicted, or of sources that the run was never handed",
        N_PLACED: "those of them whose place is known",
        "never_retrieved": "the shop or the corpus has what is true, and the run was never handed it",
        "lost": "a researcher was handed what is true, and no intermediate report says so",
        "distorted": "the run was handed what is true, and its report, or what it read of a page, says otherwise",
        "invented": "neither the run nor the world has any such thing",
        "unknown": "no typed value and no quote shows where it went wrong",
    },
    headlines=COUNTS,
    counts=COUNTS,
    higher_is_better=False,
)


METRIC = breakdown(
    FAMILY,
    VERSION,
    DESCRIPTION,
    follows=FOLLOWS,
    stage=STAGE,
    sort=sort_claims,
    counts=counts,
    counted=COUNTS,
    kinds=PLACES,
    kinds_in=lambda verdict: [claim.place for claim in placed_in(verdict)],
    items=(PART, WHOLE),
    marks=marks,
)
