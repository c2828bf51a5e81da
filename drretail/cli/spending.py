"""What runs took, as a table for people and as JSON."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from drretail.viewer.output import print_table, say

if TYPE_CHECKING:
    from drretail.agents.running.spending import Spending, Spread
    from drretail.llm.prices import Cost, PriceTable

COLUMNS = ["system", "done", "calls", "input tokens", "output tokens", "words", "$ a run", "$ in all", "cache read"]


def print_spending(rows: "list[Spending]", prices: "PriceTable") -> None:
    """Mean ± standard deviation for a run, with what it cost in all; models without a price are named on stderr."""
    print_table("What a run took (mean ± standard deviation)", COLUMNS, [_row(row) for row in rows])
    say_prices(
        prices,
        unknown={spec for row in rows for spec in row.unpriced},
        used=any(row.total.dollars for row in rows),
    )


def say_prices(prices: "PriceTable", *, unknown: Collection[str], used: bool) -> None:
    """Names on stderr the models without a price and, where prices were ``used``, of which day they are."""
    from drretail.llm.prices import unpriced

    if unknown:
        say(unpriced(unknown))
    if used:
        say(f"Prices as of {prices.as_of.isoformat()}; your own in drretail.toml, [prices], come first.")


def spending_document(row: "Spending") -> dict[str, Any]:
    """All of it, by role as well; ``null`` = unknown."""
    return {
        "system": row.label,
        "runs": row.runs,
        "done": row.done,
        **{name: _spread(getattr(row, name)) for name in ("calls", "input", "output", "words", "dollars", "seconds")},
        "total": _cost(row.total),
        "by_role": {role: _cost(cost) for role, cost in row.by_role.items()},
        "cache_read_share": row.cache_read,
        "model_seconds": round(row.model_seconds, 3),
        "retries": row.retries,
        "unpriced": list(row.unpriced),
    }


def money(value: float | None) -> str:
    """Dollars with as many digits as say something; "unknown" where they are."""
    if value is None:
        return "unknown"
    return f"{value:,.2f}" if value == 0 or value >= 1 else f"{value:.4f}"


def _row(row: "Spending") -> list[object]:
    share = "–" if row.cache_read is None else f"{row.cache_read:.0%}"
    counts = [_told(spread) for spread in (row.calls, row.input, row.output, row.words)]
    a_run = "–" if not row.done else money(row.dollars.mean)
    return [row.label, row.done, *counts, a_run, money(row.total.dollars), share]


def _told(spread: "Spread") -> str:
    if spread.mean is None:
        return "–"
    digits = 1 if spread.mean < 100 else 0
    return f"{spread.mean:,.{digits}f}" + ("" if spread.sd is None else f" ± {spread.sd:,.{digits}f}")


def _spread(spread: "Spread") -> dict[str, float | None]:
    return {"mean": spread.mean, "sd": spread.sd}


def _cost(cost: "Cost") -> dict[str, Any]:
    return {**cost.usage.model_dump(), "dollars": cost.dollars}
