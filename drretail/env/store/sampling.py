"""A seeded sample of users, spread over strata: the same for every store; memory holds one number a user, no rows."""

import hashlib
import heapq
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

from drretail.env.store.base import Stratum
from drretail.records.shop import UserRow

QUANTILES = 4


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
    """``n`` users (all, where there are fewer), in order of user id; ``read`` passes over the users anew at each call.

    Every user falls into one cell: its quartile of orders, recency and spend, and its top category. The cells, in
    seeded order, give one user each in turn until there are enough, within a cell also in seeded order: rare kinds of
    users are as likely as common ones.
    """
    if n < 1:
        return []
    cuts = quantile_cuts(read(), [stratum for stratum in strata if stratum in NUMBERS])
    # The n users with the smallest hashes of each cell are all that can be drawn. Hashes are negated because
    # heapq keeps the smallest on top.
    cells: dict[Cell, list[tuple[int, Aggregates]]] = defaultdict(list)
    for user in read():
        cell = cells[cell_of(user, strata, cuts)]
        entry = (-hash_of(seed, user.user_id), user)
        if len(cell) < n:
            heapq.heappush(cell, entry)
        else:
            heapq.heappushpop(cell, entry)
    return [as_row(user) for user in sorted(take_in_turn(cells, seed, n), key=lambda user: user.user_id)]


def quantile_cuts(users: Iterable[Aggregates], strata: Sequence[Stratum]) -> dict[Stratum, list[float]]:
    """For each stratum the last value of each bucket but the highest; fewer than three where many users are alike."""
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
    return sorted({ordered[len(ordered) * part // QUANTILES] for part in range(1, QUANTILES)})


def cell_of(user: Aggregates, strata: Sequence[Stratum], cuts: dict[Stratum, list[float]]) -> Cell:
    return tuple(
        bisect_left(cuts[stratum], NUMBERS[stratum](user)) if stratum in NUMBERS else user.top_category
        for stratum in strata
    )


def take_in_turn(cells: dict[Cell, list[tuple[int, Aggregates]]], seed: int | str, n: int) -> list[Aggregates]:
    order = sorted(cells, key=lambda cell: hash_of(seed, repr(cell)))
    queues = [[entry[1] for entry in sorted(cells[cell])] for cell in order]
    taken: list[Aggregates] = []
    while queues and len(taken) < n:
        taken += [queue.pop() for queue in queues[: n - len(taken)]]
        queues = [queue for queue in queues if queue]
    return taken


def hash_of(seed: int | str, key: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}|{key}".encode()).digest()[:8])


def as_row(user: Aggregates) -> UserRow:
    return UserRow(
        user_id=user.user_id,
        n_orders=user.n_orders,
        spend=user.spend,
        last_order=user.last_order,
        top_category=user.top_category,
    )
