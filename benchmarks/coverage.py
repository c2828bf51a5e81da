"""How often 95 % intervals hold the truth, by simulation, beside the plain percentile bootstrap.

    python benchmarks/coverage.py [--samples 2000] [--seed 42] [--json FILE]

What is simulated is what scores are made of: a report's mean over its claims, the share of reports without an error,
ratings of 0 to 10, paired differences, and wins where each pair is asked in both orders.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from drretail.stats.intervals import Interval, mean_intervals, share_interval

QUERIES = (8, 20, 50)
Samples = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Samples]
"""Samples by queries."""
WANTED = 0.93


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--seed", default="42")
    parser.add_argument("--json", type=Path, help="write the figures here")
    args = parser.parse_args()
    print(f"{'what':26} {'truth':>6}   " + "   ".join(f"n = {queries:<2} ours  plain" for queries in QUERIES))
    found = {name: _covered(name, draw, args.samples, args.seed) for name, draw in SIMULATED.items()}
    for name, by_queries in found.items():
        cells = "   ".join(f"      {ours:.3f}  {plain:.3f}" for ours, plain in by_queries.values())
        print(f"{name:26} {_truth(SIMULATED[name]):6.3f}   {cells}")
    least = min(ours for by_queries in found.values() for ours, _ in by_queries.values())
    print(f"least of ours {least:.3f}; wanted {WANTED} or more")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _covered(name: str, draw: Draw, samples: int, seed: str) -> dict[int, tuple[float, float]]:
    truth = _truth(draw)
    rng = np.random.default_rng(17)
    found: dict[int, tuple[float, float]] = {}
    for queries in QUERIES:
        drawn = draw(rng, samples, queries)
        means = [tuple(map(float, sample)) for sample in drawn]
        exact = name in SHARES
        ours = [share_interval(it) for it in means] if exact else mean_intervals(means, seed, resamples=2000)
        found[queries] = _share_that_holds(truth, ours), _share_that_holds(truth, _plain(drawn, seed))
    return found


def _share_that_holds(truth: float, intervals: list[Interval]) -> float:
    held = [it.low <= truth <= it.high for it in intervals if it.low is not None and it.high is not None]
    return sum(held) / len(held)


def _plain(drawn: Samples, seed: str) -> list[Interval]:
    """The plain percentile bootstrap."""
    queries = drawn.shape[1]
    often = np.random.default_rng(int(seed)).multinomial(queries, [1 / queries] * queries, size=2000) / queries
    ends = np.percentile(drawn @ often.T, [2.5, 97.5], axis=1)
    return [Interval(0.0, float(low), float(high)) for low, high in ends.T]


def _truth(draw: Draw) -> float:
    return float(draw(np.random.default_rng(3), 4000, 500).mean())


def _of_claims(rng: np.random.Generator, samples: int, queries: int) -> Samples:
    """5 to 20 claims a report, of which a part is borne out, half borne out, or not."""
    quality = rng.beta(6, 1.5, (samples, queries))
    claims = rng.integers(5, 21, (samples, queries))
    full = rng.binomial(claims, quality)
    return (full + rng.binomial(claims - full, 0.5) / 2) / claims


def _difference(rng: np.random.Generator, samples: int, queries: int) -> Samples:
    return _of_claims(rng, samples, queries) - 0.95 * _of_claims(rng, samples, queries)


def _rating(rng: np.random.Generator, samples: int, queries: int) -> Samples:
    return np.clip(np.round(rng.normal(7, 1.3, (samples, queries))), 0, 10)


def _clean(share: float) -> Draw:
    return lambda rng, samples, queries: (rng.random((samples, queries)) < share).astype(np.float64)


def _wins(better: float, flips: float) -> Draw:
    """A judge that says in a share of pairs whatever stands first, and else prefers the first system so often."""

    def draw(rng: np.random.Generator, samples: int, queries: int) -> Samples:
        prefers = rng.random((samples, queries)) < better
        return np.where(rng.random((samples, queries)) < flips, 0.5, prefers.astype(np.float64))

    return draw


SIMULATED: dict[str, Draw] = {
    "faithfulness of reports": _of_claims,
    "difference of two systems": _difference,
    "rating": _rating,
    "clean, 0.5 of reports": _clean(0.5),
    "clean, 0.8 of reports": _clean(0.8),
    "clean, 0.95 of reports": _clean(0.95),
    "wins, 0.2 flips": _wins(0.6, 0.2),
    "wins, 0.8 flips": _wins(0.6, 0.8),
}
SHARES = frozenset(name for name in SIMULATED if name.startswith(("clean", "wins")))
"""What has the exact binomial interval."""

if __name__ == "__main__":
    main()
