"""A seeded sample of users, spread over strata, the same for every store; memory holds a few numbers for each user."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
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

Cell = tuple[int | str, ...]
"""One bucket of each stratum."""


def sample_users(
    read: Callable[[], Iterable[Aggregates]], seed: int | str, n: int, strata: Sequence[Stratum]
) -> list[UserRow]:
    """``n`` users, or all if there are fewer.

    Every user falls into one cell: the buckets of the user's orders, recency and spend, and the top category. Users are
    taken one by one, each from the cell that leaves the buckets of all strata most evenly used, and within a cell in
    seeded order. So even a few users spread over every stratum, and rare kinds of users are as likely as common ones.
    Users are returned in the order in which they were taken, so that the first of a sample are a smaller sample.
    """
    if n < 1:
        return []
    ids: list[str] = []
    cells = dict(cells_of((ids.append(user[0]) or user for user in read()), strata))
    sizes = {cell: len(places) for cell, places in cells.items()}
    drawn = drawn_from(sizes, lambda cell: (ids[place] for place in cells[cell]), seed, n)
    return rows_of(drawn, read())


def drawn_from(
    sizes: Mapping[Cell, int], ids_of: Callable[[Cell], Iterable[str]], seed: int | str, n: int
) -> list[str]:
    """The ids of the same users. Only the cells that are drawn from are read: to hash a million ids takes seconds."""
    taken = taken_evenly(sizes, seed, n)
    first = {
        cell: iter(nsmallest(count, ids_of(cell), key=lambda user_id: hash_of(seed, user_id)))
        for cell, count in Counter(taken).items()
    }
    return [next(first[cell]) for cell in taken]


def rows_of(user_ids: Sequence[str], users: Iterable[Sequence[Any]]) -> list[UserRow]:
    """The rows of these users, among others, in the order of their ids."""
    wanted = set(user_ids)
    aggregates = {user[0]: Aggregates._make(user) for user in users if user[0] in wanted}
    return [UserRow(**aggregates[user_id]._asdict()) for user_id in user_ids]


def cells_of(users: Iterable[Sequence[Any]], strata: Sequence[Stratum]) -> Iterator[tuple[Cell, list[int]]]:
    """Each cell with the places of its users."""
    import numpy as np

    codes: dict[str, int] = {}
    parts: list[list[np.ndarray]] = []
    rest, count = iter(users), 0
    while batch := list(islice(rest, _BATCH)):
        columns: list[Sequence[Any]] = list(zip(*batch, strict=True))
        columns[4] = [codes.setdefault(category, len(codes)) for category in columns[4]]
        parts.append([np.array(columns[COLUMNS[stratum]], "f8") for stratum in strata])
        count += len(batch)
    if not count or not strata:
        yield from [((), [*range(count)])] if count else []
        return
    whole = [np.concatenate(column) for column in zip(*parts, strict=True)]
    buckets = [column if name == "category" else _bucketed(column) for name, column in zip(strata, whole, strict=True)]
    cell_of = np.zeros(len(whole[0]), "i8")
    for bucket in buckets:
        cell_of = cell_of * (int(bucket.max()) + 1) + bucket.astype("i8")
    order, names = np.argsort(cell_of, kind="stable"), [*codes]
    starts = [0, *(np.flatnonzero(np.diff(cell_of[order])) + 1).tolist(), len(order)]
    for start, end in pairwise(starts):
        numbers = [int(bucket[order[start]]) for bucket in buckets]
        cell = [names[of] if name == "category" else of for name, of in zip(strata, numbers, strict=True)]
        yield tuple(cell), order[start:end].tolist()


def _bucketed(column: "np.ndarray") -> "np.ndarray":
    """The bucket of each value; fewer than seven buckets if many users are alike."""
    import numpy as np

    places = [len(column) * part // whole for part, whole in SHARES] if len(column) else []
    return np.searchsorted(np.unique(np.sort(column)[places]), column)


def taken_evenly(sizes: Mapping[Cell, int], seed: int | str, n: int) -> list[Cell]:
    """The cells of up to ``n`` users, each of the least used bucket of one stratum; the strata take turns.

    Among the cells of that bucket, the one is chosen whose other buckets have been used least for their share, ties in
    seeded order. So only one bucket's cells are compared for each user, not all.
    """
    open_cells = {cell: sizes[cell] for cell in sorted(sizes, key=lambda cell: hash_of(seed, repr(cell)))}
    # By stratum and bucket; dicts are used as sets that keep the seeded order.
    holders: list[dict[int | str, dict[Cell, None]]] = [defaultdict(dict) for _ in next(iter(open_cells), ())]
    for cell in open_cells:
        for stratum, bucket in enumerate(cell):
            holders[stratum][bucket][cell] = None
    buckets = [len(of_stratum) for of_stratum in holders]
    used: list[Counter[int | str]] = [Counter() for _ in holders]
    taken: list[Cell] = []

    def use(cell: Cell) -> int:
        return sum(used[stratum][bucket] * buckets[stratum] for stratum, bucket in enumerate(cell))

    while open_cells and len(taken) < n:
        among: Iterable[Cell] = open_cells
        if holders:
            turn = len(taken) % len(holders)
            least = min(holders[turn], key=lambda bucket: used[turn][bucket])
            among = holders[turn][least]
        cell = min(among, key=use)
        taken.append(cell)
        open_cells[cell] -= 1
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
