"""Do 95 % intervals of corrected scores hold the truth? Coverage and width over made-up experiments.

    python benchmarks/ppi.py [--rounds 1000] [--score FP] [--truth .75] [--floor 3] [--seed 7] [--json FILE]

Every round makes the claims or meetings of two systems on 60 queries, what people would say of each (the truth of the
second system is .1 lower), and a judge's verdicts. Labels are drawn as ``drretail lab sample`` draws them, and the
estimates are those of ``drretail lab correct``. The truth is the mean over all queries that there could be.

    FP         3 to 15 claims a report, labels 0, ½ and 1; every report has the same weight
    FR         the same; one claim in seven is none to people
    win rate   two meetings on each query, of which people see one in seven as a tie

    good       says what people say in 85 of 100, and is at random in the others
    lenient    says "full" of 92 % where people say it of 70 %
    useless    throws dice
    alike      always says "full"

Printed are the coverage and the width of one system, the width that labels alone have, and the coverage of the
difference of two systems: with independent queries, and with three queries a user whose taste makes a fifth of the
variance. Last, where the assumptions of the published PPI++ hold (independent items, labels by lot), both stand beside
each other; tests/stats/test_prediction_powered.py holds that formula against ppi-python to 1e-9.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

from drretail.stats.intervals import LEVEL
from drretail.stats.prediction_powered import (
    FLOOR,
    Corrected,
    Item,
    corrected_mean,
    difference,
    labels_alone,
    next_stratum,
)

QUERIES = 60
PER_USER = 3
APART = 0.1
SCORES = ("FP", "FR", "win rate")
JUDGES = ("good", "lenient", "useless", "alike")
LABELS = (20, 50, 100)


@dataclass(frozen=True)
class Row:
    """One line of the grid."""

    score: str
    judge: str
    clusters: str
    labels: int
    coverage: float
    width: float
    width_of_labels_alone: float
    coverage_of_difference: float


def independent_mean(
    labels: Sequence[float], judged: Sequence[float], others: Sequence[float], power: float | None = None
) -> Corrected:
    """PPI++ as published, for many independent items: labels with the verdicts on the same, and verdicts on others.

    Equation (3.2) with λ = ``power``, or the plug-in λ of example 6.1: Var(θ) = λ²·Var(f)/N + Var(y − λf)/n, and a
    normal interval. ``corrected_mean`` is compared with it where its assumptions hold.
    """
    y, f, rest = (np.array(values, dtype=np.float64) for values in (labels, judged, others))
    n, count = len(y), len(rest)
    if power is None:
        shared = float(((y - y.mean()) * (f - f.mean())).mean())
        spread = (1 + n / count) * float(np.concatenate([f, rest]).var(ddof=1))
        power = min(1.0, max(0.0, shared / spread)) if spread else 0.0
    value = float(power * rest.mean() + (y - power * f).mean())
    away = ndtri(1 - (1 - LEVEL) / 2) * float(power**2 * rest.var() / count + (y - power * f).var() / n) ** 0.5
    return Corrected(value, value - away, value + away)


class Maker:
    """Draws experiments whose truth is known."""

    def __init__(self, seed: int, truth: float, floor: int) -> None:
        self.lot = np.random.default_rng(seed)
        self.truth, self.floor = truth, floor

    def leans(self, truths: Sequence[float], *, by_user: bool) -> list[np.ndarray]:
        """By system each query's chance of a full label; systems see the same easy and hard users."""
        if not by_user:
            return [np.full(QUERIES, truth) for truth in truths]
        users = QUERIES // PER_USER
        shared = self.lot.standard_normal(users)
        found = []
        for truth in truths:
            taste = ndtr(0.8 * shared + 0.6 * self.lot.standard_normal(users))
            # A beta distribution with 4 as its two counts' sum has a fifth of the variance of single labels.
            found.append(np.repeat(betaincinv(4 * truth, 4 * (1 - truth), taste), PER_USER))
        return found

    def system(self, score: str, judge: str, leans: np.ndarray, count: int, *, by_user: bool) -> list[Item]:
        """All items of one system, ``count`` of them labelled."""
        sizes = np.full(QUERIES, 2) if score == "win rate" else self.lot.integers(3, 16, QUERIES)
        query = np.repeat(np.arange(QUERIES), sizes)
        lean, chance = np.repeat(leans, sizes), self.lot.random(len(query))
        # The share of halves (partly supported; a tie) leaves room for full labels and none.
        halves = np.minimum({"FP": 0.2, "FR": 0.0, "win rate": 1 / 7}[score], 2 * np.minimum(lean, 1 - lean))
        labels = np.where(chance < lean - halves / 2, 1.0, np.where(chance < lean + halves / 2, 0.5, 0.0))
        verdicts = self.verdicts(judge, labels, np.array([0.0, 1.0] if score == "FR" else [0.0, 0.5, 1.0])).tolist()
        wholes = (self.lot.random(len(query)) < 6 / 7).astype(float) if score == "FR" else np.ones(len(query))
        shares = np.ones(len(query)) if score == "win rate" else 1 / np.repeat(sizes, sizes)
        clusters = query // PER_USER if by_user else query
        chosen = self.drawn(verdicts, count)
        columns = [column.tolist() for column in (clusters, shares, labels * wholes, wholes)]
        return [
            Item(cluster, verdict, share, label if at in chosen else None, whole)
            for at, (verdict, cluster, share, label, whole) in enumerate(zip(verdicts, *columns, strict=True))
        ]

    def verdicts(self, judge: str, labels: np.ndarray, known: np.ndarray) -> np.ndarray:
        dice, chance = self.lot.choice(known, len(labels)), self.lot.random(len(labels))
        if judge == "alike":
            return np.ones(len(labels))
        if judge == "useless":
            return dice
        if judge == "good":
            return np.where(chance < 0.85, labels, dice)
        return np.where((labels == 1) | (chance < 0.75), 1.0, np.where(chance < 0.85, known[-2], 0.0))

    def drawn(self, verdicts: Sequence[float], count: int) -> set[int]:
        """The places of ``count`` items, drawn as ``lab sample`` draws them."""
        places: dict[float, list[int]] = defaultdict(list)
        for place in self.lot.permutation(len(verdicts)).tolist():
            places[verdicts[place]].append(place)
        sizes, drawn = {verdict: len(held) for verdict, held in places.items()}, Counter[float]()
        for _ in range(count):
            stratum = next_stratum(sizes, drawn, self.floor)
            assert stratum is not None
            drawn[stratum] += 1
        return {place for verdict, held in places.items() for place in held[: drawn[verdict]]}


def holds(found: Corrected, truth: float) -> bool:
    return found.low is not None and found.high is not None and found.low - 1e-9 <= truth <= found.high + 1e-9


def width(found: Corrected) -> float:
    assert found.low is not None
    assert found.high is not None
    return min(1.0, found.high) - max(0.0, found.low)


def estimated(items: Sequence[Item]) -> Corrected:
    found = corrected_mean(items)
    assert found is not None
    return found


def grid(given: argparse.Namespace) -> Iterator[Row]:
    truths = (given.truth, given.truth - APART)
    for score in given.score or SCORES:
        for judge in JUDGES:
            for by_user in (False, True):
                for count in LABELS:
                    maker = Maker(given.seed, given.truth, given.floor)
                    held, apart, wide, alone = [], [], [], []
                    for _ in range(given.rounds):
                        made = [
                            maker.system(score, judge, leans, count, by_user=by_user)
                            for leans in maker.leans(truths, by_user=by_user)
                        ]
                        one, other = map(estimated, made)
                        only = labels_alone(made[0])
                        assert only is not None
                        held.append(holds(one, given.truth))
                        apart.append(holds(difference(one, other), APART))
                        wide.append(width(one))
                        alone.append(width(only))
                    clusters = f"{QUERIES // PER_USER} users" if by_user else f"{QUERIES} queries"
                    yield Row(score, judge, clusters, count, *map(fmean, (held, wide, alone, apart)))


def published(given: argparse.Namespace) -> Iterator[dict[str, float]]:
    """Independent items, labels by lot: ours beside PPI++'s normal interval, a judge right in 85 of 100."""
    for count in (20, 100, 1000):
        lot = np.random.default_rng(given.seed)
        rows: list[tuple[bool, bool, float, float]] = []
        for _ in range(given.rounds):
            labels = (lot.random(5 * count) < given.truth).astype(float)
            verdicts = np.where(lot.random(len(labels)) < 0.85, labels, 1 - labels)
            items = [
                Item(at, verdict, label=label if at < count else None)
                for at, (verdict, label) in enumerate(zip(verdicts.tolist(), labels.tolist(), strict=True))
            ]
            ours = estimated(items)
            theirs = independent_mean(labels[:count], verdicts[:count], verdicts[count:])
            rows.append((holds(ours, given.truth), holds(theirs, given.truth), width(ours), width(theirs)))
        names = ("coverage", "coverage of PPI++", "width", "width of PPI++")
        yield {"labels": count} | dict(zip(names, map(fmean, zip(*rows, strict=True)), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--score", choices=SCORES, action="append", help="one part of the grid")
    parser.add_argument("--truth", type=float, default=0.75)
    parser.add_argument("--floor", type=int, default=FLOOR)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    print(f"{given.rounds:,} rounds, truth {given.truth}, floor {given.floor}, seed {given.seed}\n")
    print("| score | judge | clusters | labels | coverage | width | labels alone | coverage of a difference |")
    print("|---|---|---|--:|--:|--:|--:|--:|")
    rows: list[Row] = []
    for row in grid(given):
        rows.append(row)
        *names, covered, wide, alone, apart = asdict(row).values()
        print(f"| {' | '.join(map(str, names))} | {covered:.3f} | {wide:.2f} | {alone:.2f} | {apart:.3f} |", flush=True)
    print(f"\nleast coverage {min(min(row.coverage, row.coverage_of_difference) for row in rows):.3f}\n")
    print("| independent items, labels | coverage | PPI++ | width | PPI++ |\n|--:|--:|--:|--:|--:|")
    beside = []
    for row in published(given):
        beside.append(row)
        print("| " + " | ".join(f"{value:.3f}" if value < 2 else f"{value:,}" for value in row.values()) + " |")
    if given.json is not None:
        measured = {"grid": [*map(asdict, rows)], "published": beside}
        given.json.write_text(json.dumps(measured, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
