"""Do 95% intervals of κ, α and balanced accuracy hold the truth where one label is rare? Coverage over made-up labels.

    python benchmarks/kappas.py [--rounds 2000] [--seed 7] [--json FILE]

Raters copy a hidden label in the given share of cases and else draw one by its frequency. In "4 a query", items of a
query repeat its first one in 30 of 100. Samples for which the statistic is not defined are left out.
"""

from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass
from itertools import product
from statistics import fmean

import numpy as np
from figures import hold, keep, rounds_parser

from drretail.addons.lab.raters import (
    agreement_interval,
    balanced_accuracy,
    kappa,
    krippendorff_alpha,
    tables_of,
)
from drretail.stats.intervals import Interval

COPIES, COMMON, ITEMS = (0.3, 0.6, 0.9), (0.8, 0.9, 0.95), (40, 100)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    statistic: str
    labels: int
    common: float
    """The share of the commonest label."""
    copies: float
    items: int
    a_query: int
    """Items of each query."""
    coverage: float
    width: float


def labelled(lot: np.random.Generator, row: tuple[int, float, float, int, int], raters: int) -> np.ndarray:
    """Items x raters: the number of each label."""
    labels, common, copies, items, a_query = row
    shares = [common, *[(1 - common) / (labels - 1)] * (labels - 1)]
    hidden = lot.choice(labels, items, p=shares)
    found = np.where(
        lot.random((items, raters)) < copies, hidden[:, None], lot.choice(labels, (items, raters), p=shares)
    )
    if a_query > 1:
        first = np.arange(items) // a_query * a_query
        found = np.where((lot.random(items) < 0.3)[:, None], found[first], found)
    return found


def holds(found: Interval, value: float) -> bool:
    return found.low is not None and found.high is not None and found.low - 1e-9 <= value <= found.high + 1e-9


def measured(rounds: int, seed: int) -> Iterator[Row]:
    for statistic, labels, common, copies, items, a_query in product(
        ("κ", "α", "accuracy"), (2, 3), COMMON, COPIES, ITEMS, (1, 4)
    ):
        # Of two raters who each copy in ``copies`` of cases, κ and α are its square, whatever the frequencies are. A
        # balanced accuracy is halfway from that to 1.
        lot, value = np.random.default_rng(seed), copies**2 if statistic != "accuracy" else (1 + copies**2) / 2
        measure = balanced_accuracy if statistic == "accuracy" else kappa
        held, wide = [], []
        for at in range(rounds):
            found = labelled(lot, (labels, common, copies, items, a_query), 3 if statistic == "α" else 2)
            clusters = (np.arange(items) // a_query).tolist()
            if statistic == "α":
                interval = krippendorff_alpha(found.astype(float).tolist(), "nominal", clusters)
            else:
                first, second = (column.astype(str).tolist() for column in found.T)
                tables = tables_of(clusters, first, second, [*map(str, range(labels))])
                interval = agreement_interval(tables, measure, str(at))
            if interval.value is not None and interval.low is not None and interval.high is not None:
                held.append(holds(interval, value))
                wide.append(interval.high - interval.low)
        yield Row(statistic, labels, common, copies, items, a_query, fmean(held), fmean(wide))


def main() -> None:
    given = rounds_parser(__doc__).parse_args()
    print(f"{given.rounds:,} rounds, seed {given.seed}\n")
    print("| | labels | commonest | copies | items | a query | coverage | width |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    rows = []
    for row in measured(given.rounds, given.seed):
        rows.append(row)
        *names, coverage, width = astuple(row)
        print(f"| {' | '.join(map(str, names))} | {coverage:.3f} | {width:.2f} |", flush=True)
    print(f"\nleast coverage {min(row.coverage for row in rows):.3f}")
    hold(rows and all(0 < row.coverage <= 1 for row in rows), "every cell drew intervals")
    keep(given.json, [*map(asdict, rows)])


if __name__ == "__main__":
    main()
