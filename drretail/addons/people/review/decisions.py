"""Which decisions on the queries of a file count, what becomes of each query, and the reviewed file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from drretail.addons.people.review.item import Items
from drretail.addons.people.review.records import (
    DECIDED,
    Review,
    Revision,
    content_of,
    history_path,
    read_history_of,
    read_reviews_of,
)
from drretail.files import append_documents
from drretail.grounding.constraints.gold_files import write_with_gold
from drretail.records.query import Query, version_of

Version = tuple[str, str]
"""A query's id and its version."""


@dataclass(frozen=True, slots=True)
class CurrentDecisions:
    """Each reviewer's last decision on each version; decisions that settle a disagreement are kept apart."""

    reviews: tuple[Review, ...]
    settling: tuple[Review, ...]
    stale: int
    """Decisions on queries that something other than this review has changed since, or that are no longer there."""

    def of(self, query: Query) -> tuple[Review, ...]:
        """The reviewers' decisions on the query's current version."""
        version = version_of(query)
        return tuple(review for review in self.reviews if review.subject == (query.query_id, version))

    def settled(self, query: Query) -> Review | None:
        """The decision that settles a disagreement on the query's current version; None if there is none."""
        version = version_of(query)
        return next((review for review in self.settling if review.subject == (query.query_id, version)), None)

    def makers(self, query: Query) -> tuple[Review, ...]:
        """The applied edits that made the query's current version."""
        version, content = version_of(query), content_of(query)
        return tuple(
            review
            for review in (*self.reviews, *self.settling)
            if (review.query_id, review.decision) == (query.query_id, "edit")
            and review.version != version
            and review.keeps(query) == content
        )

    def undecided_by(self, reviewer: str, queries: Iterable[Query]) -> tuple[Query, ...]:
        """The queries whose current version a reviewer has neither decided on nor made by an edit."""
        return tuple(
            query
            for query in queries
            if not any(review.reviewer == reviewer for review in (*self.of(query), *self.makers(query)))
        )


def current_decisions(
    reviews: Iterable[Review], queries: Sequence[Query], revisions: Iterable[Revision]
) -> CurrentDecisions:
    """The decisions that still count, by query in the file's order, then by reviewer."""
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
    # If several people settled the same version, the latest decision counts.
    settling = {review.subject: review for review in sorted(lives, key=lambda review: review.at) if review.settles}
    return CurrentDecisions(
        tuple(review for review in lives if not review.settles), tuple(settling.values()), len(last) - len(lives)
    )


def decisions_on(file: Path, queries: Sequence[Query]) -> CurrentDecisions:
    """The decisions beside a file that still count for its queries. Raises UserError for an invalid line."""
    return current_decisions(read_reviews_of(file), queries, read_history_of(file))


def _lives(version: Version, current: dict[str, str], became: dict[Version, str | None]) -> bool:
    """True if the version is the current one, or if this review turned it into that, or took it out of the file."""
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
    """What becomes of a query. ``result`` is the query or its edit; None if it is rejected, undecided or disputed."""

    query: Query
    what: What
    result: Query | None
    reviews: tuple[Review, ...]
    """The reviews that decided, or that disagree."""

    @property
    def by(self) -> str:
        """The names of those who decided."""
        return ", ".join(dict.fromkeys(review.reviewer for review in self.reviews))


def outcomes(queries: Iterable[Query], current: CurrentDecisions) -> tuple[Outcome, ...]:
    """One outcome per query, in order.

    All reviewers of a query must decide alike; two edits are alike if they make the same query, whoever typed its wish.
    Otherwise the query is disputed until somebody settles it. A query that an applied edit made counts as accepted by
    whoever made the edit.
    """
    return tuple(_outcome(query, current) for query in queries)


def _outcome(query: Query, current: CurrentDecisions) -> Outcome:
    """The outcome by the decision that settles, if there is one.

    Otherwise by all decisions on the current version, and by the edits that made it, of people who didn't decide again.
    """
    settled = current.settled(query)
    reviews = current.of(query) if settled is None else (settled,)
    if settled is None:
        again = {review.reviewer for review in reviews}
        reviews += tuple(review for review in current.makers(query) if review.reviewer not in again)
    if not reviews:
        return Outcome(query, "undecided", None, ())
    if len({review.keeps(query) for review in reviews}) > 1:
        return Outcome(query, "disputed", None, reviews)
    content = reviews[0].keeps(query)
    if content is None:
        return Outcome(query, "rejected", None, reviews)
    if content == content_of(query):
        return Outcome(query, "accepted", query, reviews)
    return Outcome(query, "edited", next(review.edit.after for review in reviews if review.edit is not None), reviews)


@dataclass(frozen=True, slots=True)
class Applied:
    """The queries of the written file, and ids by what was done."""

    queries: tuple[Query, ...]
    edited: tuple[str, ...]
    rejected: tuple[str, ...]
    waiting: tuple[str, ...]
    """Undecided or disputed queries: left out of a new file, unchanged in the reviewed file itself."""


def write_reviewed(
    to: Path, outcomes: Sequence[Outcome], items: Items, at: datetime, *, in_place: bool = False
) -> Applied:
    """Writes accepted and edited queries to a file, and each edit and rejection to the history beside it.

    With ``in_place``, the file is the reviewed one itself, in which undecided and disputed queries stay as they are.
    """
    changed = [outcome for outcome in outcomes if outcome.what in ("edited", "rejected")]
    waiting = [outcome.query for outcome in outcomes if outcome.what in ("undecided", "disputed")]
    results = [outcome.query if in_place and outcome.query in waiting else outcome.result for outcome in outcomes]
    queries = tuple(query for query in results if query is not None)
    known = {_key(revision) for revision in read_history_of(to)}
    revisions = (
        Revision(
            query_id=outcome.query.query_id,
            at=at,
            by=outcome.by,
            what="rejected" if outcome.result is None else "edited",
            attempt=1,
            before=outcome.query,
            reasons=items.of(outcome.query).checked.findings,
            after=outcome.result,
            findings=() if outcome.result is None else items.check(outcome.result).findings,
        )
        for outcome in changed
    )
    # The history first: without it, the file would look as if somebody else had changed it.
    append_documents(history_path(to), [revision for revision in revisions if _key(revision) not in known])
    write_with_gold(queries, to)
    return Applied(
        queries=queries,
        edited=tuple(outcome.query.query_id for outcome in changed if outcome.what == "edited"),
        rejected=tuple(outcome.query.query_id for outcome in changed if outcome.what == "rejected"),
        waiting=tuple(query.query_id for query in waiting),
    )


def _key(revision: Revision) -> tuple[str, str, str, str | None]:
    after = None if revision.after is None else version_of(revision.after)
    return revision.query_id, revision.what, version_of(revision.before), after
