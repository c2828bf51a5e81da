"""What work is likely to take before anything is sent: ranges, and what they rest on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from drretail.llm.prices import MILLION
from drretail.records.models import Price


@dataclass(frozen=True, slots=True)
class Range:
    """From ``low`` to ``high``, both possible."""

    low: float
    high: float

    @classmethod
    def around(cls, mean: float, deviation: float) -> "Range":
        return cls(max(0.0, mean - deviation), mean + deviation)

    def times(self, count: float) -> "Range":
        return Range(self.low * count, self.high * count)

    def plus(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What ``count`` pieces of work (runs, reports to judge) are likely to take together.

    ``dollars`` is None when the price of a model in ``unpriced`` is unknown.
    """

    name: str
    count: int
    calls: Range
    input: Range
    output: Range
    dollars: Range | None
    basis: str
    unpriced: tuple[str, ...] = ()
    unit: str = ""
    """What is counted, in the plural; empty where the table's heading says it."""


def dollars_of(read: Range, written: Range, prices: Sequence[Price]) -> Range | None:
    """What tokens cost when it is open which of the models reads and writes how many, none from a cache.

    None without a price.
    """
    if not prices:
        return None
    low = read.low * min(price.input for price in prices) + written.low * min(price.output for price in prices)
    high = read.high * max(price.input for price in prices) + written.high * max(price.output for price in prices)
    return Range(low / MILLION, high / MILLION)


def together(estimates: Iterable[Estimate], name: str = "together") -> Estimate:
    """The sum of several estimates; its dollars are unknown when those of one are."""
    parts = list(estimates)
    none = Range(0, 0)
    calls, read, written, money = none, none, none, none
    for part in parts:
        calls, read, written = calls.plus(part.calls), read.plus(part.input), written.plus(part.output)
        money = money.plus(part.dollars or none)
    unpriced = tuple(sorted({spec for part in parts for spec in part.unpriced}))
    known = all(part.dollars is not None for part in parts)
    count = sum(part.count for part in parts)
    units = " and ".join(dict.fromkeys(part.unit for part in parts))
    return Estimate(name, count, calls, read, written, money if known else None, "", unpriced, units)
