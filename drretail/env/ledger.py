"""The ledger: every text that a run was handed, under evidence ids that are pure functions of their sources."""

import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

from drretail.errors import DrretailError
from drretail.records.evidence import Evidence, EvidenceText, Source
from drretail.trajectory import path_key


class EvidenceCollision(DrretailError):
    """Two sources came to the same evidence id within one run."""


class Ledger:
    """Collects evidence from any number of threads.

    What it gives is in the order of the places in the run, whichever of the parallel researchers came first.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: dict[str, str] = {}
        self._sources: list[_Placed] = []
        self._evidence: tuple[Evidence, ...] | None = None
        """All of it, until more is entered."""
        self._shared = 0
        """How many of them every path knows."""

    def add(self, sources: Iterable[Source], path: str, seq: int) -> tuple[str, ...]:
        """Enters what one step brought; gives the distinct ids in order.

        A text that is there already is kept once, and counts as shown when it was shown at any time.
        Raises EvidenceCollision when an id already stands for something else.
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
        """Every path knows what was entered so far; called where nothing that could still add to it is running."""
        with self._lock:
            self._shared = len(self._sources)

    def known_at(self, path: str) -> tuple[Evidence, ...]:
        """What a step at ``path`` can know of: what was sealed, and what earlier turns at this very path brought.

        What runs beside it is left out, so it is the same whichever of the parallel researchers comes first.
        """
        own = path_key(path)
        with self._lock:
            shared, later = self._sources[: self._shared], self._sources[self._shared :]
            return _entries([*shared, *(placed for placed in later if placed.place[0] == own)])

    def evidence(self) -> tuple[Evidence, ...]:
        """Everything handed out so far, by the place of the step that brought it first."""
        with self._lock:
            if self._evidence is None:
                self._evidence = _entries(self._sources)
            return self._evidence

    def get(self, evidence_id: str) -> Evidence | None:
        with self._lock:
            entries = _entries(placed for placed in self._sources if placed.source.id == evidence_id)
        return entries[0] if entries else None


class _Placed(NamedTuple):
    """One source at its place: path, seq, and index within the step."""

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
        if source.state == "ok":  # a source that could be read at any time is "ok"
            changes |= {"state": "ok", "problem": None}
        if any(getattr(entry, name) != value for name, value in changes.items()):  # most are shown again as they were
            entries[source.id] = entry.model_copy(update=changes)
    return tuple(entries.values())


def _with(texts: tuple[EvidenceText, ...], new: EvidenceText) -> tuple[EvidenceText, ...]:
    for index, text in enumerate(texts):
        if (text.form, text.sha256) == (new.form, new.sha256):
            if new.shown and not text.shown:
                return (*texts[:index], text.model_copy(update={"shown": True}), *texts[index + 1 :])
            return texts
    return (*texts, new)
