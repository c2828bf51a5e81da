"""Estimates as a table for people and as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from drretail.cli.spending import money
from drretail.viewer.output import print_json, print_table, say

if TYPE_CHECKING:
    from drretail.llm.estimates import Estimate, Range
    from drretail.llm.prices import PriceTable

COLUMNS = ["calls", "input tokens", "output tokens", "dollars", "rests on"]


def show_estimates(
    title: str, what: Sequence[str], estimates: "Sequence[Estimate]", prices: "PriceTable", *, as_json: bool
) -> None:
    """All estimates with their sum, and what nobody knows. ``what`` names the first two columns."""
    from drretail.llm.estimates import together
    from drretail.llm.prices import unpriced

    total = together(estimates)
    if as_json:
        dated = {"prices_as_of": prices.as_of.isoformat()}
        print_json({**dated, "estimates": [_document(one) for one in estimates], "together": _document(total)})
        return
    rows = [*estimates, total] if len(estimates) > 1 else estimates
    print_table(title, [*what, *COLUMNS], [_row(one) for one in rows])
    if total.unpriced:
        say(unpriced(total.unpriced))
    say(f"Nothing was sent. Prices as of {prices.as_of.isoformat()}; your own in drretail.toml, [prices], come first.")


def _row(one: "Estimate") -> list[object]:
    cost = "unknown" if one.dollars is None else _told(one.dollars, money)
    count = f"{one.count:,} {one.unit}" if one.unit else one.count
    return [one.name, count, *(_told(part, _whole) for part in (one.calls, one.input, one.output)), cost, one.basis]


def _told(part: "Range", say_number: Any) -> str:
    low, high = say_number(part.low), say_number(part.high)
    return low if low == high else f"{low} – {high}"


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _document(one: "Estimate") -> dict[str, Any]:
    parts = {"calls": one.calls, "input": one.input, "output": one.output, "dollars": one.dollars}
    return {
        "name": one.name,
        "count": one.count,
        **({"unit": one.unit} if one.unit else {}),
        **{name: None if part is None else {"low": part.low, "high": part.high} for name, part in parts.items()},
        "basis": one.basis,
        "unpriced": list(one.unpriced),
    }
