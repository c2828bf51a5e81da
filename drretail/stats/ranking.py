"""Strengths of many competitors from comparisons of two at a time, after Bradley and Terry.

P(i beats j) = e^b_i / (e^b_i + e^b_j), a tie counting as half a win each, strengths summing to 0. numpy is imported
inside, so that the command line starts without it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drretail.records.base import sha256_of
from drretail.stats.clusters import Clusters, draws
from drretail.stats.intervals import Interval, percentile_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RIDGE = 0.01
"""Weight of the penalty on half the squared strengths. Without one, who wins every time is infinitely strong. Beside 50
comparisons of which six in ten are won, it moves a strength by less than a thousandth."""
RESAMPLES = 1_000
NEVER_COMPARED = "never compared"
APART = "not connected with the others by comparisons"
_CLOSE = 1e-10
_STEPS = 200
_LONGEST_STEP = 2.0


@dataclass(frozen=True, slots=True)
class Contest:
    """What one query says of two competitors: ``share`` of it went to the first, 0 to 1, a tie being 0.5."""

    query_id: str
    first: str
    second: str
    share: float


@dataclass(frozen=True, slots=True)
class Strength:
    """A competitor's strength with its interval over users; without a value where ``lacks`` says why."""

    interval: Interval
    lacks: str | None = None


def strengths(
    names: Sequence[str], contests: Sequence[Contest], seed: str, clusters: Clusters | None = None
) -> dict[str, Strength]:
    """Every competitor's strength; intervals draw users again, with all contests of their queries.

    Strengths tell competitors apart only where contests connect them, over others if need be. The largest group that
    is so connected is ranked; where there are two of one size, nobody is. Draws that tear the group apart are left out.
    """
    against: dict[str, set[str]] = {name: set() for name in names}
    for contest in contests:
        against[contest.first].add(contest.second)
        against[contest.second].add(contest.first)
    ranked = _largest_group(against)
    among = [contest for contest in contests if contest.first in ranked]
    made = _ranked(ranked, among, seed, clusters or Clusters()) if ranked else {}
    lacks = {name: None if name in made else APART if against[name] else NEVER_COMPARED for name in names}
    return {name: Strength(made.get(name, Interval(None)), lacks[name]) for name in names}


def fit(wins: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """The strengths that make these wins likeliest, less the penalty: ``wins[…, i, j]`` is how often i beat j.

    Newton's method on all tables at once; the penalised likelihood has one maximum, which lies where strengths sum
    to 0.
    """
    import numpy as np

    size = wins.shape[-1]
    met = wins + wins.swapaxes(-1, -2)
    found = np.zeros(wins.shape[:-1])
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(found[..., None, :] - found[..., :, None]))
        slope = (wins - met * expected).sum(axis=-1) - RIDGE * found
        bend = met * expected * (1 - expected)
        curve = np.eye(size) * (bend.sum(axis=-1) + RIDGE)[..., None] - bend * (1 - np.eye(size))
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, keepdims=True)
        found = found + step * np.minimum(1, _LONGEST_STEP / np.maximum(longest, _CLOSE))
        if longest.max() < _CLOSE:
            break
    return found - found.mean(axis=-1, keepdims=True)


def _largest_group(against: dict[str, set[str]]) -> list[str]:
    """The names of the one largest group of competitors that are connected; none where several are as large."""
    groups: list[set[str]] = []
    for name in against:
        if any(name in group for group in groups):
            continue
        group, waiting = {name}, [name]
        while waiting:
            new = against[waiting.pop()] - group
            group |= new
            waiting += new
        groups.append(group)
    longest = max((len(group) for group in groups), default=0)
    largest = [group for group in groups if len(group) == longest]
    return sorted(largest[0]) if longest > 1 and len(largest) == 1 else []


def _ranked(names: Sequence[str], contests: Sequence[Contest], seed: str, clusters: Clusters) -> dict[str, Interval]:
    import numpy as np

    tables = _tables(names, contests)
    groups = clusters.groups(sorted({contest.query_id for contest in contests}))
    rng = np.random.default_rng(int(sha256_of(f"orders|{seed}")[:16], 16))
    drawn = np.concatenate([_strengths_in(tables, often, rng) for often in draws(groups, seed, RESAMPLES)])
    values = fit(tables.sum(axis=0))
    return {
        name: percentile_interval(float(value), ends, max(groups) + 1)
        for name, value, ends in zip(names, values, drawn.T, strict=True)
    }


def _tables(names: Sequence[str], contests: Sequence[Contest]) -> "NDArray[np.float64]":
    """Wins of row over column, a table for each query."""
    import numpy as np

    by_query: dict[str, list[Contest]] = defaultdict(list)
    for contest in contests:
        by_query[contest.query_id].append(contest)
    place = {name: index for index, name in enumerate(names)}
    tables = np.zeros((len(by_query), len(names), len(names)))
    for table, query_id in zip(tables, sorted(by_query), strict=True):
        for contest in by_query[query_id]:
            i, j = place[contest.first], place[contest.second]
            table[i, j] += contest.share
            table[j, i] += 1 - contest.share
    return tables


def _strengths_in(
    tables: "NDArray[np.float64]", often: "NDArray[np.float64]", rng: "np.random.Generator"
) -> "NDArray[np.float64]":
    """Strengths in every draw that leaves all connected, draws by names.

    What was no clean win, such as a winner that changed with the order, is drawn again too: as wins and losses with
    that share, whose sum is near normal. Otherwise a judge that always flips would leave intervals without width.
    """
    import numpy as np

    queries, size, _ = tables.shape
    met = often @ (tables + tables.swapaxes(1, 2)).reshape(queries, -1)
    spread = np.sqrt(often @ (tables * tables.swapaxes(1, 2)).reshape(queries, -1)).reshape(-1, size, size)
    noise = np.triu(rng.standard_normal(spread.shape) * spread)
    wins = (often @ tables.reshape(queries, -1)).reshape(-1, size, size) + noise - noise.swapaxes(1, 2)
    wins = np.clip(wins, 0, met.reshape(wins.shape))
    reached = (wins + wins.swapaxes(1, 2) + np.eye(size)) > 0
    for _ in range(size.bit_length()):
        reached = (reached.astype(np.float64) @ reached.astype(np.float64)) > 0
    whole = wins[reached.all(axis=(1, 2))]
    return fit(whole) if len(whole) else whole[..., 0]
