"""Which decisions on the queries of a file count, what is to be done with each query, and the file that comes of it."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from drretail.files import write_lines
from drretail.querygen.review.item import Items
from drretail.querygen.review.records import Review, content_of
from drretail.querygen.review.revisions import DECIDED, History, Revision
from drretail.records.query import Query, version_of

Version = tuple[str, str]
"""A query's id and its version."""


@dataclass(frozen=True, slots=True)
class CurrentDecisions:
    """Of each reviewer the last decision on each version; those that settle stand apart."""

    reviews: tuple[Review, ...]
    settling: tuple[Review, ...]
    stale: int
    """Decisions on queries that were changed since by something else than this review, or are no longer there."""

    def of(self, query: Query) -> tuple[Review, ...]:
        """The reviewers' decisions on a query as it stands."""
        version = version_of(query)
        return tuple(review for review in self.reviews if review.subject == (query.query_id, version))

    def settled(self, query: Query) -> Review | None:
        """The last word on a query as it stands."""
        version = version_of(query)
        return next((review for review in self.settling if review.subject == (query.query_id, version)), None)

    def makers(self, query: Query) -> tuple[Review, ...]:
        """The decisions by which a query came to be what it is: edits that were applied to the file."""
        version, content = version_of(query), content_of(query)
        return tuple(
            review
            for review in (*self.reviews, *self.settling)
            if (review.query_id, review.decision) == (query.query_id, "edit")
            and review.version != version
            and review.keeps(query) == content
        )

    def undecided_by(self, reviewer: str, queries: Iterable[Query]) -> tuple[Query, ...]:
        """The queries on which a reviewer has not decided as they stand, and which he has not made so himself."""
        return tuple(
            query
            for query in queries
            if not any(review.reviewer == reviewer for review in (*self.of(query), *self.makers(query)))
        )


def current_decisions(
    reviews: Iterable[Review], queries: Sequence[Query], revisions: Iterable[Revision]
) -> CurrentDecisions:
    """What of the reviews still counts, by query in the file's order, then by reviewer."""
    last = {(review.subject, review.reviewer, review.settles): review for review in reviews}
    current = {query.query_id: version_of(query) for query in queries}
    became = {
        (revision.query_id, version_of(revision.before)): None if revision.after is None else version_of(revision.after)
        for revision in revisions
        if revision.what in DECIDED
    }
    order = {query.query_id: place for place, query in enumerate(queries)}
    lives = sorted(
        (review for review in last.values() if _lives(review.subject, current, became)),
        key=lambda review: (order.get(review.query_id, len(order)), review.query_id, review.reviewer, review.at),
    )
    # Of several people who settled the same, the last one has the last word.
    settling = {review.subject: review for review in sorted(lives, key=lambda review: review.at) if review.settles}
    return CurrentDecisions(
        tuple(review for review in lives if not review.settles), tuple(settling.values()), len(last) - len(lives)
    )


def _lives(version: Version, current: dict[str, str], became: dict[Version, str | None]) -> bool:
    """True for the query as it stands, and for what this review itself made into that, or took out of the file."""
    query_id, now = version[0], current.get(version[0])
    seen: set[str] = set()
    at: str | None = version[1]
    while at is not None and at != now:
        if at in seen or (query_id, at) not in became:
            return False
        seen.add(at)
        at = became[query_id, at]
    return at == now


What = Literal["accepted", "edited", "rejected", "undecided", "disputed"]
WHATS: tuple[What, ...] = ("accepted", "edited", "rejected", "undecided", "disputed")


@dataclass(frozen=True, slots=True)
class Outcome:
    """``result`` is what becomes of the query: itself, its edit, or None unless it is decided what."""

    query: Query
    what: What
    result: Query | None
    reviews: tuple[Review, ...]
    """Those that decided, or that disagree."""

    @property
    def by(self) -> str:
        """Who decided."""
        return ", ".join(dict.fromkeys(review.reviewer for review in self.reviews))


def outcomes(queries: Iterable[Query], current: CurrentDecisions) -> tuple[Outcome, ...]:
    """One for each query, in order.

    All reviewers of a query have to decide alike; two edits are alike when they make the same query, whoever typed its
    wish. Otherwise it is disputed, until somebody settles it. A query that an applied edit made is accepted by who made
    it.
    """
    return tuple(_outcome(query, current) for query in queries)


def _outcome(query: Query, current: CurrentDecisions) -> Outcome:
    settled = current.settled(query)
    reviews = (settled,) if settled is not None else _votes(query, current)
    if not reviews:
        return Outcome(query, "undecided", None, ())
    if len({review.keeps(query) for review in reviews}) > 1:
        return Outcome(query, "disputed", None, reviews)
    kept = reviews[0].keeps(query)
    if kept is None:
        return Outcome(query, "rejected", None, reviews)
    if kept == content_of(query):
        return Outcome(query, "accepted", query, reviews)
    return Outcome(query, "edited", next(review.edit.after for review in reviews if review.edit is not None), reviews)


def _votes(query: Query, current: CurrentDecisions) -> tuple[Review, ...]:
    """Everybody's decision on the query as it stands, and those that made it so, of people who didn't decide again."""
    reviews = current.of(query)
    again = {review.reviewer for review in reviews}
    return (*reviews, *(review for review in current.makers(query) if review.reviewer not in again))


@dataclass(frozen=True, slots=True)
class Applied:
    """What was written: the ids by what was done, and the queries of the file."""

    queries: tuple[Query, ...]
    edited: tuple[str, ...]
    rejected: tuple[str, ...]
    waiting: tuple[str, ...]
    """Undecided or disputed: left out of a new file, left as they are in their own."""


def write_reviewed(to: Path, outcomes: Sequence[Outcome], items: Items, clock: Callable[[], datetime]) -> Applied:
    """Writes accepted and edited queries to a new file; the history beside it tells of each edit and rejection."""
    return _write(to, outcomes, [outcome.result for outcome in outcomes], items, clock)


def apply_reviews(file: Path, outcomes: Sequence[Outcome], items: Items, clock: Callable[[], datetime]) -> Applied:
    """Edits and takes out queries in the reviewed file itself; undecided and disputed ones stay as they are."""
    kept = [outcome.query if outcome.what in ("undecided", "disputed") else outcome.result for outcome in outcomes]
    return _write(file, outcomes, kept, items, clock)


def _write(
    path: Path,
    outcomes: Sequence[Outcome],
    kept: Sequence[Query | None],
    items: Items,
    clock: Callable[[], datetime],
) -> Applied:
    changed = [outcome for outcome in outcomes if outcome.what in ("edited", "rejected")]
    queries = tuple(query for query in kept if query is not None)
    # The history first: a file that was cut off from it could not be told from one that somebody else changed.
    with closing(History(path)) as history:
        known = {_key(revision) for revision in history.revisions}
        for outcome in changed:
            revision = _revision(outcome, items, clock())
            if _key(revision) not in known:
                history.append(revision)
    write_lines(path, (query.as_line() for query in queries))
    return Applied(
        queries=queries,
        edited=tuple(outcome.query.query_id for outcome in changed if outcome.what == "edited"),
        rejected=tuple(outcome.query.query_id for outcome in changed if outcome.what == "rejected"),
        waiting=tuple(outcome.query.query_id for outcome in outcomes if outcome.what in ("undecided", "disputed")),
    )


def _revision(outcome: Outcome, items: Items, at: datetime) -> Revision:
    after = outcome.result
    return Revision(
        query_id=outcome.query.query_id,
        at=at,
        by=outcome.by,
        what="rejected" if after is None else "edited",
        attempt=1,
        before=outcome.query,
        reasons=items.of(outcome.query).checked.findings,
        after=after,
        findings=() if after is None else items.check(after).findings,
    )


def _key(revision: Revision) -> tuple[str, str, str, str | None]:
    after = None if revision.after is None else version_of(revision.after)
    return revision.query_id, revision.what, version_of(revision.before), after
