"""A seeded sample of users, spread over strata, the same for every store; memory holds a few numbers for each user."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from drretail.env.store.base import Stratum
from drretail.records.shop import UserRow

if TYPE_CHECKING:
    import numpy as np

# The quantiles of users that bound the buckets. Numbers of orders and spend have long tails: with quarters only,
# users with very many orders would share a bucket with users who have ordered four times.
SHARES = ((1, 4), (1, 2), (3, 4), (7, 8), (15, 16), (31, 32))


class Aggregates(NamedTuple):
    """A row of the table users: UserRow as a tuple, since millions are read."""

    user_id: str
    n_orders: int
    spend: float
    last_order: int
    top_category: str


COLUMNS: dict[Stratum, int] = {"orders": 1, "spend": 2, "recency": 3, "category": 4}
"""The position of a stratum's value in Aggregates; all strata but the category are divided into buckets."""
_BATCH = 1_000
_NAMED = 10_000  # the size of a request to a server is bounded
ReadUsers = Callable[[Sequence[int] | None], Iterable[Aggregates]]
"""Reads the users with one of these last orders, or (None) all."""

Cell = tuple[int | str, ...]
"""One bucket of each stratum."""


def sample_users(read: ReadUsers, seed: int | str, n: int, strata: Sequence[Stratum]) -> list[UserRow]:
    """``n`` users, or all if there are fewer.

    Every user falls into one cell: the buckets of the user's orders, recency and spend, and the top category. Users are
    taken one by one, each from the cell that leaves the buckets of all strata most evenly used, and within a cell in
    seeded order. So even a few users spread over every stratum, and rare kinds of users are as likely as common ones.
    Users are returned in the order in which they were taken, so that the first of a sample are a smaller sample.
    """
    if n < 1:
        return []
    hashes, last_orders, columns, categories = _columns(read(None), seed, strata)
    buckets = [
        _bucketed(column) if name != "category" else column for name, column in zip(strata, columns, strict=True)
    ]
    names = [categories if name == "category" else None for name in strata]
    taken = taken_evenly(dict(_cells(hashes, buckets, names, n)), seed, n)
    # Users are found again by their last orders, since no store can look up the hashes.
    last = [int(last_orders[place]) for place in taken]
    found = {hash_of(seed, user[0]): user for user in read(last if n <= _NAMED else None)}
    return [UserRow(**Aggregates._make(found[int(hashes[place])])._asdict()) for place in taken]


def _columns(
    users: Iterable[Aggregates], seed: int | str, strata: Sequence[Stratum]
) -> "tuple[np.ndarray, np.ndarray, list[np.ndarray], list[str]]":
    """Each user's hash, last order and value of each stratum. A top category is an index into the list
    returned last.
    """
    import numpy as np

    codes: dict[str, int] = {}
    parts: list[list[np.ndarray]] = []
    rest = iter(users)
    while batch := list(islice(rest, _BATCH)):
        columns: list[Sequence[Any]] = list(zip(*batch, strict=True))
        digests = [hashlib.sha256(f"{seed}|{user_id}".encode()).digest()[:8] for user_id in columns[0]]
        columns[4] = [codes.setdefault(category, len(codes)) for category in columns[4]]
        parts.append([np.frombuffer(b"".join(digests), ">u8").astype("u8"), np.array(columns[3], "i8")])
        parts[-1] += [np.array(columns[COLUMNS[stratum]], "f8") for stratum in strata]
    whole = [np.concatenate(column) for column in zip(*parts, strict=True)] or [np.zeros(0)] * (2 + len(strata))
    return whole[0], whole[1], whole[2:], list(codes)


def _bucketed(column: "np.ndarray") -> "np.ndarray":
    """The bucket of each value; fewer than seven buckets if many users are alike."""
    import numpy as np

    places = [len(column) * part // whole for part, whole in SHARES] if len(column) else []
    return np.searchsorted(np.unique(np.sort(column)[places]), column)


def _cells(
    hashes: "np.ndarray", buckets: "Sequence[np.ndarray]", names: Sequence[list[str] | None], n: int
) -> Iterator[tuple[Cell, list[int]]]:
    """For each cell, the positions of its ``n`` users with the smallest hashes, smallest last. No other user can be
    drawn.
    """
    import numpy as np

    cell_of = np.zeros(len(hashes), "i8")
    for bucket in buckets:
        cell_of = cell_of * (int(bucket.max(initial=0)) + 1) + bucket.astype("i8")
    order = np.lexsort([hashes, cell_of])
    starts = [0, *(np.flatnonzero(np.diff(cell_of[order])) + 1).tolist(), len(order)] if len(order) else []
    for start, end in pairwise(starts):
        first = order[start]
        numbers = [int(bucket[first]) for bucket in buckets]
        cell = tuple(number if of is None else of[number] for number, of in zip(numbers, names, strict=True))
        yield cell, order[start : min(end, start + n)][::-1].tolist()


def taken_evenly(cells: dict[Cell, list[int]], seed: int | str, n: int) -> list[int]:
    """Up to ``n`` users, each from the least used bucket of one stratum; the strata take turns.

    Among the cells of that bucket, the one is chosen whose other buckets have been used least for their share, ties in
    seeded order. So only one bucket's cells are compared for each user, not all. Within a cell, users are taken from
    the last one on.
    """
    open_cells = {cell: cells[cell] for cell in sorted(cells, key=lambda cell: hash_of(seed, repr(cell)))}
    # By stratum and bucket; dicts are used as sets that keep the seeded order.
    holders: list[dict[int | str, dict[Cell, None]]] = [defaultdict(dict) for _ in next(iter(open_cells), ())]
    for cell in open_cells:
        for stratum, bucket in enumerate(cell):
            holders[stratum][bucket][cell] = None
    buckets = [len(of_stratum) for of_stratum in holders]
    used: list[Counter[int | str]] = [Counter() for _ in holders]
    taken: list[int] = []

    def use(cell: Cell) -> int:
        return sum(used[stratum][bucket] * buckets[stratum] for stratum, bucket in enumerate(cell))

    while open_cells and len(taken) < n:
        among: Iterable[Cell] = open_cells
        if holders:
            turn = len(taken) % len(holders)
            least = min(holders[turn], key=lambda bucket: used[turn][bucket])
            among = holders[turn][least]
        cell = min(among, key=use)
        taken.append(open_cells[cell].pop())
        for stratum, bucket in enumerate(cell):
            used[stratum][bucket] += 1
        if not open_cells[cell]:
            del open_cells[cell]
            for stratum, bucket in enumerate(cell):
                del holders[stratum][bucket][cell]
                if not holders[stratum][bucket]:
                    del holders[stratum][bucket]
    return taken


def hash_of(seed: int | str, key: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}|{key}".encode()).digest()[:8])
