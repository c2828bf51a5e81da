"""Verdicts on error causes as values: how many errors a report has, and the shares of them by cause."""

from drretail.eval.breakdown import breakdown
from drretail.eval.families.error_causes.causes import CAUSES
from drretail.eval.families.error_causes.judge import (
    FAMILY,
    FOLLOWS,
    STAGE,
    VERSION,
    ReportErrors,
    sort_errors,
    take_labels,
)
from drretail.eval.family import BY_RULES
from drretail.eval.values import Value, lacking
from drretail.records.score import MetricDescription, Verdict

N_MISSED, N_WRONG = "n_missed", "n_wrong_claims"
COUNTS = (N_MISSED, N_WRONG)
PART, WHOLE = "of this cause", "errors"


def counts(verdict: Verdict) -> list[Value]:
    """How many insights a report misses, where its judge was asked for them, and how many of its claims are wrong."""
    found = ReportErrors.model_validate(verdict.value)
    kinds = [error.kind for error in found.errors]
    missed = Value(N_MISSED, "scored", float(kinds.count("insight")))
    return [
        missed if found.insights_judged else lacking(N_MISSED, "na", BY_RULES),
        Value(N_WRONG, "scored", float(kinds.count("claim"))),
    ]


DESCRIPTION = MetricDescription(
    title="Error causes",
    meaning="Why insights are missed and claims are wrong: shares of all errors of a system, which add up to 1; "
    "runs without a report are in none (docs/metrics/error_causes.md).",
    meanings={
        N_MISSED: "insights known beforehand that a report does not tell in full",
        N_WRONG: "claims of a report that a source does not bear out in full, or that rest on distractors alone",
        "not_retrieved": "the supportive page never came up in what the run was handed",
        "file_not_read": "the user's file was not read",
        "not_used": "the run was handed the page or file, and its report does not tell what stands there in full",
        "misled": "the claim cites a distractor, or has a figure that only a distractor has",
        "hallucinated": "what the claim cites does not say it, or there is no such source",
        "ended_early": "a limit cut the run, or a part of its research failed, before the page or file came up",
        "unknown": "the gold does not say where the insight stands",
    },
    headlines=COUNTS,
    counts=COUNTS,
    wholes={"Error causes": CAUSES},
    higher_is_better=False,
)


METRIC = breakdown(
    FAMILY,
    VERSION,
    DESCRIPTION,
    follows=FOLLOWS,
    stage=STAGE,
    sort=sort_errors,
    counts=counts,
    counted=COUNTS,
    kinds=CAUSES,
    kinds_in=lambda verdict: [error.cause for error in ReportErrors.model_validate(verdict.value).errors],
    items=(PART, WHOLE),
    rules=("default", "dr3"),
    inputs={"gold": take_labels},
)
