"""Answer quality as a metric family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.judge import Hearing
from drretail.eval.metric import Metric, Value
from drretail.eval.quality.dimensions import DIMENSIONS, prompt_for
from drretail.eval.quality.judge import judge
from drretail.eval.quality.score import VARIANTS, values
from drretail.eval.subject import Subject
from drretail.records.score import Rules, Verdict


@dataclass(frozen=True, slots=True)
class Quality:
    """Seven ratings and their means; the same under all rules."""

    name: str = "quality"
    version: int = 1
    needs_judge: bool = True
    is_opinion: bool = True

    async def judge(self, subject: Subject, hearing: Hearing) -> None:
        await judge(subject, hearing)

    def prompt_hashes(self) -> frozenset[str]:
        return frozenset({"", *(prompt_for(dimension).hash for dimension in DIMENSIONS)})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        del subject, rules
        return values(verdicts)

    def variants(self) -> tuple[str, ...]:
        return VARIANTS

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        raise KeyError(variant)

    def pooled_variants(self) -> frozenset[str]:
        return frozenset()


METRIC: Metric = Quality()
