"""A gate: a one-sided test that one system is below another, and what it catches, by simulation.

An unchanged agent fails in at most ``alpha`` of comparisons, since flipping the signs of users is exact. What is caught
depends on how much answers differ from run to run, which is taken from the differences that are seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from drretail.records.base import sha256_of
from drretail.stats.clusters import Groups
from drretail.stats.significance import POWER, below_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DRAWS = 1000
_MOST_USERS = 5000
"""As far as the number of users is looked for that a gate needs."""


@dataclass(frozen=True)
class Gate:
    """The test of these differences at level ``alpha``."""

    differences: Sequence[float]
    groups: Groups
    alpha: float
    is_share: bool = True
    """True if values are 0 to 1. A drop then takes all of some questions, the hardest to see; else a part of each."""
    most: float = 1.0
    """For shares: the largest drop that is possible, which is the mean before."""

    @cached_property
    def p(self) -> float | None:
        return below_test(self.differences, self.groups)

    @property
    def fails(self) -> bool:
        return self.p is not None and self.p <= self.alpha

    @property
    def users(self) -> int:
        return max(self.groups, default=-1) + 1

    def catches(self, drop: float, users: int | None = None) -> float:
        """The share of comparisons in which a true drop of the mean fails, with so many users like these.

        Users are drawn from those seen, with random signs, as if nothing had changed; then the drop is taken off.
        """
        import numpy as np
        from scipy.special import ndtri

        rng = np.random.default_rng(int(sha256_of(f"gate|{users}")[:16], 16))
        seen, is_there = self._by_user
        chosen = rng.integers(0, self.users, (_DRAWS, users or self.users))
        values = seen[chosen] * rng.choice([-1.0, 1.0], chosen.shape)[..., None]
        if self.is_share:  # nothing falls below 0, so a question that fails already can't fail anew
            room = np.where(is_there[chosen], np.clip(values + 1, 0, 1), 0)
            share = drop * is_there[chosen].sum() / max(room.sum(), 1e-9)
            values = values - room * (rng.random(values.shape) < share)
        else:
            values = values - drop
        sums = np.where(is_there[chosen], values, 0).sum(axis=2)
        # The flip test's normal approximation, with a continuity correction: sums move in steps of the least of them.
        sizes = np.where(np.abs(sums) > 1e-9, np.abs(sums), np.inf)
        spread = np.sqrt((sums**2).sum(axis=1))
        reached = -sums.sum(axis=1) - np.where(spread > 0, sizes.min(axis=1), 0)
        return float((reached > -ndtri(self.alpha) * np.maximum(spread, 1e-9)).mean())

    @cached_property
    def detectable(self) -> float | None:
        """The least drop, in steps of .01, that is caught in 80 % of comparisons; None if no possible one is."""
        at = _first(lambda step: self.catches(step / 100) >= POWER, max(1, int(100 * self.most + 1e-9)))
        return None if at is None else at / 100

    def users_needed(self, drop: float) -> int | None:
        """About how many users like these catch the drop in 80 % of comparisons; None for more than a few thousand."""
        return _first(lambda users: self.catches(drop, users) >= POWER, _MOST_USERS)

    @property
    def _by_user(self) -> "tuple[NDArray[np.float64], NDArray[np.bool_]]":
        """Users x their questions, filled up with zeros, and which of them are questions."""
        import numpy as np

        lists = [[] for _ in range(self.users)] if self.users else [[0.0]]
        for difference, group in zip(self.differences, self.groups, strict=True):
            lists[group].append(difference)
        width = max(map(len, lists))
        values = np.array([[*each, *[0.0] * (width - len(each))] for each in lists])
        return values, np.array([[at < len(each) for at in range(width)] for each in lists])


def _first(holds: Callable[[int], bool], most: int) -> int | None:
    """The least number from 1 for which something holds that then holds for all higher ones; None up to ``most``."""
    low, high = 0, 1
    while not holds(high):
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > max(1, low // 20):  # to 5 %, which a simulation doesn't tell apart
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
