"""Do levels and axes of difficulty mean what they say? Without an agent; agents are reported beside it, by level.

    python benchmarks/difficulty.py WORLD [--users N] [--experiment EXP] [--json OUT.json]

Questions by rules of N people, with no axis to five, are measured: the table has, by level, the mean utility of the
eight solvers that the level is made of, of eight others (2, 4, 7 and 20 hits), and of eights that look at other hits:
1, 3, 5 and 10 of all that hold the words (what most have bought, the cheapest or the best rated first), and of all
products of the kind in random order. All have to fall from each level to the next one. And each question is measured
without one of its axes (without memory, it says what the orders show): of the pairs in which that changes the loss,
90 % have to be harder with the axis. Intervals count a user's questions as one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple

from figures import keep, parser_of

from drretail.addons.difficulty.measure import DEEPEST, Dial, Task, level_of
from drretail.api.worlds import open_world
from drretail.env.catalog.base import CatalogQuery, SortBy
from drretail.env.offers import Offers
from drretail.eval.scores.file import read_scores
from drretail.querygen.checks.contract import HITS
from drretail.querygen.generate import Drafts, users_of
from drretail.records.base import sha256_of
from drretail.records.query import COUNTS, Axis, Query
from drretail.records.wish import Demand, Want, Wish
from drretail.stats.intervals import Clusters, share_interval

OTHER_HITS = (2, 4, 7, 20)
LEAST = 5
"""Queries of a level below which its mean is not held to anything."""
RIGHT = 0.9
_NO_CHANGE = 1e-9


class OtherOrder(Dial):
    """Whose searches bring what holds all words, in another order of the shop; "random": all of the kind, by hash."""

    def __init__(self, offers: Offers, order: SortBy | Literal["random"]) -> None:
        super().__init__(offers)
        self.order: SortBy | Literal["random"] = order
        self._found: dict[str, tuple[str, ...]] = {}

    def ranked(self, want: Want) -> list[tuple[str, ...]]:
        for kind in want.kinds:
            if kind not in self._found:
                self._found[kind] = tuple(self._search(kind))
        return [self._found[kind] for kind in want.kinds]

    def _search(self, kind: str) -> list[str]:
        if self.order == "random":
            return sorted((each.product.product_id for each in self.offers.of_kind(kind)), key=sha256_of)[:DEEPEST]
        query = CatalogQuery(kind, match="all", sort_by=self.order, limit=DEEPEST)
        return [hit.product_id for hit in self.offers.world.catalog.search(query).hits]


ORDERS: tuple[SortBy | Literal["random"], ...] = ("popularity", "price", "rating", "random")
SOLVERS = ("own", "other", *ORDERS)


class Measured(NamedTuple):
    """One query before the eight solvers of each sort."""

    task: Task
    by_order: Mapping[str, Task]

    def utility(self, solvers: str) -> float:
        """Their mean."""
        task = self.by_order.get(solvers, self.task)
        hits = OTHER_HITS if solvers == "other" else HITS
        return fmean(task.utility(each, history=history) for each in hits for history in (True, False))


class Measure:
    """Measures queries of one world by all solvers."""

    def __init__(self, offers: Offers) -> None:
        self.dial, self.orders = Dial(offers), [OtherOrder(offers, order) for order in ORDERS]

    def __call__(self, query: Query | None) -> Measured | None:
        task = None if query is None else self.dial.task(query)
        if query is None or task is None:
            return None
        tasks = {dial.order: dial.task(query) for dial in self.orders}
        return Measured(task, {order: found for order, found in tasks.items() if found is not None})


def without(query: Query, axis: Axis) -> Query | None:
    """The query as if it did not have the axis; None if it does not, or if nothing else would be left of it."""
    if axis not in query.axes or query.wish is None:
        return None
    wish, kept = query.wish, AXES[axis]
    wants = tuple(
        want.model_copy(update=kept.of_want(want) | {"must": tuple(filter(None, map(kept.demand, want.must)))})
        for want in wish.wants
    )
    return query.model_copy(update={"wish": wish.model_copy(update={"wants": wants} | kept.of_wish(wish))})


class Without(NamedTuple):
    """What is left without an axis: what becomes of each demand, and what changes in each want and in the wish."""

    demand: Callable[[Demand], Demand | None] = lambda demand: demand
    of_want: Callable[[Want], dict[str, Any]] = lambda _: {}
    of_wish: Callable[[Wish], dict[str, Any]] = lambda _: {}


AXES: dict[Axis, Without] = {
    "property": Without(lambda demand: demand if demand.rests_on_record or demand.field in COUNTS else None),
    "fit": Without(lambda demand: None if demand.rests_on_record else demand),
    "pack": Without(lambda demand: None if demand.field in COUNTS else demand, lambda _: {"quantity": 1}),
    "joint budget": Without(of_wish=lambda _: {"budget": None}),
    "trust": Without(of_want=lambda _: {"rating_min": None, "ratings_min": None}),
    # No order is to be looked up: the question says what they show.
    "memory": Without(
        lambda demand: demand.model_copy(update={"say": demand.any_of[0]}) if demand.rests_on_record else demand,
        of_wish=lambda _: {"orders": ()},
    ),
    "taste": Without(of_want=lambda _: {"brands_unwanted": ()}),
}


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("world")
    parser.add_argument("--users", type=int, default=60)
    parser.add_argument("--experiment", type=Path)
    asked = parser.parse_args()
    with open_world(asked.world) as world:
        measure, drafts = Measure(Offers(world)), Drafts(world, "42")
        users = list(islice(users_of(world, asked.users, "42"), asked.users))
        # All drafts of a user have the same id.
        queries = [
            each.model_copy(update={"query_id": f"{each.query_id}-{axes}"})
            for user in users
            for axes in range(6)
            for each in islice(drafts.of(user, axes), 1)
        ]
        levels = by_level(queries, measure)
        axes = [row for axis in AXES for row in by_axis(queries, measure, axis)]
    print("level  queries ", "  ".join(f"{name:>10}" for name in SOLVERS), " 5 hits, no history")
    for row in levels:
        means = "  ".join(f"{row[name]:10.3f}" for name in SOLVERS)
        print("{level:5}  {n:7} ".format(**row), means, " {shallow:18.3f}".format(**row))
    counted = [row for row in levels if row["n"] >= LEAST]
    for name in SOLVERS:
        falls = all(later[name] < earlier[name] for earlier, later in pairwise(counted))
        print(f"{name}: {'falls' if falls else 'DOES NOT FALL'} from level to level ({len(counted)} levels)")
    print("\naxis          solvers     made  moved  right  share")
    for row in axes:
        share = "{share:5.2f}".format(**row) if row["moved"] else ""
        # One user has no interval.
        share += "" if row["low"] is None else " ({low:.2f}–{high:.2f})".format(**row)
        below = "BELOW 0.90" if row["moved"] and row["share"] < RIGHT else ""
        print("{axis:12}  {solvers:10}  {made:4}  {moved:5}  {right:5}".format(**row), share, below)
    if asked.experiment:
        agents(asked.experiment)
    keep(asked.json, {"levels": levels, "axes": axes})


def by_level(queries: Sequence[Query], measure: Measure) -> list[dict[str, Any]]:
    found: dict[int, list[Measured]] = defaultdict(list)
    for measured in filter(None, map(measure, queries)):
        found[level_of(measured.task.loss)].append(measured)
    return [
        {"level": level, "n": len(of_level)}
        | {solvers: fmean(each.utility(solvers) for each in of_level) for solvers in SOLVERS}
        | {"shallow": fmean(each.task.utility(5, history=False) for each in of_level)}
        for level, of_level in sorted(found.items())
    ]


def by_axis(queries: Sequence[Query], measure: Measure, axis: Axis) -> Iterator[dict[str, Any]]:
    pairs: list[tuple[Measured, Measured]] = []
    for query in queries:
        before, after = measure(without(query, axis)), measure(query)
        if before is not None and after is not None:
            pairs.append((before, after))
    clusters = Clusters.of([before.task.query for before, _ in pairs])
    for solvers in SOLVERS:
        lost = {before.task.query.query_id: before.utility(solvers) - after.utility(solvers) for before, after in pairs}
        moved = {query_id: each > 0 for query_id, each in lost.items() if abs(each) > _NO_CHANGE}
        share = share_interval([*map(float, moved.values())], clusters.groups(moved))
        yield {
            "axis": axis,
            "solvers": solvers,
            "made": len(pairs),
            "moved": len(moved),
            "right": sum(moved.values()),
            "share": share.value,
            "low": share.low,
            "high": share.high,
        }


def agents(experiment: Path) -> None:
    """What systems score by level, as ``drretail compare --by level`` has it; nothing is held to it."""
    scores = read_scores(experiment)
    print("\nsystem                          level   utility     n")
    for row in () if scores is None else scores.slices:
        if row.by == "level" and (row.metric, row.variant) == ("basket", "utility_ratio"):
            value = "" if row.value is None else f"{row.value:.3f}"
            print(f"{row.system:30}  {row.part:>7}  {value:>7}  {row.n_counted:4}")


if __name__ == "__main__":
    main()
