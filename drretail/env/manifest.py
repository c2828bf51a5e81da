"""A world's description of itself, its rows, and the fingerprint by which runs recognise it."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from pydantic import Field, ValidationError

from drretail.env.catalog.base import Analyzer, Language
from drretail.env.profiles import ProfilePool
from drretail.errors import UserError
from drretail.files import read_json
from drretail.records.base import FORMAT, Document, Record, canonical_json, fault_of, sha256_of
from drretail.records.shop import Order, Product
from drretail.records.tables.figures import counted

MANIFEST_FILE = "manifest.json"
DATABASE_FILE = "shop.sqlite"
INDEX_FOLDER = "index"
HOLDOUT_FILE = "holdout.jsonl"
"""The held-out orders of a world; nothing that agents can call reads it."""
INDEX_VERSION = "index"
"""The key of the index formulation in ``versions``."""
NOW_WITHOUT_ORDERS = datetime(2023, 10, 1, tzinfo=UTC)


class OrderRow(NamedTuple):
    """An order on its way into a world. A tuple and not a record, since millions of orders pass."""

    order_id: str
    user_id: str
    product_id: str
    timestamp: int
    """Milliseconds UTC."""
    quantity: int = 1
    order_status: str = "Delivered"

    @property
    def place(self) -> tuple[str, int, str]:
        """The order's position among all: by user, time, id."""
        return self.user_id, self.timestamp, self.order_id

    def as_order(self) -> Order:
        """The validated record."""
        return Order.model_validate(self._asdict())


class CategoryCounts(Record):
    """The rows of one category's files: read, kept and dropped."""

    name: str
    products: int
    users: int
    orders: int
    rows_read: int = 0
    dropped: dict[str, int] = Field(default_factory=dict)
    """Reason → number of rows."""


class SourceFile(Record):
    """One raw file that a world was made from."""

    name: str
    size: int
    sha256: str
    modified: int | None = None
    """Nanoseconds since 1970; with it the same file is recognised without being read."""


class Counts(Record):
    products: int
    users: int
    orders: int


class Origin(TypedDict, total=False):
    """The origin of a world's rows, as its manifest states it."""

    since: date | None
    """Orders before this day were left out."""
    parameters: Mapping[str, Any] | None
    categories: Iterable[CategoryCounts]
    sources: Iterable[SourceFile]
    versions: Mapping[str, str] | None
    """The versions of the programs that made the rows."""


# The keys of engines' versions; a copy of the world elsewhere has others.
KEEPERS = frozenset({"tantivy", "mongodb", "elasticsearch"})


class Manifest(Document):
    """manifest.json of a world."""

    fingerprint: str
    seed: str
    now: datetime
    """The shop's today: midnight UTC after the last order."""
    since: date | None = None
    """Orders before this day were left out."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    categories: tuple[CategoryCounts, ...] = ()
    counts: Counts
    priced: int | None = None
    """The number of products with a price; None in worlds of earlier versions."""
    sources: tuple[SourceFile, ...] = ()
    versions: dict[str, str] = Field(default_factory=dict)
    """The versions of drretail and its engines, and the index formulation."""
    profile_pool: str
    """The hash of the pool that profiles are derived from."""
    analyzer: Analyzer = "standard"
    """The analyzer of product searches; a world without the field was made when there was only this one."""

    @property
    def is_own_shop(self) -> bool:
        """True for a shop read by a mapping of its columns. Its orders may be of products that it has no more."""
        return "mapping" in self.parameters

    @property
    def language(self) -> Language:
        """The language of the shop's texts according to the analyzer; English if the analyzer names none."""
        return "english" if self.analyzer == "standard" else self.analyzer

    @property
    def origin(self) -> Origin:
        """The origin for a copy of the rows."""
        return Origin(
            since=self.since,
            parameters=self.parameters,
            categories=self.categories,
            sources=self.sources,
            versions={name: version for name, version in self.versions.items() if name not in KEEPERS},
        )

    @property
    def headline(self) -> str:
        """The shop's size, in one line."""
        return headline(self.counts, self.priced)

    @property
    def generation(self) -> str:
        """The name of the folder that holds a world with this fingerprint."""
        return f"gen-{self.fingerprint[:12]}"


def headline(counts: Counts, priced: int | None) -> str:
    """ "400 products, 96 users, 5,210 orders; with a price: 371 of 400"."""
    line = ", ".join(
        (counted(counts.products, "product"), counted(counts.users, "user"), counted(counts.orders, "order"))
    )
    return line if priced is None else f"{line}; with a price: {priced:,} of {counts.products:,}"


class LineHash:
    """sha256 over lines that come one at a time; it hashes in batches, so that millions of lines are cheap."""

    def __init__(self) -> None:
        self._sha = hashlib.sha256()
        self._waiting: list[str] = []

    def add(self, line: str) -> None:
        self._waiting.append(line)
        if len(self._waiting) >= 1000:
            self._flush()

    def add_all(self, lines: Iterable[str]) -> None:
        """Adds each line."""
        self._waiting.extend(lines)
        if self._waiting:
            self._flush()

    def hexdigest(self) -> str:
        self._flush()
        return self._sha.hexdigest()

    def _flush(self) -> None:
        self._waiting.append("")
        self._sha.update("\n".join(self._waiting).encode("utf-8"))
        self._waiting.clear()


def product_line(product: Product) -> str:
    """The canonical JSON of a product, which the fingerprint hashes and the store keeps."""
    return canonical_json(product.model_dump(mode="json"))


def order_line(row: OrderRow) -> str:
    """The fields of an order between tabs, which the fingerprint hashes."""
    # By index: millions of orders pass, and a join would take twice as long.
    return f"{row[0]}\t{row[1]}\t{row[2]}\t{row[3]}\t{row[4]}\t{row[5]}"


def holdout_line(row: OrderRow) -> str:
    """A held-out order as a line of HOLDOUT_FILE."""
    return canonical_json(row._asdict())


def world_fingerprint(
    *, products: str, orders: str, seed: str, pool: str, formulation: str, holdout: str | None = None
) -> str:
    """sha256 over everything that decides what an agent can see, and what evaluation compares its guesses with.

    ``products``, ``orders`` and ``holdout`` (None if no orders are held out) are line hashes.
    """
    parts = {
        "format": FORMAT,
        "products": products,
        "orders": orders,
        "seed": seed,
        "profile_pool": pool,
        "index": formulation,
    }
    return sha256_of(parts if holdout is None else {**parts, "holdout": holdout})


def read_manifest(generation: Path) -> Manifest:
    """The manifest in a generation's folder. Raises UserError if it is missing, damaged or of another format."""
    path = generation / MANIFEST_FILE
    value = read_json(path)
    try:
        return Manifest.model_validate(value)
    except ValidationError as problem:
        raise UserError(f"{path} is damaged ({fault_of(problem)}). Make the world anew.") from problem


@dataclass(frozen=True, slots=True)
class WorldRows:
    """A world's rows. Each stream can be read once, products first."""

    manifest: Manifest
    pool: ProfilePool
    products: Iterable[Product]
    """In order of id."""
    orders: Iterable[OrderRow]
    """In order of user id, time and order id."""
    holdout: Iterable[OrderRow] | None
    """The held-out orders, in their order; None if none are held out."""


def by_user(rows: Iterable[OrderRow]) -> Mapping[str, Sequence[OrderRow]]:
    """The rows of each user, oldest first."""
    users: dict[str, list[OrderRow]] = defaultdict(list)
    for row in rows:
        users[row.user_id].append(row)
    return {user_id: sorted(users[user_id], key=lambda row: row.place) for user_id in sorted(users)}
