"""Which decisions are about the queries of a file as they stand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from drretail.querygen.review.records import Review
from drretail.querygen.revisions import DECIDED, Revision, version_of
from drretail.records.query import Query

Version = tuple[str, str]
"""A query's id and its version."""


@dataclass(frozen=True, slots=True)
class Living:
    """Of each reviewer the last decision on each version; those that settle stand apart."""

    reviews: tuple[Review, ...]
    settling: tuple[Review, ...]
    stale: int
    """Decisions on queries that were changed since by something else than this review, or are no longer there."""

    def of(self, query: Query) -> tuple[Review, ...]:
        """The reviewers' decisions on a query as it stands."""
        version = version_of(query)
        return tuple(it for it in self.reviews if (it.query_id, it.version) == (query.query_id, version))

    def settled(self, query: Query) -> Review | None:
        """The last word on a query as it stands."""
        version = version_of(query)
        return next((it for it in self.settling if (it.query_id, it.version) == (query.query_id, version)), None)

    def makers(self, query: Query) -> tuple[Review, ...]:
        """The decisions by which a query came to be what it is: edits that were applied to the file."""
        version = version_of(query)
        return tuple(
            it
            for it in (*self.reviews, *self.settling)
            if it.query_id == query.query_id and it.version != version and it.leaves == version
        )

    def undecided_by(self, reviewer: str, queries: Iterable[Query]) -> tuple[Query, ...]:
        """The queries on which a reviewer has not decided as they stand, and which he has not made so himself."""
        return tuple(
            query
            for query in queries
            if not any(it.reviewer == reviewer for it in (*self.of(query), *self.makers(query)))
        )


def living(reviews: Iterable[Review], queries: Sequence[Query], revisions: Iterable[Revision]) -> Living:
    """What of the reviews still counts, by query in the file's order, then by reviewer."""
    last = {(it.query_id, it.version, it.reviewer, it.settles): it for it in reviews}
    current = {query.query_id: version_of(query) for query in queries}
    became = {
        (it.query_id, version_of(it.before)): None if it.after is None else version_of(it.after)
        for it in revisions
        if it.what in DECIDED
    }
    order = {query.query_id: place for place, query in enumerate(queries)}
    lives = sorted(
        (it for it in last.values() if _lives((it.query_id, it.version), current, became)),
        key=lambda it: (order.get(it.query_id, len(order)), it.query_id, it.reviewer, it.at),
    )
    # Of several people who settled the same, the last one has the last word.
    settling = {(it.query_id, it.version): it for it in sorted(lives, key=lambda it: it.at) if it.settles}
    return Living(tuple(it for it in lives if not it.settles), tuple(settling.values()), len(last) - len(lives))


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
