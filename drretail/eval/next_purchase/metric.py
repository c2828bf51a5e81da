"""The next purchase as a metric family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.judge import Hearing
from drretail.eval.metric import Value
from drretail.eval.next_purchase.judge import judge_next_purchase
from drretail.eval.next_purchase.score import values, variants
from drretail.eval.subject import Subject
from drretail.records.score import Rules, Verdict


@dataclass(frozen=True, slots=True)
class NextPurchases:
    """The metric ``next_purchase``: no model is asked."""

    name: str = "next_purchase"
    version: int = 1
    needs_judge: bool = False
    is_opinion: bool = False

    async def judge(self, subject: Subject, hearing: Hearing) -> None:
        judge_next_purchase(subject, hearing)

    def prompt_hashes(self) -> frozenset[str]:
        return frozenset({""})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        return values(verdicts)

    def variants(self) -> tuple[str, ...]:
        return variants()

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        raise KeyError(variant)

    def pooled_variants(self) -> frozenset[str]:
        return frozenset()


METRIC = NextPurchases()
