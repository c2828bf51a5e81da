"""A seeded sample of users, spread over strata: the same for every store; memory holds one number a user, no rows."""

import hashlib
import heapq
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

from drretail.env.store.base import Stratum
from drretail.records.shop import UserRow

# The shares of all users up to whom a bucket goes. Numbers of orders and spend have long tails: with quarters only,
# whoever orders often would share a bucket with whoever has ordered four times.
SHARES = ((1, 4), (1, 2), (3, 4), (7, 8), (15, 16), (31, 32))


class Aggregates(NamedTuple):
    """A row of the table users; the plain form of UserRow, for passing over millions."""

    user_id: str
    n_orders: int
    spend: float
    last_order: int
    top_category: str


NUMBERS: dict[Stratum, Callable[[Aggregates], float]] = {
    "orders": attrgetter("n_orders"),
    "spend": attrgetter("spend"),
    "recency": attrgetter("last_order"),
}
"""What a stratum divides, but for the category, which is its own bucket."""

Cell = tuple[int | str, ...]
"""One bucket of each stratum."""


def sample_users(
    read: Callable[[], Iterable[Aggregates]], seed: int | str, n: int, strata: Sequence[Stratum]
) -> list[UserRow]:
    """``n`` users, or all where there are fewer; ``read`` passes over the users anew at each call.

    Every user falls into one cell: its bucket of orders, recency and spend, and its top category. Users are taken one
    by one, each from the cell that leaves the buckets of all strata most evenly used, within a cell in seeded order:
    a few users are already spread over every stratum, and rare kinds of users are as likely as common ones. They come
    in the order in which they were taken: the first of a sample are what a smaller sample is.
    """
    if n < 1:
        return []
    cuts = quantile_cuts(read(), [stratum for stratum in strata if stratum in NUMBERS])
    # The n users with the smallest hashes of each cell are all that can be drawn. Hashes are negated because
    # heapq keeps the smallest on top.
    cells: dict[Cell, list[tuple[int, Aggregates]]] = defaultdict(list)
    bucket_of = _bucketing(strata, cuts)
    for user in read():
        cell = cells[tuple([bucket(user) for bucket in bucket_of])]
        entry = (-hash_of(seed, user.user_id), user)
        if len(cell) < n:
            heapq.heappush(cell, entry)
        elif entry > cell[0]:
            heapq.heapreplace(cell, entry)
    return [UserRow(**user._asdict()) for user in taken_evenly(cells, seed, n)]


def quantile_cuts(users: Iterable[Aggregates], strata: Sequence[Stratum]) -> dict[Stratum, list[float]]:
    """For each stratum the last value of each bucket but the highest; fewer than six where many users are alike."""
    values: dict[Stratum, array[float]] = {stratum: array("d") for stratum in strata}
    columns = [(NUMBERS[stratum], values[stratum]) for stratum in strata]
    for user in users:
        for number, column in columns:
            column.append(number(user))
    return {stratum: cuts_of(column) for stratum, column in values.items()}


def cuts_of(numbers: "array[float]") -> list[float]:
    if not numbers:
        return []
    ordered = sorted(numbers)
    return sorted({ordered[len(ordered) * part // whole] for part, whole in SHARES})


def _bucketing(strata: Sequence[Stratum], cuts: dict[Stratum, list[float]]) -> list[Callable[[Aggregates], int | str]]:
    """For each stratum what gives a user's bucket; closures, since millions pass through."""

    def numbered(stratum: Stratum) -> Callable[[Aggregates], int]:
        number, ends = NUMBERS[stratum], cuts[stratum]
        return lambda user: bisect_left(ends, number(user))

    return [numbered(stratum) if stratum in NUMBERS else attrgetter("top_category") for stratum in strata]


def taken_evenly(cells: dict[Cell, list[tuple[int, Aggregates]]], seed: int | str, n: int) -> list[Aggregates]:
    """Up to ``n`` users, each from the least used bucket of one stratum, the strata taking turns.

    Among the cells of that bucket the one is chosen whose other buckets have been used least for their share, ties in
    seeded order: only a bucket's cells are looked at for each user, not all.
    """
    open_cells = {cell: sorted(cells[cell]) for cell in sorted(cells, key=lambda cell: hash_of(seed, repr(cell)))}
    # By stratum and bucket; dicts serve as sets that keep the seeded order.
    holders: list[dict[int | str, dict[Cell, None]]] = [defaultdict(dict) for _ in next(iter(open_cells), ())]
    for cell in open_cells:
        for stratum, bucket in enumerate(cell):
            holders[stratum][bucket][cell] = None
    buckets = [len(of_stratum) for of_stratum in holders]
    used: list[Counter[int | str]] = [Counter() for _ in holders]
    taken: list[Aggregates] = []

    def use(cell: Cell) -> int:
        return sum(used[stratum][bucket] * buckets[stratum] for stratum, bucket in enumerate(cell))

    while open_cells and len(taken) < n:
        among: Iterable[Cell] = open_cells
        if holders:
            turn = len(taken) % len(holders)
            least = min(holders[turn], key=lambda bucket: used[turn][bucket])
            among = holders[turn][least]
        cell = min(among, key=use)
        taken.append(open_cells[cell].pop()[1])
        for stratum, bucket in enumerate(cell):
            used[stratum][bucket] += 1
        if not open_cells[cell]:
            del open_cells[cell]
            _leave_out(cell, holders)
    return taken


def _leave_out(cell: Cell, holders: list[dict[int | str, dict[Cell, None]]]) -> None:
    for stratum, bucket in enumerate(cell):
        del holders[stratum][bucket][cell]
        if not holders[stratum][bucket]:
            del holders[stratum][bucket]


def hash_of(seed: int | str, key: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}|{key}".encode()).digest()[:8])
