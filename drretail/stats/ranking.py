"""Strengths of many competitors from paired comparisons (Bradley and Terry); win rates between reports of one length.

P(i beats j) = e^b_i / (e^b_i + e^b_j). A tie counts as half a win for each, and strengths sum to 0. Intervals are
Student's over users, by linearisation: how much each query moves a fitted number. numpy is imported inside functions,
so that the command line starts without it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from statistics import pstdev

from drretail.stats.intervals import Clusters, Groups, Interval, student_interval

RIDGE = 0.01
"""Weight of the penalty on half the squared strengths. Without it, a competitor that wins every time is infinitely
strong. With 50 comparisons of which six in ten are won, it moves a strength by less than a thousandth.
"""
NEVER_COMPARED = "never compared"
FEWEST_CONTESTS = 20
"""With fewer comparisons strengths have no interval: nearly equal results would make it narrow by chance."""
FEW = f"fewer than {FEWEST_CONTESTS} comparisons, so no interval"
APART = "not connected with the others by comparisons"
_CLOSE = 1e-10
_STEPS = 200
# Newton's steps overshoot if nearly all results are alike.
_LONGEST_STEP = 2.0


@dataclass(frozen=True, slots=True)
class Contest:
    """One query's result for two competitors: ``share`` is the first one's part of the win, 0 to 1; a tie is 0.5."""

    query_id: str
    first: str
    second: str
    share: float


@dataclass(frozen=True, slots=True)
class Strength:
    """A competitor's strength with its interval over users; without one of them, ``lacks`` says why."""

    interval: Interval
    lacks: str | None = None


def strengths(
    names: Sequence[str], contests: Sequence[Contest], clusters: Clusters | None = None
) -> dict[str, Strength]:
    """Every competitor's strength with its interval over users, with all contests of their queries.

    Strengths can be compared only between competitors that contests connect, directly or through others. The largest
    connected group is ranked; if two are equally large, nobody is.
    """
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    place = {name: index for index, name in enumerate(names)}
    met = np.zeros((len(names), len(names)))
    for contest in contests:
        met[place[contest.first], place[contest.second]] += 1
    count, group_of = connected_components(met, directed=False)
    groups = [[name for name, group in zip(names, group_of, strict=True) if group == at] for at in range(count)]
    longest = max((len(group) for group in groups), default=0)
    largest = [group for group in groups if len(group) == longest]
    ranked = sorted(largest[0]) if longest > 1 and len(largest) == 1 else []
    among = [contest for contest in contests if contest.first in ranked]
    intervals = _ranked(ranked, among, clusters or Clusters()) if ranked else {}
    if is_few := len(among) < FEWEST_CONTESTS:
        intervals = {name: Interval(interval.value, lacks="few") for name, interval in intervals.items()}
    has_met = (met.sum(axis=0) + met.sum(axis=1)).tolist()
    lacks = {
        name: FEW * is_few or None if name in intervals else APART if has_met[place[name]] else NEVER_COMPARED
        for name in names
    }
    return {name: Strength(intervals.get(name, Interval(None)), lacks[name]) for name in names}


def _ranked(names: Sequence[str], contests: Sequence[Contest], clusters: Clusters) -> dict[str, Interval]:
    """The strengths with the highest penalised likelihood, by Newton's method; there is one maximum."""
    import numpy as np

    queries = sorted({contest.query_id for contest in contests})
    table_of = {query_id: index for index, query_id in enumerate(queries)}
    place = {name: index for index, name in enumerate(names)}
    # Wins of row over column, one table per query.
    tables = np.zeros((len(queries), len(names), len(names)))
    for contest in contests:
        table, i, j = tables[table_of[contest.query_id]], place[contest.first], place[contest.second]
        table[i, j] += contest.share
        table[j, i] += 1 - contest.share
    wins = tables.sum(axis=0)
    met, strength, curve, expected = wins + wins.T, np.zeros(len(names)), np.eye(len(names)), wins
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        bend = met * expected * (1 - expected)
        curve = np.diag(bend.sum(axis=1) + RIDGE) - bend
        step = np.linalg.solve(curve, (wins - met * expected).sum(axis=1) - RIDGE * strength)
        longest = float(np.abs(step).max())
        strength = strength + step * min(1.0, _LONGEST_STEP / max(longest, _CLOSE))
        if longest < _CLOSE:
            break
    moved = (tables - (tables + tables.swapaxes(1, 2)) * expected).sum(axis=2) @ np.linalg.inv(curve)
    # The ridge holds the rest of what moves them.
    moved -= moved.mean(axis=0)
    groups, centred = clusters.groups(queries), strength - strength.mean()
    return {name: student_interval(float(centred[at]), moved[:, at].tolist(), groups) for name, at in place.items()}


FEWEST_PAIRS = 10
"""With fewer comparisons nothing is fitted."""
ONE_SIDED = 0.9
"""If one system's report is the longer one this often, the effects of length and system can't be separated."""


def length_controlled(results: Sequence[float], differences: Sequence[float], groups: Groups | None = None) -> Interval:
    """The first system's win rate between reports of one length, with its interval; no value if it can't be estimated.

    Judges like long answers. One logistic regression of the results on the difference in length measures by how much;
    its win rate at a difference of 0 is free of that preference (Dubois et al. 2024, "Length-Controlled AlpacaEval").

    ``results`` are 1 for a win of the first, 0.5 for a tie, 0 for a loss, of pairs that were read. ``differences`` are
    its words minus the other's. ``groups`` are the clusters of the comparisons; without them each is its own.
    """
    import numpy as np

    count = len(results)
    longer = sum(difference > 0 for difference in differences)
    shorter = sum(difference < 0 for difference in differences)
    if count < FEWEST_PAIRS or max(longer, shorter) >= ONE_SIDED * (longer + shorter):
        return Interval(None)
    lengths = np.tanh(np.array(differences, dtype=np.float64) / pstdev(differences))
    columns = np.stack([np.ones(count), lengths], axis=1)
    won, fitted, curve = np.array(results, dtype=np.float64), np.zeros(2), np.eye(2)
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-columns @ fitted))
        curve = (columns * (expected * (1 - expected))[:, None]).T @ columns + RIDGE * np.eye(2)
        step = np.linalg.solve(curve, columns.T @ (won - expected) - RIDGE * fitted)
        fitted = fitted + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < _CLOSE:
            break
    expected = 1 / (1 + np.exp(-columns @ fitted))
    moved = (columns * (won - expected)[:, None]) @ np.linalg.inv(curve)[0]
    of_lead = (moved - moved.mean()).tolist()
    lead = student_interval(float(fitted[0]), of_lead, tuple(range(count)) if groups is None else groups)
    value, low, high = (
        None if end is None else round(1 / (1 + exp(-end)), 10) for end in (lead.value, lead.low, lead.high)
    )
    return Interval(value, low, high, lead.lacks)
