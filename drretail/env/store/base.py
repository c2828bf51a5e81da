"""The contract of every store."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from drretail.errors import DamagedRecord
from drretail.records.shop import Order, OrderStatus, Product, UserProfile, UserRow, UserStatistics, variant_ids
from drretail.shopping.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class OrderPage:
    """Some orders of a user, newest first (ties by order id), and the number of all."""

    total: int
    orders: tuple[Order, ...]


MOST_KEPT = 4096
"""The most records of a kind that a store remembers. A run reads 130 products; the next reads most of them again."""
Kind = TypeVar("Kind")


class Cached(Generic[Kind]):
    """Records by id, as far as a store has them: each is read once."""

    def __init__(self, read: Callable[[Sequence[str]], dict[str, Kind]]) -> None:
        self._read = read
        self._kept: dict[str, Kind] = {}

    def of(self, ids: Sequence[str]) -> dict[str, Kind]:
        kept = self._kept
        records = {record_id: kept[record_id] for record_id in ids if record_id in kept}
        missing = [record_id for record_id in ids if record_id not in records]
        if missing:
            read = self._read(missing)
            if len(kept) + len(read) > MOST_KEPT:
                # A new dict: threads that still use the old one find all that they saw in it.
                self._kept = kept = {}
            if len(read) <= MOST_KEPT:
                kept |= read
            records |= read
        return {record_id: records[record_id] for record_id in ids if record_id in records}


def readable(what: str, record_id: object, read: Callable[[], Kind]) -> Kind:
    """What ``read`` makes of a stored record. Raises DamagedRecord if it can make nothing of it."""
    try:
        return read()
    except (LookupError, TypeError, ValueError, OverflowError) as problem:
        raise DamagedRecord(what, record_id) from problem


def of_variants(ids: Sequence[str], read: Callable[[Sequence[str]], Iterable[Product]]) -> dict[str, Product]:
    """The product of each id of an offer or a variant, if it is one product's alone; ``read`` gives all products with
    one of these variants.
    """
    owners: dict[str, list[Product]] = {name: [] for name in ids}
    for product in read([name.rpartition("/")[2] for name in ids]) if ids else ():
        for variant_id in variant_ids(product):
            for name in (variant_id, f"{product.product_id}/{variant_id}"):
                owners.get(name, []).append(product)
    return {name: of_id[0] for name, of_id in owners.items() if len(of_id) == 1}


class Store(Protocol):
    """Products, users and orders by id. Synchronous and safe to use from several threads.

    A missing id raises NotFound, and a record that cannot be read DamagedRecord. ``products`` leaves missing ids out.
    The id of an offer gives its product, and so does that of its variant alone, if no other product has a variant of
    that id.
    """

    def product(self, product_id: str) -> Product: ...

    def products(self, product_ids: Sequence[str]) -> dict[str, Product]: ...

    def user(self, user_id: str) -> UserProfile:
        """The derived profile. No run changes it: a run's updates stay in its session."""
        ...

    def order(self, order_id: str) -> Order: ...

    def orders(
        self, user_id: str, status: OrderStatus | None = None, limit: int | None = None, offset: int = 0
    ) -> OrderPage: ...

    def statistics(self, user_id: str) -> UserStatistics: ...

    def sample_users(self, seed: int | str, n: int) -> list[UserRow]:
        """``n`` users, or all if there are fewer, of every kind; the same for the same seed on every backend.

        The first users of a sample are the sample of fewer users.
        """
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the fields of the first ``SAMPLE`` products by id."""
        ...

    def close(self) -> None: ...
