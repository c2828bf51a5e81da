"""Process as a metric family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.judge import Hearing
from drretail.eval.metric import Value
from drretail.eval.process.judge import judge_process
from drretail.eval.process.score import values, variants
from drretail.eval.subject import Subject
from drretail.records.score import Rules, Verdict


@dataclass(frozen=True, slots=True)
class Process:
    """The metric ``process``: no model is asked, and no value of it is better high or low by itself."""

    name: str = "process"
    version: int = 1
    needs_judge: bool = False
    is_opinion: bool = False

    async def judge(self, subject: Subject, hearing: Hearing) -> None:
        judge_process(subject, hearing)

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


METRIC = Process()
