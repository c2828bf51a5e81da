"""The reviewed queries: accepted and edited ones, in a file of their own or in the place of the reviewed file."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from drretail.files import write_lines
from drretail.querygen.review.dossier import Dossiers
from drretail.querygen.review.outcome import Outcome
from drretail.querygen.revisions import History, Revision, version_of
from drretail.records.query import Query


@dataclass(frozen=True, slots=True)
class Applied:
    """What was written: the ids by what was done, and the queries of the file."""

    queries: tuple[Query, ...]
    edited: tuple[str, ...]
    rejected: tuple[str, ...]
    waiting: tuple[str, ...]
    """Undecided or disputed: left out of a new file, left as they are in their own."""


def write_reviewed(to: Path, outcomes: Sequence[Outcome], dossiers: Dossiers, clock: Callable[[], datetime]) -> Applied:
    """Writes accepted and edited queries to a new file; the history beside it tells of each edit and rejection."""
    return _write(to, outcomes, [outcome.result for outcome in outcomes], dossiers, clock)


def apply_reviews(
    file: Path, outcomes: Sequence[Outcome], dossiers: Dossiers, clock: Callable[[], datetime]
) -> Applied:
    """Edits and takes out queries in the reviewed file itself; undecided and disputed ones stay as they are."""
    kept = [it.query if it.what in ("undecided", "disputed") else it.result for it in outcomes]
    return _write(file, outcomes, kept, dossiers, clock)


def _write(
    path: Path,
    outcomes: Sequence[Outcome],
    kept: Sequence[Query | None],
    dossiers: Dossiers,
    clock: Callable[[], datetime],
) -> Applied:
    changed = [outcome for outcome in outcomes if outcome.what in ("edited", "rejected")]
    queries = tuple(query for query in kept if query is not None)
    # The history first: a file that was cut off from it could not be told from one that somebody else changed.
    with closing(History(path)) as history:
        known = {_key(revision) for revision in history.revisions}
        for outcome in changed:
            revision = _revision(outcome, dossiers, clock())
            if _key(revision) not in known:
                history.append(revision)
    write_lines(path, (query.as_line() for query in queries))
    return Applied(
        queries=queries,
        edited=tuple(it.query.query_id for it in changed if it.what == "edited"),
        rejected=tuple(it.query.query_id for it in changed if it.what == "rejected"),
        waiting=tuple(it.query.query_id for it in outcomes if it.what in ("undecided", "disputed")),
    )


def _revision(outcome: Outcome, dossiers: Dossiers, at: datetime) -> Revision:
    after = outcome.result
    return Revision(
        query_id=outcome.query.query_id,
        at=at,
        by=outcome.by,
        what="rejected" if after is None else "edited",
        attempt=1,
        before=outcome.query,
        reasons=dossiers.of(outcome.query).checked.findings,
        after=after,
        findings=() if after is None else dossiers.check(after).findings,
    )


def _key(revision: Revision) -> tuple[str, str, str, str | None]:
    after = None if revision.after is None else version_of(revision.after)
    return revision.query_id, revision.what, version_of(revision.before), after
