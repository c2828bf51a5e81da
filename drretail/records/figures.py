"""Numbers as text, one function for each kind, so that tables and sentences show the same digits."""

import re
from collections.abc import Callable, Mapping, Sequence

NOTHING = "–"
"""Shown if there is no value."""
_FINE = 0.001
"""Smaller p-values are shown as "<.001", which is as wide as "0.014"."""


def number(value: float | None) -> str:
    """A score, rating or statistic: "0.25", "7.40", "1,234.5". One decimal from 100 on; never "-0.00"."""
    if value is None:
        return NOTHING
    return f"{value:,.1f}" if abs(value) >= 100 else f"{round(value, 2) + 0.0:.2f}"


def signed(value: float | None) -> str:
    """A difference with its sign: "+0.25", "-1.50"; "0.00" if it rounds to zero."""
    shown = number(value)
    return shown if value is None or value < 0 or not shown.strip("0.") else f"+{shown}"


def percent(value: float | None) -> str:
    """A share in whole percents: "25%"."""
    return NOTHING if value is None else f"{100 * value:.0f}%"


def p_value(value: float | None) -> str:
    """A p-value: "0.014", "<.001"."""
    return NOTHING if value is None else "<.001" if value < _FINE else f"{value:.3f}"


def check_mark(value: object) -> str:
    """A boolean as "✓" or "✗"."""
    return NOTHING if value is None else "✓" if value else "✗"


def count(value: float | None) -> str:
    """A whole number: "1,234"."""
    return NOTHING if value is None else f"{value:,.0f}"


def roughly(value: float | None) -> str:
    """A whole number of which two digits are known: "87", "260", "1,100"."""
    return count(value if value is None or value < 100 else float(f"{value:.2g}"))


def first_few(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first names, and "…" if there are more: "a.csv, b.csv, …"."""
    return between.join([*names[:most], *(["…"] if len(names) > most else [])])


def counted(count: int, noun: str, many: str = "") -> str:
    """A number with its noun: "1 report", "2 reports", "3 queries", "4 matches". ``many`` is for irregular plurals."""
    if count == 1:
        return f"1 {noun}"
    ending = re.search(r"[^aeiou]y$|(?:s|x|ch|sh)$", noun)
    by_rule = f"{noun}s" if ending is None else f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es"
    return f"{count:,} {many or by_rule}"


def counted_each(counts: Mapping[str, int]) -> str:
    """Several numbers with their nouns, without zeros: "1 researcher, 2 page summaries"."""
    return ", ".join(counted(number, noun) for noun, number in counts.items() if number)


def mean(value: float | None) -> str:
    """A mean of counts, such as calls or words per run: "19.5", or from 100 on "137"."""
    return NOTHING if value is None else _mean(value, value)


def spread(value: float | None, deviation: float | None) -> str:
    """A mean of counts with its standard deviation, both with the same decimals: "19.5 ± 8.0"."""
    if value is None or deviation is None:
        return mean(value)
    return f"{mean(value)} ± {_mean(deviation, value)}"


def _mean(value: float, of: float) -> str:
    return f"{value:,.1f}" if abs(of) < 100 else f"{value:,.0f}"


def tenths(value: float | None) -> str:
    """A mean of counts with one decimal, even if it is large: "54.5"; a small one with two: "0.04"."""
    return NOTHING if value is None else f"{value:,.{2 if 0 < abs(value) < 0.1 else 1}f}"


def thousands(value: float | None) -> str:
    """Tokens in thousands: "62k" for 62,000, "4.7k" for 4,700."""
    if value is None:
        return NOTHING
    return f"{value / 1000:,.{0 if abs(value) >= 9950 else 1}f}k"


def dollars(value: float | None) -> str:
    """The cost of models: "12.34"; four decimals below a dollar, since one call costs little."""
    if value is None:
        return NOTHING
    return f"{value:,.2f}" if value >= 1 or not value else f"{value:.4f}"


def interval(low: float | None, high: float | None, form: Callable[[float | None], str] = number) -> str:
    """Both ends of an interval: ".68–.80", "-.12 to .30", "5.50–11.25".

    Leading zeros are left out if both ends are within ±1. ``form`` writes the numbers. Empty if an end is missing.
    """
    if low is None or high is None:
        return ""
    ends = form(low), form(high)
    return _joined(*(map(_end, ends) if max(abs(low), abs(high)) <= 1 else ends))


def short(value: float | None) -> str:
    """A share in few characters: ".68", "1.00"."""
    return _bare(number(value))


def percent_interval(low: float | None, high: float | None) -> str:
    """Both ends in whole percents, without percent signs: "25–60"."""
    return "" if low is None or high is None else _joined(f"{100 * low:.0f}", f"{100 * high:.0f}")


def _joined(low: str, high: str) -> str:
    """The ends joined by a dash, or by "to" behind a minus sign, where a dash would look like another."""
    return f"{low} to {high}" if low.startswith("-") else f"{low}–{high}"


def _end(shown: str) -> str:
    if shown.lstrip("-") in ("1.00", "0.00", "0.0"):
        return shown.partition(".")[0]
    return _bare(shown)


def _bare(shown: str) -> str:
    """Without a leading zero: "-.12"."""
    return re.sub(r"^(-?)0\.", r"\1.", shown)
