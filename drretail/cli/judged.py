"""What judging took, as a table for people and as JSON, and the cap on it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from drretail.cli.output import print_table
from drretail.cli.spending import money, say_prices

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.eval.judge import Judge
    from drretail.eval.spending import Allowance, JudgingCost
    from drretail.llm.prices import PriceTable

COLUMNS = ["metric", "judge", "judged", "calls", "input tokens", "output tokens", "cache read", "dollars"]


def capped_judging(
    experiment: "Path", bench: "Iterable[Judge]", prices: "PriceTable", tokens: int | None, dollars: float | None
) -> "Allowance | None":
    """The allowance of the flags --max-tokens and --max-dollars; None without one.

    Raises UserError when dollars are capped and the price of a judge is unknown.
    """
    from drretail.cli.research import check_priced
    from drretail.eval.spending import opened_allowance

    if tokens is None and dollars is None:
        return None
    if dollars is not None:
        check_priced(judge.model for judge in bench if judge.model is not None)
    return opened_allowance(experiment, prices, tokens, dollars)


def print_judging(costs: "Sequence[JudgingCost]", prices: "PriceTable") -> None:
    """All judging of the experiment so far, by metric and judge; judges without a price are named on stderr."""
    if not costs:
        return
    print_table("What judging took, in all", COLUMNS, [_row(cost) for cost in costs])
    say_prices(
        prices,
        unknown={spec for cost in costs for spec in cost.cost.unpriced},
        used=any(cost.cost.dollars for cost in costs),
    )


def judging_document(cost: "JudgingCost") -> dict[str, Any]:
    """All of it; ``null`` = unknown."""
    from drretail.llm.prices import cache_read_share

    return {
        "metric": cost.metric,
        "judge": cost.judge,
        "folder": cost.folder,
        "reports": cost.reports,
        **cost.cost.usage.model_dump(),
        "dollars": cost.cost.dollars,
        "cache_read_share": cache_read_share(cost.cost.usage),
        "retries": cost.retries,
        "seconds": round(cost.seconds, 3),
    }


def _row(cost: "JudgingCost") -> list[object]:
    from drretail.eval.registry import PAIRWISE
    from drretail.llm.prices import cache_read_share

    used = cost.cost.usage
    share = cache_read_share(used)
    read = used.input_uncached + used.cache_read + used.cache_creation
    told = "–" if share is None else f"{share:.0%}"
    unit = "pair" if cost.metric == PAIRWISE else "report"
    judged = f"{cost.reports:,} {unit}{'' if cost.reports == 1 else 's'}"
    return [cost.metric, cost.judge, judged, used.calls, read, used.output, told, money(cost.cost.dollars)]
