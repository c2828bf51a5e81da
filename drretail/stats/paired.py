"""Two systems on the same queries: what each query says of the difference.

Queries differ more from each other than systems do, so a difference is taken inside each query. Repeats of a query are
averaged first: they say nothing about other queries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum


@dataclass(frozen=True, slots=True)
class Pairs:
    """What two systems got on the queries that both have a value for."""

    queries: tuple[str, ...]
    a: tuple[float, ...]
    """The mean over A's repeats of each query, in the order of ``queries``."""
    b: tuple[float, ...]
    without_a: tuple[str, ...] = ()
    """Queries dropped because only B has a value."""
    without_b: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def differences(self) -> tuple[float, ...]:
        """A minus B by query, to ten digits: what is equal must not differ by the last bits of a sum."""
        return tuple(round(a - b, 10) for a, b in zip(self.a, self.b, strict=True))

    @property
    def means(self) -> tuple[float, float] | None:
        """A's and B's mean over these queries alone, so that they differ by the mean difference; None without any."""
        return (round(_mean(self.a), 10), round(_mean(self.b), 10)) if self.queries else None

    @property
    def dropped(self) -> int:
        """Queries that only one side has a value for."""
        return len(self.without_a) + len(self.without_b)


def pair(a: Mapping[str, Sequence[float]], b: Mapping[str, Sequence[float]]) -> Pairs:
    """The queries that both sides have values of, each with the mean of its repeats; the others are counted."""
    has_a = {query for query, values in a.items() if values}
    has_b = {query for query, values in b.items() if values}
    both = tuple(sorted(has_a & has_b))
    return Pairs(
        both,
        tuple(_mean(a[query]) for query in both),
        tuple(_mean(b[query]) for query in both),
        without_a=tuple(sorted(has_b - has_a)),
        without_b=tuple(sorted(has_a - has_b)),
    )


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
