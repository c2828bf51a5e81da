"""Whether anything in an experiment's folder has changed since somebody looked, and for which query."""

import hashlib
import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_AT_LEAST = 0.7
"""Seconds between two looks, however many windows ask."""
_OF_ALL = ("experiment.json", "profiles")
"""What every question's page is made of."""
_OF_INDEX = ("scores.json", "sources")
_OF_RUNS = ("runs", "verdicts", "readings")
_RUN = re.compile(r"[/\\](?P<query>[^/\\]+)-r\d+(?=[/\\.])")


@dataclass(slots=True)
class Watch:
    """Looks at names, sizes and times of files: it works on every system and every mounted folder."""

    experiment: Path
    clock: Callable[[], float] = time.monotonic
    _looked: float = field(default=float("-inf"), init=False)
    _versions: dict[str, str] = field(default_factory=dict[str, str], init=False)
    """By query; of everything under the empty name."""

    def version(self) -> str:
        """Another text whenever a run, a verdict or a score has come or changed."""
        return self._look()[""]

    def version_of(self, query_id: str) -> str:
        """The same for what the page of one query is made of."""
        versions = self._look()
        return versions.get(query_id, versions["*"])

    def _look(self) -> dict[str, str]:
        if self.clock() - self._looked >= _AT_LEAST:
            of_all = _digest(stamp for name in _OF_ALL for stamp in _stamps(self.experiment / name))
            by_query: dict[str, list[str]] = defaultdict(list)
            for folder in _OF_RUNS:
                for stamp in _stamps(self.experiment / folder):
                    found = _RUN.search(stamp)
                    by_query[found["query"] if found else ""].append(stamp)
            of_index = [stamp for name in _OF_INDEX for stamp in _stamps(self.experiment / name)]
            versions = {query: _digest([of_all, *stamps]) for query, stamps in by_query.items() if query}
            everything = _digest([of_all, *of_index, *by_query[""], *versions.values()])
            self._versions = {**versions, "*": of_all, "": everything}
            self._looked = self.clock()
        return self._versions


def _digest(stamps: "Iterator[str] | list[str]") -> str:
    return hashlib.sha256("\n".join(sorted(stamps)).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _stamps(place: Path) -> Iterator[str]:
    """Of the file, or of every one below; of a run that goes on only that it does: its journal grows at every step."""
    if place.is_file():
        yield _stamp(place)
    for folder, _, names in os.walk(place):
        for name in names:
            path = Path(folder) / name
            yield str(path) if name == "journal.jsonl" else _stamp(path)


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:  # it may go while it is looked at
        return ""
    return f"{path} {found.st_size} {found.st_mtime_ns}"
