"""What judging took, by judge and metric, and the cap that ends it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from drretail.errors import DrretailError, UserError
from drretail.journal import Effect, read_effects
from drretail.llm.prices import BATCH, NOTHING, Cost, PriceTable, dollars, unpriced
from drretail.llm.registry import Model, check_priced
from drretail.records.models import Price
from drretail.records.run import Usage
from drretail.tables import figures


@dataclass(frozen=True, slots=True)
class JudgingCost:
    """What one judge took in one metric, in all of an experiment so far; answers that could not be used included."""

    metric: str
    judge: str
    """"provider:model"."""
    folder: str
    """Tells judges of one model with other parameters apart."""
    reports: int
    """In pairwise: pairs of reports."""
    cost: Cost
    retries: int
    seconds: float


class CapReached(DrretailError):
    """The cap on judging is reached: the question was not asked."""


@dataclass(slots=True)
class Allowance:
    """What all judging in an experiment may take together; None = no cap. It counts what was taken before."""

    tokens: int | None = None
    dollars: float | None = None
    spent_tokens: int = 0
    spent_dollars: float = 0.0
    cut: int = 0
    """Reports whose judging met the cap, counted for each judge and metric."""

    def check(self) -> None:
        """Raises CapReached when nothing may be asked any more."""
        if self.tokens is not None and self.spent_tokens >= self.tokens:
            raise CapReached(f"{self.tokens:,} tokens")
        if self.dollars is not None and self.spent_dollars >= self.dollars:
            raise CapReached(f"${self.dollars:g}")

    def count(self, usage: Usage, price: Price | None) -> None:
        """Takes what an answer cost out of it."""
        self.spent_tokens += usage.total
        self.spent_dollars += 0 if price is None else dollars(usage, price)

    @property
    def closing(self) -> str | None:
        """A sentence that says what was not judged; None when all was."""
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


def capped(
    experiment: Path, models: Iterable[Model], prices: PriceTable, tokens: int | None, money: float | None
) -> Allowance | None:
    """The allowance of a cap in tokens or in dollars, out of which all earlier judging is paid; None without a cap.

    Raises UserError when dollars are capped and the price of a model, or what earlier judging cost, is unknown.
    """
    if tokens is None and money is None:
        return None
    if money is not None:
        check_priced(models)
    total = NOTHING
    for part in judging_costs(experiment, prices):
        total = total.plus(part.cost)
    if money is not None and total.unpriced:
        raise UserError(f"What judging cost so far is unknown. {unpriced(total.unpriced)}")
    return Allowance(tokens, money, total.usage.total, total.dollars or 0.0)


def judging_costs(experiment: Path, prices: PriceTable) -> list[JudgingCost]:
    """What every judge took in every metric, in the order of their folders; nothing for judges that asked nothing."""
    journals: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for path in sorted((experiment / "verdicts").glob("*/*/*/*.journal.jsonl")):
        metric, judge = path.relative_to(experiment / "verdicts").parts[:2]
        journals[metric, judge].append(path)
    found = [_judging(metric, judge, paths, prices) for (metric, judge), paths in sorted(journals.items())]
    return [cost for cost in found if cost.cost.usage.calls]


def _judging(metric: str, judge: str, journals: list[Path], prices: PriceTable) -> JudgingCost:
    spec, cost, retries, seconds, reports = judge, NOTHING, 0, 0.0, 0
    for journal in journals:
        effects = read_effects(journal)
        reports += bool(effects)
        for effect in effects:
            spec = effect.request["model"]
            cost = cost.plus(_cost(effect, prices))
            retries += effect.retries or 0
            seconds += effect.seconds
    return JudgingCost(metric, spec, judge, reports, cost, retries, seconds)


def _cost(effect: Effect, prices: PriceTable) -> Cost:
    spec, used = effect.request["model"], Usage(**(effect.usage or {}))
    price = prices.of(spec)
    if price is None:
        return Cost(used, None, (spec,)) if used.total else Cost(used, 0)
    return Cost(used, dollars(used, price.times(BATCH) if effect.batched else price))
