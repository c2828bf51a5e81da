"""Faithfulness as a metric family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.faithfulness.judge import judge, prompt_hashes
from drretail.eval.faithfulness.score import POOLED, VARIANTS, failed_values, pooled, report_values
from drretail.eval.judge import Hearing
from drretail.eval.metric import Metric, Value
from drretail.eval.subject import Subject
from drretail.records.score import Rules, Verdict


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """FP and FR with their variants, under the rules default, paper and drg."""

    name: str = "faithfulness"
    version: int = 1
    needs_judge: bool = True
    is_opinion: bool = False

    async def judge(self, subject: Subject, hearing: Hearing) -> None:
        await judge(subject, hearing)

    def prompt_hashes(self) -> frozenset[str]:
        return prompt_hashes()

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        return failed_values() if subject.report is None else report_values(verdicts, rules)

    def variants(self) -> tuple[str, ...]:
        return VARIANTS

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        return pooled(variant, report)

    def pooled_variants(self) -> frozenset[str]:
        return POOLED


METRIC: Metric = Faithfulness()
