"""What is to be done with each query, by the decisions of all who reviewed it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from drretail.querygen.review.living import Living
from drretail.querygen.review.records import Review
from drretail.querygen.revisions import version_of
from drretail.records.query import Query

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


def outcomes(queries: Iterable[Query], living: Living) -> tuple[Outcome, ...]:
    """One for each query, in order.

    All reviewers of a query have to decide alike; two edits are alike when they make the same query. Otherwise it is
    disputed, until somebody settles it. A query that an applied edit made is accepted by who made it.
    """
    return tuple(_outcome(query, living) for query in queries)


def _outcome(query: Query, living: Living) -> Outcome:
    settled = living.settled(query)
    reviews = (settled,) if settled is not None else _votes(query, living)
    if not reviews:
        return Outcome(query, "undecided", None, ())
    if len({review.leaves for review in reviews}) > 1:
        return Outcome(query, "disputed", None, reviews)
    leaves = reviews[0].leaves
    if leaves is None:
        return Outcome(query, "rejected", None, reviews)
    if leaves == version_of(query):
        return Outcome(query, "accepted", query, reviews)
    return Outcome(query, "edited", next(it.edit.after for it in reviews if it.edit is not None), reviews)


def _votes(query: Query, living: Living) -> tuple[Review, ...]:
    """Everybody's decision on the query as it stands, and those that made it so, of people who didn't decide again."""
    reviews = living.of(query)
    again = {it.reviewer for it in reviews}
    return (*reviews, *(it for it in living.makers(query) if it.reviewer not in again))
