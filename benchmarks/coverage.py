"""How often 95% intervals over users hold the truth, and how often equal systems are told apart, by simulation.

    PYTHONPATH=. python benchmarks/coverage.py [--samples 1000] [--json FILE]

The first table: one query of each of 8, 20 and 50 users, then 7 users with 3 queries each, 10 with 5, and 20 with 3, of
whose variance users have a share of .1, .3 or .5. Beside each: how often the interval that takes every query for a
cluster of its own holds it. Of methods that were tried, the second table has the others. The third: six equal systems,
five headlines, all pairs; and how often a true difference of one standard deviation is concluded.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from figures import keep, parser_of
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr
from scipy.stats import beta

from drretail.stats.intervals import (
    Clusters,
    Groups,
    Interval,
    Ratio,
    draws,
    estimate,
    mean_interval,
    percentile_interval,
    ratio_interval,
    share_interval,
)
from drretail.stats.ranking import Contest, length_controlled, strengths
from drretail.stats.significance import LEVEL, flip_test, holm, power

Numbers = NDArray[np.float64]
WANTED = 0.93
DRAWN_SAMPLES = 150
"""Of what is drawn again and fitted each time."""


class Design(NamedTuple):
    """So many users with so many queries each, of whose variance users have this share."""

    users: int
    each: int
    share: float

    @property
    def groups(self) -> Groups:
        return tuple(np.repeat(np.arange(self.users), self.each).tolist())

    def __str__(self) -> str:
        return f"{self.users}" if self.each == 1 else f"{self.users}×{self.each} {self.share:.1f}".replace("0.", ".")


DESIGNS = [Design(users, 1, 0.0) for users in (8, 20, 50)] + [
    Design(users, each, share) for users, each in ((7, 3), (10, 5), (20, 3)) for share in (0.1, 0.3, 0.5)
]
Draw = Callable[[np.random.Generator, int, Design], Numbers]
"""Samples by queries, and behind these whatever a value is made of."""
_GRID = np.linspace(-6, 6, 4001)


def latent(rng: np.random.Generator, samples: int, design: Design) -> Numbers:
    """Normal values of queries, those of one user alike."""
    users = np.repeat(rng.standard_normal((samples, design.users)), design.each, axis=1)
    return design.share**0.5 * users + (1 - design.share) ** 0.5 * rng.standard_normal(users.shape)


def claims(better: float, worse: float) -> Draw:
    """A report's mean over its 5 to 20 claims, each borne out, half borne out or not."""

    def draw(rng: np.random.Generator, samples: int, design: Design) -> Numbers:
        quality = np.interp(latent(rng, samples, design), _GRID, beta.ppf(ndtr(_GRID), better, worse))
        count = rng.integers(5, 21, quality.shape)
        full = rng.binomial(count, np.clip(quality, 0, 1))
        return (full + rng.binomial(count - full, 0.5) / 2) / count

    return draw


def whole(share: float) -> Draw:
    """Reports of which this share are right altogether, as clean ones."""
    return lambda rng, samples, design: (latent(rng, samples, design) < ndtri(share)).astype(np.float64)


def repeated(share: float) -> Draw:
    """The same of three runs of each query."""

    def draw(rng: np.random.Generator, samples: int, design: Design) -> Numbers:
        chance = np.interp(latent(rng, samples, design), _GRID, beta.ppf(ndtr(_GRID), 4 * share, 4 * (1 - share)))
        return rng.binomial(3, np.clip(chance, 0, 1)) / 3

    return draw


def ratings(rng: np.random.Generator, samples: int, design: Design) -> Numbers:
    return np.clip(np.round(7 + 1.3 * latent(rng, samples, design)), 0, 10)


def wins(flips: float) -> Draw:
    """A judge that says in a share of pairs whatever stands first, and else prefers the first system in 6 of 10."""

    def draw(rng: np.random.Generator, samples: int, design: Design) -> Numbers:
        prefers = whole(0.6)(rng, samples, design)
        return np.where(rng.random(prefers.shape) < flips, 0.5, prefers)

    return draw


def pooled(rng: np.random.Generator, samples: int, design: Design) -> Numbers:
    """Supported claims and all claims of each report."""
    quality = np.interp(latent(rng, samples, design), _GRID, beta.ppf(ndtr(_GRID), 6, 1.5))
    count = rng.integers(5, 21, quality.shape)
    return np.stack([rng.binomial(count, np.clip(quality, 0, 1)), count], axis=-1).astype(np.float64)


def minus(one: Draw, other: Draw) -> Draw:
    return lambda rng, samples, design: one(rng, samples, design) - other(rng, samples, design)


Make = Callable[[Numbers, Groups], Interval]


class Simulated(NamedTuple):
    draw: Draw
    interval: Make
    truth: Callable[[Numbers], float] = lambda drawn: float(drawn.mean())


def _share(values: Numbers, groups: Groups) -> Interval:
    return share_interval(values.tolist(), groups)


def _whole_share(values: Numbers, groups: Groups) -> Interval:
    return share_interval(values.tolist(), groups, is_whole=True)


def _mean(values: Numbers, groups: Groups) -> Interval:
    return mean_interval(values.tolist(), groups)


def _pooled(values: Numbers, groups: Groups) -> Interval:
    return ratio_interval([Ratio(values[:, 0].tolist(), values[:, 1].tolist())], groups, is_share=True)


SIMULATED = {
    "faithfulness, mean .83": Simulated(claims(6, 1.5), _share),
    "faithfulness, mean .97": Simulated(claims(12, 0.6), _share),
    "claims of all reports as one pool": Simulated(
        pooled, _pooled, lambda drawn: float(drawn[..., 0].sum() / drawn[..., 1].sum())
    ),
    "clean, .5 of reports": Simulated(whole(0.5), _share),
    "clean, .8": Simulated(whole(0.8), _share),
    "clean, .95": Simulated(whole(0.95), _share),
    "clean, .8, three runs each": Simulated(repeated(0.8), _share),
    "clean, .95, three runs each": Simulated(repeated(0.95), _share),
    "wins, .2 flips": Simulated(wins(0.2), _whole_share),
    "wins, .8 flips": Simulated(wins(0.8), _whole_share),
    "ratings": Simulated(ratings, _mean),
    "difference in faithfulness": Simulated(minus(claims(6, 1.5), claims(5, 1.5)), _mean),
    "difference in clean, .8 and .6": Simulated(minus(whole(0.8), whole(0.6)), _mean),
    "difference in clean, .95 and .9": Simulated(minus(whole(0.95), whole(0.9)), _mean),
    "difference in ratings": Simulated(minus(ratings, ratings), _mean),
}


def coverage(its: Simulated, design: Design, samples: int, make: Make | None = None) -> tuple[float, float]:
    """How often the interval holds the truth where there is one, and so if every query were a cluster of its own."""
    truth = its.truth(its.draw(np.random.default_rng(3), 2000, Design(200, 1, 0.0)))
    drawn = its.draw(np.random.default_rng([17, design.users, design.each, round(10 * design.share)]), samples, design)
    alone = tuple(range(len(design.groups)))
    held: list[float] = []
    for groups in (design.groups, alone):
        found = [(make or its.interval)(sample, groups) for sample in drawn]
        ends = [(item.low, item.high) for item in found if item.low is not None and item.high is not None]
        held.append(sum(low <= truth <= high for low, high in ends) / len(ends))
    return held[0], held[1]


def _expanded_percentiles(values: Numbers, groups: Groups) -> Interval:
    drawn = np.concatenate([often @ values / often.sum(axis=1) for often in draws(groups, "42", 1000)])
    return percentile_interval(float(values.mean()), drawn, max(groups) + 1)


def _students_bootstrap(values: Numbers, groups: Groups) -> Interval:
    """Draws of users, each with its own error."""
    sums = np.bincount(groups, values)
    sizes = np.bincount(groups).astype(np.float64)
    mean, clusters = float(values.mean()), len(sums)
    scores: list[Numbers] = []
    for often in draws(tuple(range(clusters)), "42", 1000):
        count = often @ sizes
        centre = often @ sums / count
        apart = sums - np.outer(centre, sizes)
        errors = np.sqrt((often * apart**2).sum(axis=1) * clusters / (clusters - 1)) / count
        with np.errstate(divide="ignore", invalid="ignore"):
            scores.append((centre - mean) / errors)
    seen = estimate(values.tolist(), groups)
    known = np.concatenate(scores)
    known = known[np.isfinite(known)]
    if seen is None or not seen.error or not len(known):
        return Interval(mean, lacks="alike")
    low, high = np.percentile(known, [2.5, 97.5])
    return Interval(mean, mean - float(high) * seen.error, mean - float(low) * seen.error)


METHODS: dict[str, Make] = {
    "ours for shares": _share,
    "Student's t, CR2": _mean,
    "expanded percentiles": _expanded_percentiles,
    "bootstrap-t": _students_bootstrap,
}
"""For the same values, a method each."""


def fitted_coverage(design: Design, samples: int) -> dict[str, float]:
    """Of Bradley and Terry's strengths of three systems, and of the win rate between reports of one length."""
    rng = np.random.default_rng(5)
    lead, names = (0.6, 0.0, -0.6), ("a", "b", "c")
    clusters = Clusters({f"q{at:03}": str(user) for at, user in enumerate(design.groups)})
    held = {"strengths": [], "rate at equal length": []}
    pairs = list(combinations(range(3), 2))
    chance = {(i, j): 1 / (1 + np.exp(lead[j] - lead[i])) for i, j in pairs}
    for _ in range(samples):
        contests: list[Contest] = []
        for i, j in pairs:
            won = latent(rng, 1, design)[0] < ndtri(chance[i, j])
            contests += [Contest(f"q{at:03}", names[i], names[j], float(it)) for at, it in enumerate(won)]
        found = strengths(names, contests, "42", clusters)
        for name, truth in zip(names, lead, strict=True):
            ends = found[name].interval
            if ends.low is not None and ends.high is not None:
                held["strengths"].append(ends.low <= truth <= ends.high)
        words = rng.normal(60, 150, len(design.groups))
        liked = 1 / (1 + np.exp(-(0.5 + np.tanh(words / 150))))
        won = latent(rng, 1, design)[0] < ndtri(liked)
        even = length_controlled(won.astype(float).tolist(), words.tolist(), design.groups)
        if even.low is not None and even.high is not None:
            held["rate at equal length"].append(even.low <= 1 / (1 + np.exp(-0.5)) <= even.high)
    return {what: sum(its) / len(its) for what, its in held.items()}


SYSTEMS, HEADLINES = 6, 5


def concluded(design: Design, correlation: float, experiments: int, ahead: float = 0.0) -> dict[str, float]:
    """Six systems, five headlines: how often anything is concluded, and how often what is true of the first.

    ``correlation`` is that of headlines inside a run; the first system is ``ahead`` by so many standard deviations of a
    difference. Beside it, what correction by single headlines would have concluded.
    """
    rng = np.random.default_rng([29, design.users, design.each, round(10 * correlation)])
    n, groups, pairs = len(design.groups), design.groups, list(combinations(range(SYSTEMS), 2))
    any_together = any_alone = shown = 0
    for _ in range(experiments):
        common = latent(rng, SYSTEMS, design)
        own = latent(rng, SYSTEMS * HEADLINES, design).reshape(HEADLINES, SYSTEMS, n)
        values = correlation**0.5 * common + (1 - correlation) ** 0.5 * own
        values[:, 0] += ahead * 2**0.5
        values[1] = values[1] < 0.8  # two headlines are all or nothing, one a rating
        values[2] = values[2] < -0.5
        values[3] = np.round(7 + 1.3 * values[3])
        apart = np.round(np.array([[its[a] - its[b] for a, b in pairs] for its in values], dtype=np.float64), 10)
        p_values = _p_values(apart, groups)
        any_together += _any(holm(p_values), apart, groups)
        by_headline = [p for at in range(HEADLINES) for p in holm(p_values[at * 15 : (at + 1) * 15])]
        any_alone += _any(by_headline, apart, groups)
        if ahead:
            adjusted = holm(p_values)
            shown += sum((adjusted[at] or 0) <= LEVEL for at in range(5))  # the first headline, the first system
    return {
        "together": any_together / experiments,
        "by headline": any_alone / experiments,
        "shown": shown / experiments / 5,
    }


def _p_values(apart: Numbers, groups: Groups) -> list[float | None]:
    """By headline and pair; where Student's t is above .05 the test is not made, for no correction takes it below."""
    flat = apart.reshape(-1, apart.shape[-1])
    sums = np.add.reduceat(flat, np.flatnonzero(np.diff(groups, prepend=-1)), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = sums.mean(axis=1) / (sums.std(axis=1, ddof=1) / sums.shape[1] ** 0.5)
    maybe = ~(2 * stdtr(sums.shape[1] - 1, -np.abs(t)) > LEVEL)
    return [flip_test(row.tolist(), groups) if it else 1.0 for row, it in zip(flat, maybe, strict=True)]


def _any(adjusted: Sequence[float | None], apart: Numbers, groups: Groups) -> bool:
    """Whether anything is concluded: the corrected test and the interval both say so."""
    flat = apart.reshape(-1, apart.shape[-1])
    for p, row in zip(adjusted, flat, strict=True):
        if p is not None and p <= LEVEL:
            found = mean_interval(row.tolist(), groups)
            if found.low is None or found.high is None or found.low > 0 or found.high < 0:
                return True
    return False


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    args = parser.parse_args()
    figures = {
        "coverage": _print_coverage(args.samples),
        "methods": _print_methods(args.samples // 4),
        "fitted": _print_fitted(min(DRAWN_SAMPLES, args.samples)),
        "conclusions": _print_conclusions(args.samples),
    }
    keep(args.json, figures)


def _print_coverage(samples: int) -> dict[str, dict[str, tuple[float, float]]]:
    print(f"Coverage over users | over queries, {samples:,} samples")
    print(f"{'':34}" + "".join(f"{design!s:>11}" for design in DESIGNS))
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for name, its in SIMULATED.items():
        found[name] = {str(design): coverage(its, design, samples) for design in DESIGNS}
        cells = (f"{of_users:.2f}|{of_queries:.2f}" for of_users, of_queries in found[name].values())
        print(f"{name:34}" + "".join(f"{cell:>11}" for cell in cells), flush=True)
    least = min(of_users for by_design in found.values() for of_users, _ in by_design.values())
    print(f"least over users {least:.3f}; wanted {WANTED} or more\n")
    return found


def _print_methods(samples: int) -> dict[str, dict[str, float]]:
    shown = [Design(8, 1, 0), Design(20, 1, 0), Design(7, 3, 0.3), Design(10, 5, 0.5), Design(20, 3, 0.3)]
    values = ("faithfulness, mean .83", "faithfulness, mean .97", "clean, .8", "ratings")
    print(f"Methods that were tried, {samples:,} samples\n{'':45}" + "".join(f"{design!s:>11}" for design in shown))
    found: dict[str, dict[str, float]] = {}
    for name in values:
        for method, make in METHODS.items():
            if (name, method) == ("ratings", "ours for shares"):
                continue
            held = {str(design): coverage(SIMULATED[name], design, samples, make)[0] for design in shown}
            found[f"{name}: {method}"] = held
            line = f"{name + ':':24} {method:20}"[:46].ljust(34)
            print(line + "".join(f"{value:>11.2f}" for value in held.values()), flush=True)
    print()
    return found


def _print_fitted(samples: int) -> dict[str, dict[str, float]]:
    print(f"Drawn and fitted, {samples:,} samples")
    shown = [Design(20, 1, 0), Design(50, 1, 0), Design(7, 3, 0.3), Design(10, 5, 0.3), Design(20, 3, 0.3)]
    found = {str(design): fitted_coverage(design, samples) for design in shown}
    for design, held in found.items():
        print(f"{design:10}" + "  ".join(f"{what} {share:.2f}" for what, share in held.items()), flush=True)
    print()
    return found


def _print_conclusions(experiments: int) -> dict[str, dict[str, float]]:
    print(f"Six systems, five headlines, 15 pairs: 75 tests, {experiments:,} experiments")
    heads = f"{'any conclusion among equals':>30}{'by headline':>14}{'a true lead is shown':>24}{'power says':>12}"
    print(f"{'':30}{heads}")
    found: dict[str, dict[str, float]] = {}
    for design in (Design(20, 1, 0), Design(50, 1, 0), Design(20, 3, 0.3), Design(12, 3, 0.3)):
        for correlation in (0.0, 0.6):
            name = f"{design}, headlines r = {correlation:.1f}"
            equal = concluded(design, correlation, experiments)
            ahead = concluded(design, correlation, experiments // 5, ahead=1.0)
            # Of a lead of a standard deviation of a difference, as one of 75 tests
            of_user = design.share + (1 - design.share) / design.each
            said = power((design.users / of_user) ** 0.5, design.users - 1, LEVEL / 75)
            found[name] = {**equal, "shown": ahead["shown"], "said": said}
            alike = f"{equal['together']:30.3f}{equal['by headline']:14.3f}"
            print(f"{name:30}{alike}{ahead['shown']:24.2f}{said:12.2f}", flush=True)
    return found


if __name__ == "__main__":
    main()
