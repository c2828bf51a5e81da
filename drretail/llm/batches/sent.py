"""Which requests were sent in which batch: a file of lines, so that a killed command finds its answers again."""

from pathlib import Path
from typing import Literal

from drretail.files import LineAppender, check_format, drop_cut_line, read_jsonl
from drretail.records.base import Document


class Entry(Document):
    """A batch that was submitted, or the word that nobody waits for its answers any more."""

    batch_id: str
    event: Literal["submitted", "settled"]
    requests: tuple[str, ...] = ()
    """The custom ids of its requests."""


class BatchLedger:
    """The batches whose answers may not all have been used; ``path`` None keeps them in memory."""

    def __init__(self, path: Path | None = None) -> None:
        """Raises UserError when the file is of another format, or a line before the last is broken."""
        self._batches: dict[str, str] = {}
        self._open: dict[str, None] = {}
        if path is not None:
            drop_cut_line(path)
            for line in read_jsonl(path) if path.exists() else ():
                check_format(line, path)
                self._note(Entry.model_validate(line))
        self._file = None if path is None else LineAppender(path)

    def batch_of(self, request: str) -> str | None:
        """The batch in which a request was sent, None where it was not, or was answered and used."""
        return self._batches.get(request)

    def submitted(self, batch_id: str, requests: tuple[str, ...]) -> None:
        self._write(Entry(batch_id=batch_id, event="submitted", requests=requests))

    def forget(self, request: str) -> None:
        """A request whose answer is no good: it will be sent again."""
        self._batches.pop(request, None)

    def settle(self) -> None:
        """Every question of this command has its answer: the same questions, asked again, are new ones."""
        for batch_id in list(self._open):
            self._write(Entry(batch_id=batch_id, event="settled"))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, entry: Entry) -> None:
        if self._file is not None:
            self._file.append(entry.as_line())
        self._note(entry)

    def _note(self, entry: Entry) -> None:
        if entry.event == "submitted":
            self._open[entry.batch_id] = None
            self._batches |= dict.fromkeys(entry.requests, entry.batch_id)
        else:
            self._open.pop(entry.batch_id, None)
            self._batches = {request: batch for request, batch in self._batches.items() if batch != entry.batch_id}
