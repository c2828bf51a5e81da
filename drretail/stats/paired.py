"""Two systems on the same queries: what each query says of the difference.

Queries differ more from each other than systems do, so a difference is taken inside each query. Repeats of a query are
averaged first: they say nothing about other queries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Pairs:
    """What two systems got on the queries that both have a value for."""

    queries: tuple[str, ...]
    a: tuple[float, ...]
    """The mean over A's repeats of each query, in the order of ``queries``."""
    b: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def differences(self) -> tuple[float, ...]:
        """A minus B by query, to ten digits: what is equal must not differ by the last bits of a sum."""
        return tuple(round(a - b, 10) for a, b in zip(self.a, self.b, strict=True))

    @property
    def means(self) -> tuple[float, float] | None:
        """A's and B's mean over these queries alone, so that they differ by the mean difference; None without any."""
        return (round(fmean(self.a), 10), round(fmean(self.b), 10)) if self.queries else None


def pair(a: Mapping[str, Sequence[float]], b: Mapping[str, Sequence[float]]) -> Pairs:
    """The queries that both sides have values of, each with the mean of its repeats."""
    both = tuple(sorted(query for query in a.keys() & b.keys() if a[query] and b[query]))
    return Pairs(both, tuple(fmean(a[query]) for query in both), tuple(fmean(b[query]) for query in both))
