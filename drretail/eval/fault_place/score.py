"""Verdicts on fault places as values: how many claims are wrong, and the shares of them by place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.fault_place.judge import FAMILY, VERSION, judge_places, placed_in
from drretail.eval.fault_place.placing import PLACES, shares
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value, all_lacking, pooled_share, share
from drretail.records.score import MetricDescription, Rules, Verdict

N_WRONG, N_PLACED = "n_wrong", "n_placed"
COUNTS = (N_WRONG, N_PLACED)
VARIANTS = (*COUNTS, *PLACES)
PART, WHOLE = "here", "wrong"


def report_values(verdicts: Sequence[Verdict]) -> list[Value]:
    """Of one report, all variants; one without a verdict is failed."""
    verdict = next(iter(verdicts), None)
    if verdict is None or verdict.state != "scored":
        return all_lacking(verdict, VARIANTS)
    found = shares(it.place for it in placed_in(verdict))
    wrong = sum(found.values())
    counts = [
        Value(N_WRONG, "scored", float(wrong), {WHOLE: wrong}),
        Value(N_PLACED, "scored", float(wrong - found["unknown"]), {WHOLE: wrong}),
    ]
    return [*counts, *(share(place, (PART, count), (WHOLE, wrong)) for place, count in found.items())]


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


@dataclass(frozen=True, slots=True)
class FaultPlaces:
    """Shares of wrong claims by place, for each judge of faithfulness; nobody is asked."""

    name: str = FAMILY
    version: int = VERSION
    needs_judge: bool = True
    is_opinion: bool = False
    description: MetricDescription = DESCRIPTION

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        await judge_places(subject, judge_session)

    def prompt_hashes(self) -> frozenset[str]:
        return frozenset({""})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        del subject, rules
        return report_values(verdicts)

    def variants(self) -> tuple[str, ...]:
        return VARIANTS

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        if variant not in PLACES:
            raise KeyError(variant)
        return pooled_share(report[variant], PART, WHOLE)

    def pooled_variants(self) -> frozenset[str]:
        return frozenset(PLACES)


METRIC: Metric = FaultPlaces()
