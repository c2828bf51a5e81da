"""Estimates of what work is likely to take, made before anything is sent: ranges, and what they are based on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drretail.llm.usage import CHARACTERS_PER_TOKEN, MILLION, PriceTable, dated, unpriced
from drretail.records.models import Price
from drretail.records.tables.figures import count as as_count
from drretail.records.tables.figures import dollars as as_dollars
from drretail.records.tables.result import Result
from drretail.records.tables.table import table_of

COLUMNS = ("calls", "input tokens", "output tokens", "dollars")


@dataclass(frozen=True, slots=True)
class Range:
    """A likely range, from ``low`` to ``high``."""

    low: float
    high: float
    most: float | None = None
    """The highest value that limits allow; None = unlimited."""

    @classmethod
    def around(cls, mean: float, deviation: float) -> "Range":
        return cls(max(0.0, mean - deviation), mean + deviation)

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    def times(self, count: float) -> "Range":
        return Range(self.low * count, self.high * count, None if self.most is None else self.most * count)

    def __add__(self, other: "Range") -> "Range":
        most = None if self.most is None or other.most is None else self.most + other.most
        return Range(self.low + other.low, self.high + other.high, most)

    def at_most(self, most: float | None) -> "Range":
        """The range cut off at ``most``; unchanged if ``most`` is None."""
        return self if most is None else Range(min(self.low, most), min(self.high, most), most)

    def words(self, figure: Callable[[float], str]) -> str:
        """The range such as "typically 3–10 (at most 14)", without the bound if there is none."""
        low, high = figure(self.low), figure(self.high)
        likely = low if low == high else f"{low}–{high}"
        return likely if self.most is None else f"typically {likely} (at most {figure(self.most)})"

    @property
    def document(self) -> dict[str, float]:
        ends = {"low": self.low, "high": self.high}
        return ends if self.most is None else ends | {"most": self.most}


AS_COUNTED = Range(0.8, 1.4)
"""Real tokens per estimated token of four characters: prose has fewer, ids and JSON more; tokenizers differ by a third.
"""

AS_WRITTEN = Range(0.5, 1.6)
"""Tokens of a real answer per token of a stand-in's: models find more or fewer claims, with more or fewer figures."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What ``count`` pieces of work (runs, reports to judge) are likely to take together.

    ``dollars`` is None when the price of a model in ``unpriced`` is unknown.
    """

    name: str
    """The system, or the metric."""
    count: int
    """Pieces of work that are left."""
    calls: Range | None
    """Calls of models; None for an agent that asks its own, of which nothing is known."""
    input: Range | None
    """Tokens that models read."""
    output: Range | None
    """Tokens that models write."""
    dollars: Range | None
    """None if a price is unknown."""
    basis: str
    """What the estimate rests on, in a few words."""
    unpriced: tuple[str, ...] = ()
    """Models without a known price."""
    unit: str = ""
    """What is counted, in the plural; empty if the table's heading says it."""

    @property
    def cells(self) -> list[object]:
        """The name, what is counted, and the ranges in words; "unknown" for those that are."""
        tokens = (self.calls, self.input, self.output)
        ranges = [*((part, as_count) for part in tokens), (self.dollars, as_dollars)]
        words = ("unknown" if part is None else part.words(figure) for part, figure in ranges)
        return [self.name, f"{self.count:,} {self.unit}" if self.unit else self.count, *words]

    @property
    def document(self) -> dict[str, Any]:
        """The estimate for ``--json``; ``null`` means unknown."""
        ranges = {"calls": self.calls, "input": self.input, "output": self.output, "dollars": self.dollars}
        return {
            "name": self.name,
            "count": self.count,
            **({"unit": self.unit} if self.unit else {}),
            **{name: part and part.document for name, part in ranges.items()},
            "basis": self.basis,
            "unpriced": list(self.unpriced),
        }


@dataclass(frozen=True, slots=True)
class Estimates:
    """What a command is likely to take, in parts. Iterating gives the parts."""

    title: str
    parts: Sequence[Estimate]
    prices: PriceTable
    what: tuple[str, str] = ("what", "to judge")
    """The headings of each part's name and count."""
    notes: Sequence[str] = ()
    """Sentences on what the numbers leave out."""

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.parts)

    def result(self) -> Result["Estimates"]:
        """All estimates with their sum, then the unknown prices and what the numbers leave out."""
        total, as_of = together(self.parts), self.prices.as_of
        document: Mapping[str, Any] = {
            "prices_as_of": as_of.isoformat(),
            "estimates": [part.document for part in self.parts],
            "together": total.document,
        }
        rows = [part.cells for part in ([*self.parts, total] if len(self.parts) > 1 else self.parts)]
        names: dict[str, list[str]] = {}
        for part in self.parts:
            names.setdefault(part.basis, []).append(part.name)
        bases = [
            f"{', '.join(whose)}: rests on {basis}." if len(names) > 1 else f"Rests on {basis}."
            for basis, whose in names.items()
            if basis
        ]
        table = table_of(self.title, [*self.what, *COLUMNS], rows, notes=bases)
        unknown = [unpriced(total.unpriced)] if total.unpriced else []
        notes = [*unknown, f"Nothing was sent. {dated(as_of)}", *self.notes]
        return Result(self, document, [table.filled], notes=notes)


def estimate_by_length(
    name: str, characters: Sequence[int], answer: Range, spec: str, price: Price | None, *, basis: str, unit: str
) -> Estimate:
    """What questions to one model are likely to take: one per length in ``characters``, each ``answer`` tokens."""
    count, tokens = len(characters), sum(characters) / CHARACTERS_PER_TOKEN
    read, written = AS_COUNTED.times(tokens), answer.times(count)
    return Estimate(
        name,
        count,
        Range(count, count * 1.2),
        read,
        written,
        dollars_of(read, written, [] if price is None else [price]),
        basis,
        () if price is not None else (spec,),
        unit,
    )


def dollars_of(read: Range, written: Range, prices: Sequence[Price]) -> Range | None:
    """The likely cost of tokens if it is open which model reads and writes how many; none are read from a cache.

    None without a price.
    """
    if not prices:
        return None
    low = read.low * min(price.input for price in prices) + written.low * min(price.output for price in prices)
    high = read.high * max(price.input for price in prices) + written.high * max(price.output for price in prices)
    return Range(low / MILLION, high / MILLION)


def together(estimates: Iterable[Estimate], name: str = "together") -> Estimate:
    """The sum of several estimates. What is unknown of any part is unknown of the sum."""
    parts = list(estimates)

    def total(ranges: list[Range | None]) -> Range | None:
        known = [part for part in ranges if part is not None]
        return sum(known, Range(0, 0, 0)) if len(known) == len(ranges) else None

    calls, read, written, money = (
        total([getattr(part, of) for part in parts]) for of in ("calls", "input", "output", "dollars")
    )
    unpriced = tuple(sorted({spec for part in parts for spec in part.unpriced}))
    count = sum(part.count for part in parts)
    units = " and ".join(dict.fromkeys(part.unit for part in parts))
    return Estimate(name, count, calls, read, written, money, "", unpriced, units)
