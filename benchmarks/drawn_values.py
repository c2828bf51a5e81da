"""Values of simulated systems whose truth is known: by round, system and query, of users with several queries."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import beta

from drretail.querygen.reading import shipped_queries
from drretail.stats.intervals import Groups, numbered

Numbers = NDArray[np.float64]
Random = np.random.Generator


class Design(NamedTuple):
    """Queries by the number of their user."""

    name: str
    groups: Groups

    @classmethod
    def of(cls, queries: int, each: int = 1) -> "Design":
        return cls(f"{queries} × {each}", tuple(at // each for at in range(queries)))

    @property
    def users(self) -> int:
        return max(self.groups) + 1


FIFTY = Design("shipped 50", numbered(query.user_id for query in shipped_queries()))
ALIKE = 0.3
"""The share of a query in the variance of values, and of a user in what is left of it to each system."""
MEAN = 0.6
_GRID = np.linspace(-6, 6, 4001)


def latent(rng: Random, rounds: int, systems: int, design: Design) -> Numbers:
    """Normal values by round, system and query; those of one user and those of one query are alike."""
    users = rng.standard_normal((rounds, systems, design.users))[..., list(design.groups)]
    own = ALIKE**0.5 * users + (1 - ALIKE) ** 0.5 * rng.standard_normal(users.shape)
    return ALIKE**0.5 * rng.standard_normal((rounds, 1, len(design.groups))) + (1 - ALIKE) ** 0.5 * own


@cache
def _supported(mean: float) -> Numbers:
    """By normal value, the share of a report's claims that have full support; of the others two in five have half."""
    full = (mean - 0.2) / 0.8
    return np.clip(beta.ppf(ndtr(_GRID), 3 * full, 3 - 3 * full), 0, 1)


def claims(rng: Random, values: Numbers, mean: float) -> Numbers:
    """FP of reports of 1 to 6 claims: few halves and thirds, and many 1."""
    count = rng.integers(1, 7, values.shape)
    full = rng.binomial(count, np.interp(values, _GRID, _supported(mean)))
    return (full + rng.binomial(count - full, 0.4) / 2) / count


SHAPES: dict[str, Callable[[Random, Numbers, float], Numbers]] = {
    "normal": lambda _, values, mean: mean + 0.15 * values,
    "binary": lambda _, values, mean: (values < ndtri(mean)).astype(np.float64),
    "skewed": lambda _, values, mean: mean + 0.2 + 0.2 * np.log(ndtr(values)),  # an exponential tail downwards
    "like FP": claims,
}


def drawn(rng: Random, shape: str, design: Design, systems: int, rounds: int = 1, lead: float = 0.0) -> Numbers:
    """Values by round, system and query; the second system is ahead."""
    values = latent(rng, rounds, systems, design)
    each = [SHAPES[shape](rng, values[:, at], MEAN + lead * (at == 1)) for at in range(systems)]
    return np.stack(each, axis=1)
