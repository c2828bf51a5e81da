"""The progress of reading files, in words for a person who waits: rows, rate, time left."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Self

from drretail.progress import Bar, Progress
from drretail.records.tables.figures import counted

_PARTS = 100


class Meter:
    """Counts bytes and rows of files that are being read by any number of processes."""

    def __init__(self, bar: Bar, label: str, size: int, files: int) -> None:
        self._bar, self._label, self._size, self._files = bar, label, size, files
        self._began = time.monotonic()
        self._read = self._rows = self._parts = 0

    @classmethod
    @contextmanager
    def over(cls, progress: Progress, label: str, size: int, files: int) -> Generator[Self]:
        """A meter for ``size`` bytes in ``files`` files; the bar shows hundredths of the bytes."""
        with progress.track(label, _PARTS) as bar:
            meter = cls(bar, label, size, files)
            yield meter
            meter._move(_PARTS)
            if meter._rows:
                rate = f"{meter._rows:,} rows, {meter._rate():,.0f} rows/s"
                progress.note(f"{label}: {counted(files, 'file')}, {rate}")

    def tell(self, read: int, rows: int) -> None:
        self._read += read
        self._rows += rows
        self._bar.describe(str(self))
        self._move(_PARTS * self._read // max(self._size, 1))

    def __str__(self) -> str:
        """ "1,200,000 rows of 4 files, 612,000 rows/s, 41 % of 514 MB, 0:03 left"."""
        share = min(self._read / max(self._size, 1), 1.0)
        size = f"{self._size / 1e6:,.0f} MB" if self._size < 10e9 else f"{self._size / 1e9:,.1f} GB"
        status = f"{share:.0%} of {size}"
        if self._rows:
            status = f"{self._rows:,} rows of {counted(self._files, 'file')}, {self._rate():,.0f} rows/s, {status}"
        if not share:
            return status
        left = (time.monotonic() - self._began) * (1 - share) / share
        return f"{status}, {left // 60:.0f}:{left % 60:02.0f} left"

    def _rate(self) -> float:
        return self._rows / max(time.monotonic() - self._began, 1e-9)

    def _move(self, parts: int) -> None:
        parts = min(parts, _PARTS)
        if parts > self._parts:
            self._bar.advance(parts - self._parts)
            self._parts = parts
