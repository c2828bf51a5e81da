"""Do 95% intervals of corrected scores hold the truth? Coverage and width over made-up experiments.

    python benchmarks/ppi.py [--rounds 2000] [--score FP] [--judge good] [--users 10] [--share .4] [--rate .05]
                             [--labels 20] [--published] [--workers 1] [--seed 7] [--json FILE]

Every option of the grid may be given several times; without it, all its values are measured. Every round makes the
claims or meetings of two systems on 40 queries, what people would say of each, and a judge's verdicts. The users'
``share`` is that of the variance of single labels. Labels are drawn as ``drretail lab sample`` draws them, and the
estimates are those of ``drretail lab correct``. The truth is the mean over all users that there could be.

    FP         3 to 9 claims a report, labels 0, ½ and 1; every report has the same weight
    win rate   six meetings on each query, of which people see one in seven as a tie

    good       says what people say in 85 of 100, and is at random in the others
    lenient    says "full" of three in four that people do not
    useless    throws dice
    alike      always says "full"

Printed are the coverage and the width of one system, the width that as many labels drawn by lot have without the
judge, and the coverage of the difference of two systems. With ``--published``, ours stands beside the published PPI++
where its assumptions hold (independent items, labels by lot); tests/addons/people/test_prediction_powered.py holds that
formula against ppi-python to 1e-9.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, astuple, dataclass
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

from drretail.addons.people.prediction_powered import (
    FLOOR,
    Corrected,
    Item,
    corrected_mean,
    difference,
    labels_alone,
    next_stratum,
)
from drretail.records.base import sha256_of
from drretail.stats.intervals import LEVEL

QUERIES = 40
TRUTH = 0.75
SCORES = ("FP", "win rate")
JUDGES = ("good", "lenient", "useless", "alike")
USERS, SHARES, RATES, LABELS = (10, 20, 40), (0.0, 0.2, 0.4), (0.05, 0.3, 0.7, 0.95), (20, 40, 80, 160)
LEAST_COVERAGE = 0.93


@dataclass(frozen=True)
class Cell:
    """What the experiments of one line of the grid have in common."""

    score: str
    judge: str
    users: int
    share: float
    """The users' share of the variance of single labels."""
    rate: float
    labels: int


@dataclass(frozen=True)
class Row(Cell):
    """One line of the grid."""

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

    def __init__(self, cell: Cell, seed: int, floor: int) -> None:
        # Every cell has draws of its own.
        of_cell = int(sha256_of(str(cell))[:8], 16)
        self.lot = np.random.default_rng([seed, of_cell])
        self.cell, self.floor = cell, floor

    def leans(self, truths: Sequence[float]) -> list[np.ndarray]:
        """By system each query's chance of a full label; systems see the same easy and hard users."""
        users, share = self.cell.users, self.cell.share
        if not share:
            return [np.full(QUERIES, truth) for truth in truths]
        shared, sizes = self.lot.standard_normal(users), 1 / share - 1
        found = []
        for truth in truths:
            taste = ndtr(0.8 * shared + 0.6 * self.lot.standard_normal(users))
            # Of a beta distribution with these counts, the variance is this share of that of single labels.
            found.append(np.repeat(betaincinv(sizes * truth, sizes * (1 - truth), taste), QUERIES // users))
        return found

    def system(self, leans: np.ndarray, count: int) -> list[Item]:
        """All items of one system, ``count`` of them labelled."""
        score, queries = self.cell.score, len(leans)
        sizes = np.full(queries, 6) if score == "win rate" else self.lot.integers(3, 10, queries)
        query = np.repeat(np.arange(queries), sizes)
        lean, chance = np.repeat(leans, sizes), self.lot.random(len(query))
        # The share of halves (partly supported; a tie) leaves room for full labels and none.
        halves = np.minimum({"FP": 0.2, "win rate": 1 / 7}[score], 2 * np.minimum(lean, 1 - lean))
        labels = np.where(chance < lean - halves / 2, 1.0, np.where(chance < lean + halves / 2, 0.5, 0.0))
        verdicts = self.verdicts(self.cell.judge, labels, np.array([0.0, 0.5, 1.0])).tolist()
        shares = np.ones(len(query)) if score == "win rate" else 1 / np.repeat(sizes, sizes)
        chosen = self.drawn(verdicts, count)
        columns = [column.tolist() for column in (query // (queries // self.cell.users), shares, labels)]
        return [
            Item(cluster, verdict, share, label if at in chosen else None)
            for at, (verdict, cluster, share, label) in enumerate(zip(verdicts, *columns, strict=True))
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
            if stratum is None:
                break
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


def cells(given: argparse.Namespace) -> Iterator[Cell]:
    axes = (given.score or SCORES[:1], given.judge or JUDGES, given.users or USERS, given.share or SHARES)
    for cell in product(*axes, given.rate or RATES, given.labels or LABELS):
        yield Cell(*cell)


def measured(cell: Cell, given: argparse.Namespace) -> Row:
    maker = Maker(cell, given.seed, given.floor)
    other = cell.rate + (given.apart if cell.rate < 0.5 else -given.apart)
    held, apart, wide, alone = [], [], [], []
    for at in range(given.rounds):
        one, two = (maker.system(leans, cell.labels) for leans in maker.leans((cell.rate, other)))
        found, second = estimated(one), estimated(two)
        gap = difference(found, second)
        held.append(holds(found, cell.rate))
        apart.append(holds(gap, cell.rate - other))
        wide.append(width(found))
        if not at % 10 and (only := labels_alone(one)) is not None:
            alone.append(width(only))
    return Row(
        **asdict(cell),
        coverage=fmean(held),
        width=fmean(wide),
        width_of_labels_alone=fmean(alone),
        coverage_of_difference=fmean(apart),
    )


def published(given: argparse.Namespace) -> Iterator[dict[str, float]]:
    """Independent items, labels by lot: ours beside PPI++'s normal interval, a judge right in 85 of 100."""
    for count in (20, 100, 1000):
        lot = np.random.default_rng(given.seed)
        rows: list[tuple[bool, bool, float, float]] = []
        for _ in range(given.rounds):
            labels = (lot.random(5 * count) < TRUTH).astype(float)
            verdicts = np.where(lot.random(len(labels)) < 0.85, labels, 1 - labels)
            items = [
                Item(at, verdict, label=label if at < count else None)
                for at, (verdict, label) in enumerate(zip(verdicts.tolist(), labels.tolist(), strict=True))
            ]
            ours = estimated(items)
            theirs = independent_mean(labels[:count].tolist(), verdicts[:count].tolist(), verdicts[count:].tolist())
            rows.append((holds(ours, TRUTH), holds(theirs, TRUTH), width(ours), width(theirs)))
        names = ("coverage", "coverage of PPI++", "width", "width of PPI++")
        yield {"labels": count} | dict(zip(names, map(fmean, zip(*rows, strict=True)), strict=True))


def main() -> None:
    from figures import hold  # stands beside it; tests import this file from elsewhere

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--score", choices=SCORES, action="append", help="one part of the grid; FP by default")
    parser.add_argument("--judge", choices=JUDGES, action="append")
    parser.add_argument("--users", type=int, action="append")
    parser.add_argument("--share", type=float, action="append")
    parser.add_argument("--rate", type=float, action="append")
    parser.add_argument("--labels", type=int, action="append")
    parser.add_argument("--apart", type=float, default=0.1, help="how far the second system is from the first")
    parser.add_argument("--published", action="store_true", help="beside PPI++ as published")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--floor", type=int, default=FLOOR)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    print(f"{given.rounds:,} rounds, floor {given.floor}, seed {given.seed}\n")
    print("| score | judge | users | share | rate | labels | coverage | width | labels alone | a difference |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    rows: list[Row] = []
    with ProcessPoolExecutor(given.workers) as pool:
        for row in pool.map(partial(measured, given=given), cells(given)):
            rows.append(row)
            *names, covered, wide, alone, apart = astuple(row)
            cell = " | ".join(map(str, names))
            print(f"| {cell} | {covered:.3f} | {wide:.2f} | {alone:.2f} | {apart:.3f} |", flush=True)
    for name, found in (("one system", [r.coverage for r in rows]), ("two", [r.coverage_of_difference for r in rows])):
        low = sum(each < LEAST_COVERAGE for each in found)
        print(f"\n{name}: least coverage {min(found):.3f}; below {LEAST_COVERAGE}: {low:,} of {len(found):,} cells")
    if given.published:
        print("\n| independent items, labels | coverage | PPI++ | width | PPI++ |\n|--:|--:|--:|--:|--:|")
    beside = []
    for row in published(given) if given.published else ():
        beside.append(row)
        print("| " + " | ".join(f"{value:.3f}" if value < 2 else f"{value:,}" for value in row.values()) + " |")
    hold(rows and all(0 < row.coverage <= 1 for row in rows), "every cell drew intervals")
    if given.json is not None:
        everything = {"grid": [*map(asdict, rows)], "published": beside}
        given.json.write_text(json.dumps(everything, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
