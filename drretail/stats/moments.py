"""Pearson's r of sums over clusters, which can be drawn again for its interval."""

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

C = TypeVar("C", bound=Hashable)


def moments(pairs: Iterable[tuple[C, float, float]]) -> dict[C, list[float]]:
    """By cluster the sums of 1, x, y, x², y² and xy."""
    found: dict[C, list[float]] = {}
    for cluster, x, y in pairs:
        terms = (1, x, y, x * x, y * y, x * y)
        found[cluster] = [a + b for a, b in zip(found.get(cluster, [0.0] * 6), terms, strict=True)]
    return found


def correlation(sums: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """r of the sums in the last axis; nan where x or y never differ."""
    import numpy as np

    n, x, y, xx, yy, xy = (sums[..., at] for at in range(6))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))
