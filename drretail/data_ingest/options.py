"""What a person may choose about an ingest."""

from datetime import UTC, date, datetime
from typing import Literal

from pydantic import Field

from drretail.data_ingest.categories import Preset
from drretail.records.base import Record

CapBy = Literal["hash", "interactions"]
Holdout = Literal["none", "last"]


class IngestOptions(Record):
    """The defaults are the paper's: at most 10k products a category, each with 5 interactions since 2019."""

    preset: Preset | None = None
    """Takes only the preset's categories; None takes every category that there is."""
    category: str | None = Field(default=None, min_length=1)
    """For product files whose name and folder name no category."""
    cap: int = Field(default=10_000, ge=1)
    cap_by: CapBy = "hash"
    min_interactions: int = Field(default=5, ge=0)
    since: date = date(2019, 1, 1)
    seed: str = "42"
    vary_orders: bool = False
    holdout: Holdout = "none"
    """"last": each user's last order is kept apart, out of the world."""
    profile_pool: str | None = None
    """"faker:LOCALE" draws another pool of names and addresses; None is the shipped one."""

    @property
    def since_ms(self) -> int:
        """Midnight UTC of ``since`` in milliseconds."""
        return int(datetime(self.since.year, self.since.month, self.since.day, tzinfo=UTC).timestamp()) * 1000
