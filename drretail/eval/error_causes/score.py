"""Verdicts on error causes as values: how many errors a report has, and the shares of them by cause."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.dr3.judge import BY_RULES
from drretail.eval.error_causes.causes import CAUSES, shares
from drretail.eval.error_causes.judge import FAMILY, VERSION, ReportErrors, judge_causes
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value, all_lacking, lacking, pooled_share, share
from drretail.records.score import MetricDescription, Rules, Verdict

N_MISSED, N_WRONG = "n_missed", "n_wrong_claims"
COUNTS = (N_MISSED, N_WRONG)
VARIANTS = (*COUNTS, *CAUSES)
PART, WHOLE = "of this cause", "errors"


def report_values(verdicts: Sequence[Verdict]) -> list[Value]:
    """Of one report, all variants; one without a verdict is failed."""
    verdict = next(iter(verdicts), None)
    if verdict is None or verdict.state != "scored":
        return all_lacking(verdict, VARIANTS)
    found = ReportErrors.model_validate(verdict.value)
    kinds = [it.kind for it in found.errors]
    missed = Value(N_MISSED, "scored", float(kinds.count("insight")))
    return [
        missed if found.insights_judged else lacking(N_MISSED, "na", BY_RULES),
        Value(N_WRONG, "scored", float(kinds.count("claim"))),
        *(share(cause, (PART, n), (WHOLE, len(kinds))) for cause, n in shares(it.cause for it in found.errors).items()),
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


@dataclass(frozen=True, slots=True)
class ErrorCauses:
    """Shares of errors by cause, for each judge of dr3; nobody is asked."""

    name: str = FAMILY
    version: int = VERSION
    needs_judge: bool = True
    is_opinion: bool = False
    rules: tuple[Rules, ...] = ("default", "dr3")
    description: MetricDescription = DESCRIPTION

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        judge_causes(subject, judge_session)

    def prompt_hashes(self) -> frozenset[str]:
        return frozenset({""})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        del subject, rules
        return report_values(verdicts)

    def variants(self) -> tuple[str, ...]:
        return VARIANTS

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        if variant not in CAUSES:
            raise KeyError(variant)
        return pooled_share(report[variant], PART, WHOLE)

    def pooled_variants(self) -> frozenset[str]:
        return frozenset(CAUSES)


METRIC: Metric = ErrorCauses()
