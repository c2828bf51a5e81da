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
        self._handed: list[_Handed] = []
        self._sealed = 0
        """How many of them stand for everyone."""

    def add(self, sources: Iterable[Source], path: str, seq: int) -> tuple[str, ...]:
        """Enters what one step brought; gives the distinct ids in order.

        A text that is there already is kept once, and counts as shown when it was shown at any time.
        Raises EvidenceCollision when an id already stands for something else.
        """
        ids: dict[str, None] = {}
        with self._lock:
            for index, source in enumerate(sources):
                key = self._keys.setdefault(source.id, source.key)
                if key != source.key:
                    raise EvidenceCollision(f"{source.id} stands for {key!r} and for {source.key!r}")
                self._handed.append(_Handed((path_key(path), seq, index), source, source.as_text(path, seq)))
                ids[source.id] = None
        return tuple(ids)

    def seal(self) -> None:
        """Everything up to here stands for all paths; called where nothing that could still add to it is running."""
        with self._lock:
            self._sealed = len(self._handed)

    def known_at(self, path: str) -> tuple[Evidence, ...]:
        """What a step at ``path`` can know of: what was sealed, and what earlier turns at this very path brought.

        What runs beside it is left out, so it is the same whichever of the parallel researchers comes first.
        """
        own = path_key(path)
        with self._lock:
            sealed, later = self._handed[: self._sealed], self._handed[self._sealed :]
            return _entries([*sealed, *(it for it in later if it.place[0] == own)])

    def evidence(self) -> tuple[Evidence, ...]:
        """Everything handed out so far, by the place of the step that brought it first."""
        with self._lock:
            return _entries(self._handed)

    def get(self, evidence_id: str) -> Evidence | None:
        with self._lock:
            entries = _entries(it for it in self._handed if it.source.id == evidence_id)
        return entries[0] if entries else None


class _Handed(NamedTuple):
    """One source at its place: path, seq, and index within the step."""

    place: tuple[tuple[int, ...], int, int]
    source: Source
    text: EvidenceText


def _entries(handed: Iterable[_Handed]) -> tuple[Evidence, ...]:
    entries: dict[str, Evidence] = {}
    for _, source, text in sorted(handed, key=lambda it: it.place):
        entry = entries.get(source.id)
        if entry is None:
            fields = source.model_dump(exclude={"form", "text", "shown"})
            entries[source.id] = Evidence(**fields, texts=(text,))
        else:
            entries[source.id] = entry.model_copy(update=_told_again(entry, source, text))
    return tuple(entries.values())


def _told_again(entry: Evidence, source: Source, text: EvidenceText) -> dict[str, Any]:
    """What changes in an entry: a source that could be read at any time is "ok"."""
    told: dict[str, Any] = {"texts": _with(entry.texts, text), "date": entry.date or source.date}
    return told if source.state != "ok" else told | {"state": "ok", "problem": None}


def _with(texts: tuple[EvidenceText, ...], new: EvidenceText) -> tuple[EvidenceText, ...]:
    for index, text in enumerate(texts):
        if (text.form, text.sha256) == (new.form, new.sha256):
            if new.shown and not text.shown:
                return (*texts[:index], text.model_copy(update={"shown": True}), *texts[index + 1 :])
            return texts
    return (*texts, new)
