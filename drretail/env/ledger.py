"""The ledger: every text that a run was handed, under evidence ids that are pure functions of their sources."""

import threading
from collections.abc import Iterable

from drretail.errors import DrretailError
from drretail.records.evidence import Evidence, EvidenceText, Source


class EvidenceCollision(DrretailError):
    """Two sources came to the same evidence id within one run."""


class Ledger:
    """Collects evidence in the order of ``add``; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[str, Evidence] = {}

    def add(self, sources: Iterable[Source], path: str, seq: int) -> tuple[str, ...]:
        """Enters what one step brought; gives the distinct ids in order.

        A text that is there already is kept once, and counts as shown when it was shown at any time.
        Raises EvidenceCollision when an id already stands for something else.
        """
        ids: dict[str, None] = {}
        with self._lock:
            for source in sources:
                self._enter(source, source.as_text(path, seq))
                ids[source.id] = None
        return tuple(ids)

    def evidence(self) -> tuple[Evidence, ...]:
        """Everything handed out so far, in the order in which it came."""
        with self._lock:
            return tuple(self._entries.values())

    def get(self, evidence_id: str) -> Evidence | None:
        return self._entries.get(evidence_id)

    def _enter(self, source: Source, text: EvidenceText) -> None:
        entry = self._entries.get(source.id)
        if entry is None:
            entry = Evidence(
                id=source.id,
                kind=source.kind,
                key=source.key,
                title=source.title,
                url=source.url,
                texts=(text,),
                state=source.state,
            )
        elif entry.key != source.key:
            raise EvidenceCollision(f"{source.id} stands for {entry.key!r} and for {source.key!r}")
        else:
            entry = entry.model_copy(update={"texts": _with(entry.texts, text)})
        self._entries[source.id] = entry


def _with(texts: tuple[EvidenceText, ...], new: EvidenceText) -> tuple[EvidenceText, ...]:
    for index, text in enumerate(texts):
        if (text.form, text.sha256) == (new.form, new.sha256):
            if new.shown and not text.shown:
                return (*texts[:index], text.model_copy(update={"shown": True}), *texts[index + 1 :])
            return texts
    return (*texts, new)
