"""What the metric families that no model judges have in common."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.judge import Hearing
from drretail.eval.metric import Value
from drretail.eval.subject import Subject
from drretail.records.score import Rules, Verdict


@dataclass(frozen=True, slots=True)
class CodeFamily:
    """A ``Metric`` that asks no model, whose values are the same under all rules and means over reports alone."""

    name: str
    version: int
    judged: Callable[[Subject, Hearing], None]
    """Records the verdicts that are missing for a run."""
    valued: Callable[[Sequence[Verdict]], list[Value]]
    """A run's value in every variant, from its verdicts."""
    names: tuple[str, ...]
    """All variants, in the order of tables."""
    needs_judge: bool = False
    is_opinion: bool = False

    async def judge(self, subject: Subject, hearing: Hearing) -> None:
        self.judged(subject, hearing)

    def prompt_hashes(self) -> frozenset[str]:
        return frozenset({""})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        del subject, rules
        return self.valued(verdicts)

    def variants(self) -> tuple[str, ...]:
        return self.names

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        raise KeyError(variant)

    def pooled_variants(self) -> frozenset[str]:
        return frozenset()
