"""The history of a query file, beside it: what was put in the place of which query, by whom, when and why."""

from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime

from drretail.files import LineAppender, read_documents
from drretail.records.base import Document
from drretail.records.evidence import Finding
from drretail.records.query import Query

DECIDED = frozenset({"edited", "rejected"})
"""What people make of a query that they review; older histories hold tries of drretail's as well."""


class Revision(Document):
    """One try to put another query in the place of one, or what people decided of it; a line of the history."""

    query_id: str
    at: AwareDatetime
    by: str
    """A person, or what of drretail did it."""
    what: Literal["replaced", "tried", "failed", "edited", "rejected"]
    """"tried" where what came out was no better, and the query stayed as it was; "failed" where nothing came out
    because whoever was asked for it gave no usable answer. People edit and reject."""
    attempt: int
    """From 1, counted for ``before``."""
    before: Query
    reasons: tuple[Finding, ...]
    """What was wrong with ``before``."""
    after: Query | None = None
    """None where nothing came out at all, or the query was rejected."""
    findings: tuple[Finding, ...] = ()
    """What is wrong with ``after``."""
    problem: str | None = None
    """Why a try failed."""


def history_path(queries: Path) -> Path:
    return queries.with_name(f"{queries.name}.history.jsonl")


def read_history_of(queries: Path) -> tuple[Revision, ...]:
    """The revisions of a query file in the order in which they were made, none where it has no history.

    Raises UserError that names the line when one is no revision.
    """
    return read_documents(history_path(queries), Revision, "revision")


class History:
    """Appends revisions; each is on disk before the next try begins."""

    def __init__(self, queries: Path) -> None:
        self.revisions = list(read_history_of(queries))
        self._path = history_path(queries)
        self._lines: LineAppender | None = None

    def append(self, revision: Revision) -> None:
        if self._lines is None:
            self._lines = LineAppender(self._path)
        self._lines.append(revision.as_line())
        self.revisions.append(revision)

    def close(self) -> None:
        if self._lines is not None:
            self._lines.close()
