"""What runs and judging took, and are likely to take, as tables and as JSON."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from drretail.records.tables.figures import count, counted, dollars
from drretail.records.tables.figures import dollars as in_dollars
from drretail.records.tables.table import Cell
from drretail.viewer.output import print_json, print_rows, say

if TYPE_CHECKING:
    from drretail.agents.running.spending import Spending, Spread
    from drretail.eval.judging.spending import JudgingCost
    from drretail.llm.estimates import Estimate, Estimates, Range
    from drretail.llm.prices import Cost, PriceTable

RUN_COLUMNS = ["", "done", "calls", "input tokens", "output tokens", "words", "$ a run", "$ in all", "cache read"]
# Left out in a narrow terminal, the first one first.
SPARE_RUN_COLUMNS = ["cache read", "done", "output tokens", "words", "$ in all", "input tokens"]
JUDGING_COLUMNS = ["metric", "judge", "judged", "calls", "input tokens", "output tokens", "cache read", "dollars"]
ESTIMATE_COLUMNS = ["calls", "input tokens", "output tokens", "dollars"]


def print_spending(rows: "list[Spending]", prices: "PriceTable") -> None:
    """Prints what a run took (mean ± standard deviation) and what all took. Models without a price are
    named on stderr.
    """
    from drretail.llm.usage import estimated_note

    title = "What a run took (mean ± standard deviation)"
    notes = [
        *estimated_note(row.total.usage for row in rows),
        *(f"{row.label}: {counted(row.unknown, 'run does', 'runs do')} not tell usage." for row in rows if row.unknown),
    ]
    cells = [
        [
            row.label,
            row.done,
            *(
                Cell(spread.mean, "mean", deviation=spread.sd)
                for spread in (row.calls, row.input, row.output, row.words)
            ),
            Cell("–") if not row.done else _dollars(row.dollars.mean),
            _dollars(row.total.dollars if row.is_known else None),
            Cell(row.cache_read, "percent"),
        ]
        for row in rows
    ]
    print_rows(title, RUN_COLUMNS, cells, spare=SPARE_RUN_COLUMNS, notes=notes)
    say_prices(
        prices, unknown={spec for row in rows for spec in row.unpriced}, used=any(row.total.dollars for row in rows)
    )


def say_prices(prices: "PriceTable", *, unknown: Collection[str], used: bool) -> None:
    """Names on stderr the models without a price and, if prices were ``used``, the date of the prices."""
    from drretail.llm.prices import dated, unpriced

    if unknown:
        say(unpriced(unknown))
    if used:
        say(dated(prices.as_of))


def spending_document(row: "Spending") -> dict[str, Any]:
    """All numbers of a system's runs, by role as well; ``null`` means unknown."""
    names = ("calls", "input", "output", "words", "dollars", "seconds")
    spreads: dict[str, Spread] = {name: getattr(row, name) for name in names}
    return {
        "system": row.label,
        "runs": row.runs,
        "done": row.done,
        "usage_unknown": row.unknown,
        **{name: {"mean": spread.mean, "sd": spread.sd} for name, spread in spreads.items()},
        "total": _cost(row.total) if row.is_known else None,
        "by_role": {role: _cost(cost) for role, cost in row.by_role.items()},
        "cache_read_share": row.cache_read,
        "model_seconds": round(row.model_seconds, 3),
        "retries": row.retries,
        "unpriced": list(row.unpriced),
    }


def _dollars(value: float | None) -> "Cell":
    """A cell of dollars: "unknown" for None, and a dash for 0."""
    return Cell("unknown" if value is None else value or "–", "dollars")


def _cost(cost: "Cost") -> dict[str, Any]:
    return {**cost.usage.model_dump(), "dollars": cost.dollars}


def print_judging(costs: "Sequence[JudgingCost]") -> None:
    """Prints all judging of the experiment so far, by metric and judge. Judges without a price are named on stderr."""
    from drretail.api.settings import read_settings
    from drretail.eval.registry import PAIRWISE
    from drretail.llm.prices import cache_read_share, read_prices
    from drretail.llm.usage import estimated_note

    if not costs:
        return
    notes = estimated_note(cost.cost.usage for cost in costs)
    rows: list[list[object]] = []
    for cost in costs:
        used = cost.cost.usage
        read = used.input_uncached + used.cache_read + used.cache_creation
        judged = counted(cost.reports, "pair" if cost.metric == PAIRWISE else "report")
        cached = Cell(cache_read_share(used), "percent")
        took = (used.calls, read, used.output, cached, _dollars(cost.cost.dollars))
        rows.append([cost.metric, cost.judge, judged, *took])
    print_rows("What judging took, in all", JUDGING_COLUMNS, rows, notes=notes)
    unknown = {spec for cost in costs for spec in cost.cost.unpriced}
    used = any(cost.cost.dollars for cost in costs)
    say_prices(read_prices(read_settings().prices), unknown=unknown, used=used)


def judging_in_short(costs: "Sequence[JudgingCost]") -> str:
    """One sentence on all judging so far; blank if no judge was asked."""
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
    """All numbers of a judge in a metric; ``null`` means unknown."""
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


def show_estimates(likely: "Estimates", *, as_json: bool) -> None:
    """Prints all estimates with their sum, then names unknown prices and what the numbers leave out."""
    from drretail.llm.estimates import together
    from drretail.llm.prices import dated, unpriced

    total, as_of = together(likely.parts), likely.prices.as_of
    if as_json:
        documents = [_document(one) for one in likely.parts]
        print_json({"prices_as_of": as_of.isoformat(), "estimates": documents, "together": _document(total)})
    else:
        _print_estimates(likely, total)
        if total.unpriced:
            say(unpriced(total.unpriced))
        say(f"Nothing was sent. {dated(as_of)}")
    for sentence in likely.notes:
        say(sentence)


def _print_estimates(likely: "Estimates", total: "Estimate") -> None:
    rows: list[list[object]] = []
    for one in [*likely.parts, total] if len(likely.parts) > 1 else likely.parts:
        of_what = f"{one.count:,} {one.unit}" if one.unit else one.count
        tokens = (_range(part, count) for part in (one.calls, one.input, one.output))
        rows.append([one.name, of_what, *tokens, _range(one.dollars, dollars)])
    print_rows(likely.title, [*likely.what, *ESTIMATE_COLUMNS], rows, notes=_bases(likely.parts))


def _bases(estimates: "Sequence[Estimate]") -> list[str]:
    """What the estimates rest on, each basis once, with the names of its estimates if there are several."""
    names: dict[str, list[str]] = {}
    for one in estimates:
        names.setdefault(one.basis, []).append(one.name)
    if len(names) == 1:
        return [f"Rests on {basis}." for basis in names if basis]
    return [f"{', '.join(whose)}: rests on {basis}." for basis, whose in names.items() if basis]


def _range(part: "Range | None", figure: Callable[[float], str]) -> str:
    """A range such as "typically 3–10 (at most 14)", without the bound if there is none; "unknown" for None."""
    if part is None:
        return "unknown"
    low, high = figure(part.low), figure(part.high)
    likely = low if low == high else f"{low}–{high}"
    return likely if part.most is None else f"typically {likely} (at most {figure(part.most)})"


def _document(one: "Estimate") -> dict[str, Any]:
    ranges: dict[str, dict[str, float] | None] = {}
    for name, part in (("calls", one.calls), ("input", one.input), ("output", one.output), ("dollars", one.dollars)):
        bounds = None if part is None else {"low": part.low, "high": part.high}
        ranges[name] = bounds if bounds is None or part is None or part.most is None else bounds | {"most": part.most}
    return {
        "name": one.name,
        "count": one.count,
        **({"unit": one.unit} if one.unit else {}),
        **ranges,
        "basis": one.basis,
        "unpriced": list(one.unpriced),
    }
