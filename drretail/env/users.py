"""Users: people derived from their ids, a user's statistics, and users sampled evenly over strata."""

import hashlib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import nsmallest
from importlib import resources
from itertools import islice, pairwise
from operator import getitem
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic import model_validator

from drretail.env.profile import orders_per_month
from drretail.records.base import Document, Record, sha256_of
from drretail.records.shop import (
    ORDER_STATUSES,
    USD,
    VOID_STATUSES,
    Address,
    CountOf,
    Order,
    Product,
    ProductCount,
    UserProfile,
    UserRow,
    UserStatistics,
)

if TYPE_CHECKING:
    import numpy as np

POOL_FILE = "profile_pool.json"
EMAIL_HOSTS = ("example.com", "example.org", "example.net")


class City(Record):
    """A city with its state, zip and telephone area code; parts that a country lacks are empty."""

    city: str
    state: str
    zip: str
    area_code: str = ""


class ProfilePool(Document):
    """The parts that profiles are put together from; a world keeps the pool it was made with."""

    version: int
    locale: str
    country: str
    """ISO 3166 code, such as "US"."""
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    streets: tuple[str, ...]
    places: tuple[City, ...]

    @model_validator(mode="after")
    def _has_every_part(self) -> Self:
        if not (self.first_names and self.last_names and self.streets and self.places):
            raise ValueError("a profile pool needs first names, last names, streets and places")
        return self

    @property
    def hash(self) -> str:
        """sha256 of the content, part of a world's fingerprint."""
        return sha256_of(self.model_dump(mode="json"))


@cache
def default_pool() -> ProfilePool:
    """The pool that ships with drretail (scripts/draw_profile_pool.py drew it)."""
    text = resources.files("drretail.env").joinpath(POOL_FILE).read_text(encoding="utf-8")
    return ProfilePool.model_validate_json(text)


def derive_profile(pool: ProfilePool, seed: int | str, user_id: str) -> UserProfile:
    """The person behind a user id (Listing 1 of the paper): a pure function of the three arguments.

    E-mail addresses end in domains reserved for examples. Telephone numbers are in 555-0100 to 555-0199, which nobody
    has.
    """
    digest = hashlib.sha256(f"{seed}|{user_id}".encode()).digest()
    draws = [int.from_bytes(digest[start : start + 4]) for start in range(0, 32, 4)]
    first_name = pool.first_names[draws[0] % len(pool.first_names)]
    last_name = pool.last_names[draws[1] % len(pool.last_names)]
    street = pool.streets[draws[2] % len(pool.streets)]
    place = pool.places[draws[3] % len(pool.places)]
    host = EMAIL_HOSTS[draws[6] % len(EMAIL_HOSTS)]
    # Not validated: the parts were checked with the pool, and validation would cost more than the rest.
    return UserProfile.model_construct(
        user_id=user_id,
        email=f"{mailbox(first_name, last_name)}{draws[5] % 100:02d}@{host}",
        first_name=first_name,
        last_name=last_name,
        phone_number="-".join(part for part in (place.area_code, "555", f"01{draws[7] % 100:02d}") if part),
        address=Address.model_construct(
            address1=f"{1 + draws[4] % 9899} {street}",
            city=place.city,
            state=place.state,
            zip=place.zip,
            country=pool.country,
        ),
        account_status="active",
    )


def mailbox(first_name: str, last_name: str) -> str:
    """ "Zoë", "O'Neil" → "zoe.oneil"; "customer" if neither name has an ASCII letter."""
    parts = (ascii_letters(first_name), ascii_letters(last_name))
    return ".".join(part for part in parts if part) or "customer"


def ascii_letters(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    return "".join(letter for letter in plain.lower() if letter.isalnum())


TOP = 5
"""The number of favourites of a kind that are listed."""


def user_statistics(user_id: str, orders: Sequence[Order], products: Mapping[str, Product]) -> UserStatistics:
    """The statistics over all orders of a user, given in any order; prices are today's.

    Favourites are the ``TOP`` with most orders, ties by name or product id; categories are leaf categories. Amounts are
    rounded to cents, orders a month to two digits, the share to four.
    """
    by_status = Counter(order.order_status for order in orders)
    valid = sorted(
        (order for order in orders if order.order_status not in VOID_STATUSES),
        key=lambda order: (order.timestamp, order.order_id),
    )
    pairs = [(order, products[order.product_id]) for order in valid if order.product_id in products]
    bought = [product for _, product in pairs]
    amounts = [order.quantity * product.price for order, product in pairs if product.price is not None]
    spend = sum(amounts)
    distinct = len({order.product_id for order in valid})
    return UserStatistics(
        user_id=user_id,
        orders=len(orders),
        orders_by_status={status: by_status[status] for status in ORDER_STATUSES if by_status[status]},
        items=sum(order.quantity for order in valid),
        spend=round(spend, 2),
        # A shop has one currency.
        currency=next((product.currency for product in products.values()), USD),
        orders_with_unknown_price=len(valid) - len(amounts),
        mean_order=round(spend / len(amounts), 2) if amounts else None,
        first_order=valid[0].order_date if valid else None,
        last_order=valid[-1].order_date if valid else None,
        orders_per_month=orders_per_month(valid),
        top_categories=top_names(product.leaf_category for product in bought),
        top_brands=top_names(product.brand for product in bought),
        top_products=top_products(bought),
        # The share that repeats an earlier order of the same product.
        reorder_share=round((len(valid) - distinct) / len(valid), 4) if valid else None,
    )


def top_names(names: Iterable[str | None]) -> tuple[CountOf, ...]:
    counts = Counter(name for name in names if name)
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:TOP]
    return tuple(CountOf(name=name, orders=count) for name, count in best)


def top_products(bought: Sequence[Product]) -> tuple[ProductCount, ...]:
    counts = Counter(product.product_id for product in bought)
    titles = {product.product_id: product.title for product in bought}
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:TOP]
    return tuple(ProductCount(product_id=key, title=titles[key], orders=count) for key, count in best)


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


STRATA = {"orders": 1, "category": 4, "recency": 3, "spend": 2}
"""The position of a stratum's value in Aggregates; all strata but the category are divided into buckets."""
_BATCH = 1_000

Cell = tuple[int | str, ...]
"""One bucket of each stratum."""


def sample_users(read: Callable[[], Iterable[Aggregates]], seed: int | str, n: int) -> list[UserRow]:
    """``n`` users, or all if there are fewer.

    Every user falls into one cell: the buckets of the user's orders, recency and spend, and the top category. Users are
    taken one by one, each from the cell that leaves the buckets of all strata most evenly used, and within a cell in
    seeded order. So even a few users spread over every stratum, and rare kinds of users are as likely as common ones.
    Users are returned in the order in which they were taken, so that the first of a sample are a smaller sample.
    """
    if n < 1:
        return []
    ids: list[str] = []
    cells, rest = Cells(), iter(read())
    while batch := list(islice(rest, _BATCH)):
        cells.add(batch)
        ids += [user[0] for user in batch]
    places = dict(cells.users())
    sizes = {cell: len(of_cell) for cell, of_cell in places.items()}
    drawn = drawn_from(sizes, lambda cell: (ids[place] for place in places[cell]), seed, n)
    return user_rows(drawn, read())


def drawn_from(
    sizes: Mapping[Cell, int], ids_of: Callable[[Cell], Iterable[str]], seed: int | str, n: int
) -> list[str]:
    """The ids of the same users. Only the cells that are drawn from are read: to hash a million ids takes seconds."""
    taken = taken_evenly(sizes, seed, n)
    first = {
        cell: iter(nsmallest(count, ids_of(cell), key=lambda user_id: _hash_of(seed, user_id)))
        for cell, count in Counter(taken).items()
    }
    return [next(first[cell]) for cell in taken]


def user_rows(user_ids: Sequence[str], users: Iterable[Sequence[Any]]) -> list[UserRow]:
    """The rows of these users, among others, in the order of their ids."""
    wanted = set(user_ids)
    aggregates = {user[0]: Aggregates._make(user) for user in users if user[0] in wanted}
    return [UserRow(**aggregates[user_id]._asdict()) for user_id in user_ids]


class Cells:
    """The cells of users, who come in batches."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._parts: list[list[np.ndarray]] = []
        self._count = 0

    def add(self, batch: Sequence[Sequence[Any]]) -> None:
        """Adds the next users, each with the fields of Aggregates."""
        import numpy as np

        if batch:
            columns: list[Sequence[Any]] = list(zip(*batch, strict=True))
            columns[4] = [self._codes.setdefault(category, len(self._codes)) for category in columns[4]]
            self._parts.append([np.array(columns[place], "f8") for place in STRATA.values()])
            self._count += len(batch)

    def users(self) -> Iterator[tuple[Cell, list[int]]]:
        """Each cell with the places of its users in the order in which they came."""
        import numpy as np

        count = self._count
        if not count:
            return
        cell_of, buckets = np.zeros(count, "i8"), list[np.ndarray]()
        for name, batches in zip(STRATA, zip(*self._parts, strict=True), strict=True):
            bucket = np.concatenate(batches)
            if name != "category":
                # Fewer than seven buckets if many users are alike.
                bounds = [count * part // of for part, of in SHARES]
                bucket = np.searchsorted(np.unique(np.sort(bucket)[bounds]), bucket)
            buckets.append(bucket)
            cell_of = cell_of * (int(bucket.max()) + 1) + bucket.astype("i8")
        order, names = np.argsort(cell_of, kind="stable"), [*self._codes]
        starts = [0, *(np.flatnonzero(np.diff(cell_of[order])) + 1).tolist(), len(order)]
        for start, end in pairwise(starts):
            numbers = [int(bucket[order[start]]) for bucket in buckets]
            cell = [names[of] if name == "category" else of for name, of in zip(STRATA, numbers, strict=True)]
            yield tuple(cell), order[start:end].tolist()


def taken_evenly(sizes: Mapping[Cell, int], seed: int | str, n: int) -> list[Cell]:
    """The cells of up to ``n`` users, each of the least used bucket of one stratum; the strata take turns.

    Among the cells of that bucket, the one is chosen whose other buckets have been used least for their share, ties in
    seeded order. So only one bucket's cells are compared for each user, not all.
    """
    open_cells = {cell: sizes[cell] for cell in sorted(sizes, key=lambda cell: _hash_of(seed, repr(cell)))}
    # By stratum and bucket; dicts are used as sets that keep the seeded order.
    holders: list[dict[int | str, dict[Cell, None]]] = [defaultdict(dict) for _ in next(iter(open_cells), ())]
    for cell in open_cells:
        for stratum, bucket in enumerate(cell):
            holders[stratum][bucket][cell] = None
    buckets = [len(of_stratum) for of_stratum in holders]
    # How often each bucket was used, times the number of its stratum's buckets.
    used = [dict.fromkeys(of_stratum, 0) for of_stratum in holders]
    taken: list[Cell] = []

    while open_cells and len(taken) < n:
        among: Iterable[Cell] = open_cells
        if holders:
            turn = len(taken) % len(holders)
            least = min(holders[turn], key=used[turn].__getitem__)
            among = holders[turn][least]
        cell = min(among, key=lambda cell: sum(map(getitem, used, cell)))
        taken.append(cell)
        open_cells[cell] -= 1
        for stratum, bucket in enumerate(cell):
            used[stratum][bucket] += buckets[stratum]
        if not open_cells[cell]:
            del open_cells[cell]
            for stratum, bucket in enumerate(cell):
                del holders[stratum][bucket][cell]
                if not holders[stratum][bucket]:
                    del holders[stratum][bucket]
    return taken


def _hash_of(seed: int | str, key: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}|{key}".encode()).digest()[:8])
