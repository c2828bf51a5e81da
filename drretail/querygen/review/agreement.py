"""How far two reviewers agree: the share of queries on which they say the same, and how much of it chance explains."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from drretail.querygen.review.living import Living
from drretail.querygen.review.records import QUESTIONS, Review
from drretail.stats.agreement import cohen_kappa

NO_QUERY = "no query was answered by both"
ONE_ANSWER = "both gave all the same answer"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of two reviewers in one thing; ``share`` is 0 to 1, ``kappa`` -1 to 1, None with the reason in ``na``."""

    first: str
    second: str
    about: str
    """ "decision", or a question."""
    n: int
    """Queries on which both have said something."""
    share: float | None
    kappa: float | None
    na: str | None = None


def agreements(living: Living) -> tuple[Agreement, ...]:
    """Of every two reviewers, ordered by name: in the decision, then in each question."""
    reviewers = sorted({it.reviewer for it in living.reviews})
    return tuple(
        _agreement(one, other, about, _both(living, one, other, about))
        for one, other in combinations(reviewers, 2)
        for about in ("decision", *QUESTIONS)
    )


def said_of(review: Review, about: str) -> str | None:
    """What a review says of one thing; None where it was not asked."""
    if about == "decision":
        return review.decision
    answer = next((review.answers.of(question) for question in QUESTIONS if question == about and review.answers), None)
    return None if answer is None else "yes" if answer else "no"


def _both(living: Living, one: str, other: str, about: str) -> Iterator[tuple[str, str]]:
    by_other = {(it.query_id, it.version): it for it in living.reviews if it.reviewer == other}
    for review in living.reviews:
        if review.reviewer != one or (review.query_id, review.version) not in by_other:
            continue
        pair = said_of(review, about), said_of(by_other[review.query_id, review.version], about)
        if pair[0] is not None and pair[1] is not None:
            yield pair[0], pair[1]


def _agreement(one: str, other: str, about: str, pairs: Iterator[tuple[str, str]]) -> Agreement:
    both = list(pairs)
    kappa = cohen_kappa([pair[0] for pair in both], [pair[1] for pair in both])
    share = sum(mine == theirs for mine, theirs in both) / len(both) if both else None
    na = None if kappa is not None else ONE_ANSWER if both else NO_QUERY
    return Agreement(one, other, about, len(both), share, kappa, na)
