"""How labels are shared out among strata: in proportion to their sizes, with a floor."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

Stratum = TypeVar("Stratum", bound=Hashable)

FLOOR = 3
"""Labels that each stratum has before size counts. With 1, a small stratum's interval is 0 to 1 almost; more than 3
takes labels from the large strata, in which a lenient judge's errors are (``benchmarks/ppi.py --floor``)."""


def next_stratum(sizes: Mapping[Stratum, int], drawn: Mapping[Stratum, int], floor: int = FLOOR) -> Stratum | None:
    """The stratum that the next label is drawn from; None where all items of ``sizes`` are drawn.

    Drawn one after the other, every prefix of a sample is shared out like the whole, so people may stop early, and a
    larger sample begins with the smaller one.
    """
    left = [stratum for stratum, size in sizes.items() if drawn.get(stratum, 0) < size]
    below = [stratum for stratum in left if drawn.get(stratum, 0) < floor]
    if below:
        return max(below, key=lambda stratum: (-drawn.get(stratum, 0), sizes[stratum]))
    # Sainte-Laguë: of all ways to share out whole labels this one is nearest to the proportions.
    return max(left, key=lambda stratum: sizes[stratum] / (drawn.get(stratum, 0) + 0.5), default=None)
