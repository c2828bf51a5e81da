"""What an ingest read, kept and dropped, and why: numbers that add up."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from drretail.env.manifest import Counts
from drretail.records.base import Document, Record


class BadLine(Record):
    line: int
    problem: str


class Funnel(Record):
    """How many rows were read, kept, and dropped by reason. ``read`` = ``kept`` + all ``dropped``."""

    read: int = 0
    kept: int = 0
    dropped: dict[str, int] = Field(default_factory=dict[str, int])

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.read != self.kept + sum(self.dropped.values()):
            raise ValueError(f"{self.read} read is not {self.kept} kept + {self.dropped} dropped")
        return self

    @classmethod
    def total(cls, parts: Iterable[Self]) -> Self:
        """The sum of several funnels, with reasons in order of appearance."""
        read, kept, dropped = 0, 0, dict[str, int]()
        for part in parts:
            read, kept = read + part.read, kept + part.kept
            for reason, count in part.dropped.items():
                dropped[reason] = dropped.get(reason, 0) + count
        return cls(read=read, kept=kept, dropped=dropped)


class FileReport(Record):
    """One file: what it is, and its rows if it was read."""

    name: str
    shape: Literal["products", "reviews", "unknown", "empty"]
    category: str | None = None
    rows: int = 0
    """Good and bad rows."""
    bad_lines: int = 0
    late: int = 0
    """The bad lines that are dated later than the last day."""
    shown: tuple[BadLine, ...] = ()
    """The first of the bad lines."""
    skipped: str | None = None
    """Why it was not read."""
    notes: tuple[str, ...] = ()
    """Remarks about the file, for the user."""
    first: tuple[dict[str, Any], ...] = ()
    """The first rows of a table of your own shop, in the form of the dataset."""


class CategoryReport(Record):
    """One category. "(none)" counts what belongs to no known category."""

    name: str
    products: Funnel
    reviews: Funnel
    users: int
    """Users with an order in this category; one user may count in several."""


class ReplacedWorld(Record):
    """The world that was live before; it is kept until the next one comes."""

    generation: str
    fingerprint: str
    headline: str


class IngestReport(Document):
    """The result of ``ingest``. ``products`` and ``reviews`` are the sums over the categories.

    If the world was ``there_already``, nothing was read, and so files and rows are not reported.
    """

    world: str | None = None
    """The folder; None after a dry run."""
    fingerprint: str | None = None
    files: tuple[FileReport, ...] = ()
    categories: tuple[CategoryReport, ...] = ()
    products: Funnel = Funnel()
    reviews: Funnel = Funnel()
    users: int
    products_without_meta: int = 0
    """Number of products that have reviews but no row in a product file."""
    counts: Counts | None = None
    """Counts of the world; None after a dry run."""
    priced: int | None = None
    """Products of the world with a price."""
    now: datetime | None = None
    """The shop's today; None after a dry run."""
    there_already: bool = False
    """True if the live world was made from the same files with the same options."""
    replaced: ReplacedWorld | None = None
