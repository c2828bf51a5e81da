"""Is a planted bias of a judge found, and is a judge without one accused? By size and number of users.

    python benchmarks/biases.py [--rounds 2000] [--seed 7] [--json FILE]

Every round makes what a probe of ``drretail lab bias`` reads, and asks ``difference`` for its verdict, as the command
does. A user asks one or three queries, and users differ.

    position   two meetings a query in six dimensions, each in both orders. In the planted share of answers the judge
               prefers what it reads first, in a third of the others it throws dice, else it prefers the better report
    length     six ratings a query of a copy and of the report itself: whole numbers with a noise of a point. The copy
               gets the planted number of points more; between users this varies by a standard deviation of ½

Printed is the share of rounds in which a bias is found. At size 0 that is the share of false alarms.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, astuple, dataclass

import numpy as np
from figures import keep, rounds_parser

from drretail.addons.lab.bias.probe import difference
from drretail.addons.lab.findings import is_found
from drretail.stats.intervals import Clusters

USERS, QUERIES = (6, 8, 16, 32), (1, 3)
DIMENSIONS = 6
Values = Mapping[str, list[float]]
Make = Callable[[np.random.Generator, int, int, float], Values]


@dataclass(frozen=True)
class Row:
    """The share of rounds in which a bias of this size is found."""

    probe: str
    size: float
    users: int
    queries: int
    """Queries of each user."""
    found: float


def position(lot: np.random.Generator, users: int, queries: int, size: float) -> Values:
    """By query, 1 for a meeting in which both orders prefer the first report, -1 for the second, 0 for one winner."""
    values: dict[str, list[float]] = {}
    for user in range(users):
        usual = lot.random()
        for query in range(queries):
            better = lot.random(2 * DIMENSIONS) < usual
            leans = lot.random((2, 2 * DIMENSIONS)) < size
            # An answer that doesn't lean is the better report or, in a third of them, a toss.
            tossed = lot.random((2, 2 * DIMENSIONS))
            first = np.where(tossed < 1 / 3, tossed < 1 / 6, np.stack([better, ~better]))
            values[f"u{user} q{query}"] = (np.where(leans, True, first).sum(0) - 1.0).tolist()
    return values


def length(lot: np.random.Generator, users: int, queries: int, size: float) -> Values:
    """By query, how much higher the copy is rated than its report."""
    values: dict[str, list[float]] = {}
    for user in range(users):
        taste = lot.normal(0, 0.5)
        for query in range(queries):
            rated = np.round(6 + lot.normal(0, 1, (2, DIMENSIONS)) + np.array([[size + taste], [0.0]]))
            values[f"u{user} q{query}"] = (rated[0] - rated[1]).tolist()
    return values


PROBES: Mapping[str, tuple[Make, tuple[float, ...]]] = {
    "position": (position, (0.0, 0.1, 0.2, 0.3, 0.6, 0.95, 1.0)),
    "length": (length, (0.0, 0.25, 0.5, 1.0, 2.0)),
}


def measured(rounds: int, seed: int) -> Iterator[Row]:
    for probe, (make, sizes) in PROBES.items():
        for size in sizes:
            for queries in QUERIES:
                for users in USERS:
                    lot, found = np.random.default_rng(seed), 0
                    clusters = Clusters({f"u{user} q{n}": f"u{user}" for user in range(users) for n in range(queries)})
                    for _ in range(rounds):
                        found += is_found(difference("d", make(lot, users, queries, size), clusters)) is True
                    yield Row(probe, size, users, queries, found / rounds)


def main() -> None:
    given = rounds_parser(__doc__).parse_args()
    print(f"{given.rounds:,} rounds, seed {given.seed}\n")
    names = [f"{users} users, {queries} each" for queries in QUERIES for users in USERS]
    print(f"| bias | size | {' | '.join(names)} |\n|---|--:|{'--:|' * len(names)}")
    rows = []
    for row in measured(given.rounds, given.seed):
        rows.append(row)
        if len(rows) % len(names) == 0:
            shares = " | ".join(f"{astuple(each)[-1]:.2f}" for each in rows[-len(names) :])
            print(f"| {row.probe} | {row.size} | {shares} |", flush=True)
    keep(given.json, [*map(asdict, rows)])


if __name__ == "__main__":
    main()
