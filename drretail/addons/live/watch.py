"""Detects changes in an experiment's folder, as a whole and for each query."""

import hashlib
import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_AT_LEAST = 0.7
"""The least number of seconds between two looks at the folder, however many windows ask."""
_OF_ALL = ("experiment.json", "profiles")
"""Files that every question's page depends on."""
_OF_INDEX = ("scores.json", "sources")
_OF_RUNS = ("runs", "verdicts", "readings")
_RUN = re.compile(r"[/\\](?P<query>[^/\\]+)-r\d+(?=[/\\.])")


@dataclass(slots=True)
class Watch:
    """Compares names, sizes and times of files, which works on every system and every mounted folder."""

    experiment: Path
    clock: Callable[[], float] = time.monotonic
    _looked: float = field(default=float("-inf"), init=False)
    _versions: dict[str, str] = field(default_factory=dict[str, str], init=False)
    """Versions by query; "" is for everything, "*" for the files that all queries share."""

    def version(self) -> str:
        """A text that changes if a run, a verdict or a score is added or changed."""
        return self._look()[""]

    def version_of(self, query_id: str) -> str:
        """The same for the files behind one query's page."""
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
    """The stamps of a file, or of all files below a folder.

    A journal's stamp is only its name, since it grows at every step of a run.
    """
    if place.is_file():
        yield _stamp(place)
    for folder, _, names in os.walk(place):
        for name in names:
            path = Path(folder) / name
            yield str(path) if name == "journal.jsonl" else _stamp(path)


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:  # deleted meanwhile
        return ""
    return f"{path} {found.st_size} {found.st_mtime_ns}"
