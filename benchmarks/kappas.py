"""Do 95% intervals of κ and α hold the truth where one label is rare? Coverage and width over made-up labels.

    python benchmarks/kappas.py [--rounds 2000] [--seed 7] [--json FILE]

Raters copy a hidden label in the given share of cases and else draw one by its frequency. Beside the interval of
``lab agree`` and ``lab card`` stands a plain bootstrap of the same tables. In "4 a query", items of a query repeat its
first one in 30 of 100. Samples for which the statistic is not defined are left out.
"""

from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass
from itertools import product
from statistics import fmean

import numpy as np
from figures import keep, rounds_parser

from drretail.stats.agreement import agreement_interval, drawn_interval, kappa, krippendorff_alpha, tables_of
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
    coverage_of_bootstrap: float
    """0 for α, which has no bootstrap beside it."""


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
    for statistic, labels, common, copies, items, a_query in product(("κ", "α"), (2, 3), COMMON, COPIES, ITEMS, (1, 4)):
        # Of two raters who each copy in ``copies`` of cases, κ and α are its square, whatever the frequencies are.
        lot, value = np.random.default_rng(seed), copies**2
        held, wide, plain = [], [], []
        for at in range(rounds):
            found = labelled(lot, (labels, common, copies, items, a_query), 2 if statistic == "κ" else 3)
            clusters = (np.arange(items) // a_query).tolist()
            if statistic == "α":
                interval = krippendorff_alpha(found.astype(float).tolist(), "nominal", clusters)
            else:
                first, second = (column.astype(str).tolist() for column in found.T)
                tables = tables_of(clusters, first, second, [*map(str, range(labels))])
                interval = agreement_interval(tables, kappa, str(at))
                if interval.value is not None:
                    plain.append(holds(drawn_interval(tables, kappa, str(at)), value))
            if interval.value is not None and interval.low is not None and interval.high is not None:
                held.append(holds(interval, value))
                wide.append(interval.high - interval.low)
        yield Row(
            statistic, labels, common, copies, items, a_query, fmean(held), fmean(wide), fmean(plain) if plain else 0.0
        )


def main() -> None:
    given = rounds_parser(__doc__).parse_args()
    print(f"{given.rounds:,} rounds, seed {given.seed}\n")
    print("| | labels | commonest | copies | items | a query | coverage | width | plain bootstrap |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    rows = []
    for row in measured(given.rounds, given.seed):
        rows.append(row)
        *names, coverage, width, plain = astuple(row)
        beside = f"{plain:.3f}" if plain else ""
        print(f"| {' | '.join(map(str, names))} | {coverage:.3f} | {width:.2f} | {beside} |", flush=True)
    print(f"\nleast coverage {min(row.coverage for row in rows):.3f}")
    keep(given.json, [*map(asdict, rows)])


if __name__ == "__main__":
    main()
