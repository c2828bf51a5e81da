"""The ledger: every text that a run was given, under evidence ids that are pure functions of their sources."""

import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

from drretail.errors import DrretailError
from drretail.records.evidence import Evidence, EvidenceText, Source
from drretail.records.trajectory import path_key


class EvidenceCollision(DrretailError):
    """Two sources have the same evidence id within one run."""


class Ledger:
    """Collects evidence from any number of threads.

    Its results are in the order of the places in the run, whichever parallel researcher came first.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: dict[str, str] = {}
        self._sources: list[_Placed] = []
        self._evidence: tuple[Evidence, ...] | None = None
        """All evidence so far; None after a new entry."""
        self._shared = 0
        """The number of sources that every path knows."""

    def add(self, sources: Iterable[Source], path: str, seq: int) -> tuple[str, ...]:
        """Enters the sources of one step, and returns their distinct ids in order.

        A text that is there already is kept once, and counts as shown if it was ever shown. Raises EvidenceCollision if
        an id already stands for another source.
        """
        ids: dict[str, None] = {}
        numbers = path_key(path)
        with self._lock:
            self._evidence = None
            for index, source in enumerate(sources):
                key = self._keys.setdefault(source.id, source.key)
                if key != source.key:
                    raise EvidenceCollision(f"{source.id} stands for {key!r} and for {source.key!r}")
                self._sources.append(_Placed((numbers, seq, index), source, source.as_text(path, seq)))
                ids[source.id] = None
        return tuple(ids)

    def seal(self) -> None:
        """Makes all entries so far known to every path. Call it only while nothing runs that could add an entry."""
        with self._lock:
            self._shared = len(self._sources)

    def known_at(self, path: str) -> tuple[Evidence, ...]:
        """The evidence that a step at ``path`` can know: sealed entries, and those of earlier turns at this very path.

        Entries of parallel paths are left out, so that the result does not depend on which researcher comes first.
        """
        own = path_key(path)
        with self._lock:
            shared, later = self._sources[: self._shared], self._sources[self._shared :]
            return _entries([*shared, *(placed for placed in later if placed.place[0] == own)])

    def evidence(self) -> tuple[Evidence, ...]:
        """All evidence so far, in the order of the steps that first brought it."""
        with self._lock:
            if self._evidence is None:
                self._evidence = _entries(self._sources)
            return self._evidence

    def get(self, evidence_id: str) -> Evidence | None:
        with self._lock:
            entries = _entries(placed for placed in self._sources if placed.source.id == evidence_id)
        return entries[0] if entries else None


class _Placed(NamedTuple):
    """One source with its place: path, seq, and index within the step."""

    place: tuple[tuple[int, ...], int, int]
    source: Source
    text: EvidenceText


def _entries(sources: Iterable[_Placed]) -> tuple[Evidence, ...]:
    entries: dict[str, Evidence] = {}
    for _, source, text in sorted(sources, key=lambda placed: placed.place):
        entry = entries.get(source.id)
        if entry is None:
            fields = source.model_dump(exclude={"form", "text", "shown"})
            entries[source.id] = Evidence(**fields, texts=(text,))
            continue
        changes: dict[str, Any] = {"texts": _with(entry.texts, text), "date": entry.date or source.date}
        if source.state == "ok":  # a source that was ever read is "ok"
            changes |= {"state": "ok", "problem": None}
        if any(getattr(entry, name) != value for name, value in changes.items()):  # most are shown again unchanged
            entries[source.id] = entry.model_copy(update=changes)
    return tuple(entries.values())


def _with(texts: tuple[EvidenceText, ...], new: EvidenceText) -> tuple[EvidenceText, ...]:
    for index, text in enumerate(texts):
        if (text.form, text.sha256) == (new.form, new.sha256):
            if new.shown and not text.shown:
                return (*texts[:index], text.model_copy(update={"shown": True}), *texts[index + 1 :])
            return texts
    return (*texts, new)
