"""What a metric family is: one stage that judges a run, one that makes values per report of the verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from drretail.eval.judge import Judge
from drretail.eval.subject import Subject
from drretail.eval.verdicts import VerdictFile
from drretail.records.score import Rules, Verdict, VerdictState


@dataclass(frozen=True, slots=True)
class Value:
    """What one report gets in one variant. ``value`` is present exactly when ``state`` is "scored"."""

    variant: str
    state: VerdictState
    value: float | None = None
    items: Mapping[str, float] = field(default_factory=dict[str, float])
    """Counts of items behind it; summed over reports."""


class Metric(Protocol):
    """A family such as faithfulness. Knowing one is knowing all."""

    name: str
    version: int
    needs_judge: bool
    """False for families that need no model; their judge is "code"."""

    async def judge(self, subject: Subject, judge: Judge, file: VerdictFile, rules: Rules) -> None:
        """Appends the verdicts that ``file`` lacks for this run; what it holds and lives is not judged again."""
        ...

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        """The run's value in every variant, from living verdicts alone. Pure."""
        ...

    def variants(self) -> tuple[str, ...]:
        """All variants, in the order of tables."""
        ...
