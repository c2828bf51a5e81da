"""Whether anything in an experiment's folder has changed since somebody looked."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_AT_LEAST = 0.7
"""Seconds between two looks, however many windows ask."""
_FILES = ("experiment.json", "scores.json")
_FOLDERS = ("runs", "verdicts", "profiles", "readings", "sources")


@dataclass(slots=True)
class Watch:
    """Looks at names, sizes and times of files: it works on every system and every mounted folder."""

    experiment: Path
    clock: Callable[[], float] = time.monotonic
    _looked: float = field(default=float("-inf"), init=False)
    _version: str = field(default="", init=False)

    def version(self) -> str:
        """Another text whenever a run, a verdict or a score has come or changed."""
        if self.clock() - self._looked >= _AT_LEAST:
            self._version = self._read()
            self._looked = self.clock()
        return self._version

    def _read(self) -> str:
        digest = hashlib.sha256()
        for path in (self.experiment / name for name in _FILES):
            digest.update(_stamp(path).encode())
        for folder in _FOLDERS:
            for stamp in sorted(_stamps(self.experiment / folder)):
                digest.update(stamp.encode("utf-8", "surrogateescape"))
        return digest.hexdigest()[:16]


def _stamps(folder: Path) -> Iterator[str]:
    """Of every file below; of a run that goes on only that it does: its journal grows with every step."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place) / name
            yield str(path) if name == "journal.jsonl" and folder.name == "runs" else _stamp(path)


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:  # it may go while it is looked at
        return ""
    return f"{path} {found.st_size} {found.st_mtime_ns}"
