"""The cost of judging by judge and metric, and the limit that ends it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drretail.errors import DrretailError, UserError
from drretail.eval.judging.question import judge_journals, read_journal_of
from drretail.llm.prices import unpriced
from drretail.llm.registry import Model, check_priced
from drretail.llm.usage import NOTHING, Cost, cache_read_share
from drretail.records import figures
from drretail.records.run import Usage


@dataclass(frozen=True, slots=True)
class JudgingCost:
    """The cost of one judge in one metric, in all of an experiment so far, unusable answers included."""

    metric: str
    judge: str
    """"provider:model"."""
    folder: str
    """Distinguishes judges of one model with different parameters."""
    reports: int
    """In pairwise, pairs of reports."""
    cost: Cost
    retries: int
    seconds: float
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """How the model was asked: temperature, longest answer …"""

    @property
    def cache_read(self) -> float | None:
        """The share of the input that came from the provider's cache, 0 to 1."""
        return cache_read_share(self.cost.usage)

    @property
    def document(self) -> dict[str, Any]:
        """All numbers for ``--json``; ``null`` means unknown."""
        return {
            "metric": self.metric,
            "judge": self.judge,
            "folder": self.folder,
            "reports": self.reports,
            **self.cost.document,
            "cache_read_share": self.cache_read,
            "retries": self.retries,
            "seconds": round(self.seconds, 3),
        }


class CapReached(DrretailError):
    """The limit on judging is reached: the question was not asked."""


@dataclass(slots=True)
class Allowance:
    """The limit on all judging in an experiment together; None means no limit. Earlier costs count."""

    tokens: int | None = None
    dollars: float | None = None
    spent_tokens: int = 0
    spent_dollars: float = 0.0
    cut: int = 0
    """Reports whose judging met the limit, counted for each judge and metric."""

    def check(self) -> None:
        """Raises CapReached if nothing may be asked any more."""
        if self.tokens is not None and self.spent_tokens >= self.tokens:
            raise CapReached(f"{self.tokens:,} tokens")
        if self.dollars is not None and self.spent_dollars >= self.dollars:
            raise CapReached(f"${self.dollars:g}")

    def count(self, usage: Usage) -> None:
        """Adds an answer's cost."""
        self.spent_tokens += usage.total
        self.spent_dollars += usage.dollars or 0

    @property
    def closing(self) -> str | None:
        """A sentence on what was not judged, or None."""
        if not self.cut:
            return None
        caps = [f"${self.dollars:g}"] if self.dollars is not None else []
        caps += [f"{self.tokens:,} tokens"] if self.tokens is not None else []
        took = f"${figures.dollars(self.spent_dollars)} and " if self.dollars is not None else ""
        flags = [name for name, cap in (("--max-dollars", self.dollars), ("--max-tokens", self.tokens)) if cap]
        return (
            f"The cap of {' or '.join(caps)} for judging is reached: it took {took}{self.spent_tokens:,} tokens. Not "
            f"judged to the end: {self.cut:,} (reports × judges × metrics). The same command with a higher "
            f"{' or '.join(flags)} continues from here."
        )


def allowance_for(
    folders: Iterable[Path], models: Iterable[Model], tokens: int | None, money: float | None
) -> Allowance:
    """One allowance for all judging in these folders. If there is a limit, all earlier costs are charged to it.

    Raises UserError if dollars are limited and a model's price, or the cost of earlier judging, is unknown.
    """
    if tokens is None and money is None:
        return Allowance()
    if money is not None:
        check_priced(models)
    total = sum((part.cost for folder in folders for part in judging_costs(folder)), NOTHING)
    if money is not None and total.unpriced:
        raise UserError(f"What judging cost so far is unknown. {unpriced(total.unpriced)}")
    return Allowance(tokens, money, total.usage.total, total.dollars or 0.0)


def judging_costs(experiment: Path) -> list[JudgingCost]:
    """The cost of every judge in every metric, in the order of their folders, without judges that asked nothing."""
    journals: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for path in judge_journals(experiment):
        metric, judge = path.relative_to(experiment / "verdicts").parts[:2]
        journals[metric, judge].append(path)
    costs: list[JudgingCost] = []
    for (metric, judge), paths in sorted(journals.items()):
        spec, cost, retries, seconds = judge, NOTHING, 0, 0.0
        params: dict[str, Any] = {}
        by_report = [read_journal_of(path) for path in paths]
        for effect in (effect for its in by_report for effect in its):
            spec, params = effect.request["model"], effect.request.get("params", {})
            used = Usage(**(effect.usage or {}))
            cost = cost + Cost(used, (spec,) if used.unpriced else ())
            retries += effect.retries or 0
            seconds += effect.seconds
        if cost.usage.calls:
            reports = sum(map(bool, by_report))
            costs.append(JudgingCost(metric, spec, judge, reports, cost, retries, seconds, params))
    return costs
