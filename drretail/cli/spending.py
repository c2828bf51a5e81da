"""What runs and judging took, and are likely to take, as tables for people and as JSON."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from drretail.tables.figures import count, counted, dollars
from drretail.tables.figures import dollars as in_dollars
from drretail.tables.table import Cell, table_of
from drretail.viewer.output import print_json, print_table, say

if TYPE_CHECKING:
    from drretail.agents.running.spending import Spending, Spread
    from drretail.eval.judging.spending import JudgingCost
    from drretail.llm.estimates import Estimate, Range
    from drretail.llm.prices import Cost, PriceTable

RUN_COLUMNS = ["", "done", "calls", "input tokens", "output tokens", "words", "$ a run", "$ in all", "cache read"]
SPARE_RUN_COLUMNS = ["cache read", "done", "output tokens", "words", "$ in all", "input tokens"]
JUDGING_COLUMNS = ["metric", "judge", "judged", "calls", "input tokens", "output tokens", "cache read", "dollars"]
ESTIMATE_COLUMNS = ["calls", "input tokens", "output tokens", "dollars"]


def print_spending(rows: "list[Spending]", prices: "PriceTable") -> None:
    """Mean ± standard deviation for a run, with what it cost in all; models without a price are named on stderr."""
    from drretail.llm.usage import estimated_note

    title = "What a run took (mean ± standard deviation)"
    notes = estimated_note(row.total.usage for row in rows)
    print_table(table_of(title, RUN_COLUMNS, map(_row, rows), spare=SPARE_RUN_COLUMNS, notes=notes))
    say_prices(
        prices, unknown={spec for row in rows for spec in row.unpriced}, used=any(row.total.dollars for row in rows)
    )


def say_prices(prices: "PriceTable", *, unknown: Collection[str], used: bool) -> None:
    """Names on stderr the models without a price and, where prices were ``used``, of which day they are."""
    from drretail.llm.prices import dated, unpriced

    if unknown:
        say(unpriced(unknown))
    if used:
        say(dated(prices.as_of))


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


def _row(row: "Spending") -> list[object]:
    spreads = (row.calls, row.input, row.output, row.words)
    a_run = Cell("–") if not row.done else _dollars(row.dollars.mean)
    return [
        row.label,
        row.done,
        *(Cell(spread.mean, "mean", deviation=spread.sd) for spread in spreads),
        a_run,
        _dollars(row.total.dollars),
        Cell(row.cache_read, "percent"),
    ]


def _dollars(value: float | None) -> "Cell":
    """What is not known is named; what costs nothing has no figure."""
    return Cell("unknown" if value is None else value or "–", "dollars")


def _spread(spread: "Spread") -> dict[str, float | None]:
    return {"mean": spread.mean, "sd": spread.sd}


def _cost(cost: "Cost") -> dict[str, Any]:
    return {**cost.usage.model_dump(), "dollars": cost.dollars}


def print_judging(costs: "Sequence[JudgingCost]", prices: "PriceTable") -> None:
    """All judging of the experiment so far, by metric and judge; judges without a price are named on stderr."""
    from drretail.llm.usage import estimated_note

    if not costs:
        return
    notes = estimated_note(cost.cost.usage for cost in costs)
    print_table(table_of("What judging took, in all", JUDGING_COLUMNS, map(_judging_row, costs), notes=notes))
    say_prices(
        prices,
        unknown={spec for cost in costs for spec in cost.cost.unpriced},
        used=any(cost.cost.dollars for cost in costs),
    )


def judging_in_short(costs: "Sequence[JudgingCost]") -> str:
    """One sentence on all judging so far; blank where nobody was asked."""
    from drretail.llm.usage import estimated_note

    calls = sum(judging_cost.cost.usage.calls for judging_cost in costs)
    if not calls:
        return ""
    tokens = sum(judging_cost.cost.usage.total for judging_cost in costs)
    known = [judging_cost.cost.dollars for judging_cost in costs]
    dollars = None if None in known else sum(value for value in known if value is not None)
    cost = "a price unknown" if dollars is None else f"${in_dollars(dollars)}" if dollars else "at no cost"
    notes = estimated_note(judging_cost.cost.usage for judging_cost in costs)
    return " ".join((f"Judging took {counted(calls, 'call')}, {tokens:,} tokens, {cost}.", *notes))


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


def _judging_row(cost: "JudgingCost") -> list[object]:
    from drretail.eval.registry import PAIRWISE
    from drretail.llm.prices import cache_read_share

    used = cost.cost.usage
    read = used.input_uncached + used.cache_read + used.cache_creation
    judged = counted(cost.reports, "pair" if cost.metric == PAIRWISE else "report")
    cached = Cell(cache_read_share(used), "percent")
    return [cost.metric, cost.judge, judged, used.calls, read, used.output, cached, _dollars(cost.cost.dollars)]


def show_estimates(
    title: str, what: Sequence[str], estimates: "Sequence[Estimate]", prices: "PriceTable", *, as_json: bool
) -> None:
    """All estimates with their sum, and what nobody knows. ``what`` names the first two columns."""
    from drretail.llm.estimates import together
    from drretail.llm.prices import dated, unpriced

    total = together(estimates)
    if as_json:
        documents = [_document(one) for one in estimates]
        of_day = prices.as_of.isoformat()
        print_json({"prices_as_of": of_day, "estimates": documents, "together": _document(total)})
        return
    rows = [*estimates, total] if len(estimates) > 1 else estimates
    print_table(table_of(title, [*what, *ESTIMATE_COLUMNS], map(_estimate_row, rows), notes=_bases(estimates)))
    if total.unpriced:
        say(unpriced(total.unpriced))
    say(f"Nothing was sent. {dated(prices.as_of)}")


def _estimate_row(one: "Estimate") -> list[object]:
    cost = "unknown" if one.dollars is None else _range(one.dollars, dollars)
    what = f"{one.count:,} {one.unit}" if one.unit else one.count
    return [one.name, what, *(_range(part, count) for part in (one.calls, one.input, one.output)), cost]


def _bases(estimates: "Sequence[Estimate]") -> list[str]:
    """What the estimates rest on, each basis once; whose it is where there are several."""
    names: dict[str, list[str]] = {}
    for one in estimates:
        names.setdefault(one.basis, []).append(one.name)
    if len(names) == 1:
        return [f"Rests on {basis}." for basis in names if basis]
    return [f"{', '.join(whose)}: rests on {basis}." for basis, whose in names.items() if basis]


def _range(part: "Range", figure: Callable[[float], str]) -> str:
    """ "typically 3–10 (at most 14)", without the bound where there is none."""
    low, high = figure(part.low), figure(part.high)
    likely = low if low == high else f"{low}–{high}"
    return likely if part.most is None else f"typically {likely} (at most {figure(part.most)})"


def _range_document(part: "Range") -> dict[str, float]:
    return {"low": part.low, "high": part.high} | ({} if part.most is None else {"most": part.most})


def _document(one: "Estimate") -> dict[str, Any]:
    parts = {"calls": one.calls, "input": one.input, "output": one.output, "dollars": one.dollars}
    return {
        "name": one.name,
        "count": one.count,
        **({"unit": one.unit} if one.unit else {}),
        **{name: None if part is None else _range_document(part) for name, part in parts.items()},
        "basis": one.basis,
        "unpriced": list(one.unpriced),
    }
