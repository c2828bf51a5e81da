"""The numbers of a review: who decided what, how much was edited, how far reviewers agree, and where they do not."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from drretail.querygen.review.decisions import WHATS, CurrentDecisions, Outcome, Version, outcomes
from drretail.querygen.review.draft import words_changed
from drretail.querygen.review.records import QUESTIONS, Question, Review
from drretail.records.query import Query
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


def agreements(current: CurrentDecisions) -> tuple[Agreement, ...]:
    """Of every two reviewers, ordered by name: in the decision, then in each question."""
    reviewers = sorted({it.reviewer for it in current.reviews})
    return tuple(
        _agreement(one, other, about, _both(current, one, other, about))
        for one, other in combinations(reviewers, 2)
        for about in ("decision", *QUESTIONS)
    )


def said_of(review: Review, about: str) -> str | None:
    """What a review says of one thing; None where it was not asked."""
    if about == "decision":
        return review.decision
    answer = next((review.answers.of(question) for question in QUESTIONS if question == about and review.answers), None)
    return None if answer is None else "yes" if answer else "no"


def _both(current: CurrentDecisions, one: str, other: str, about: str) -> Iterator[tuple[str, str]]:
    by_other = {(it.query_id, it.version): it for it in current.reviews if it.reviewer == other}
    for review in current.reviews:
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


@dataclass(frozen=True, slots=True)
class Asked:
    """How one question was answered."""

    yes: int
    no: int


@dataclass(frozen=True, slots=True)
class Reviewer:
    """What one reviewer decided."""

    name: str
    decided: int
    accepted: int
    edited: int
    rejected: int
    edit_rate: float | None
    """Queries whose text was changed, of those decided."""
    words_changed: float | None
    """Mean share of words changed, over the queries whose text was changed; None without any."""
    answers: dict[Question, Asked]
    accepted_with_a_no: tuple[str, ...]
    """The ids of queries that were accepted though a question was answered with no."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What two or more reviewers said of one query in one thing: what, by reviewer."""

    query_id: str
    about: str
    said: dict[str, str]
    settled_by: str | None = None
    """Who had the last word on the query."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How far the review of a file is."""

    queries: int
    outcomes: tuple[Outcome, ...]
    reviewers: tuple[Reviewer, ...]
    agreements: tuple[Agreement, ...]
    disagreements: tuple[Disagreement, ...]
    stale: int

    @property
    def counts(self) -> dict[str, int]:
        """Queries by what is to be done with them."""
        counted = Counter(outcome.what for outcome in self.outcomes)
        return {what: counted[what] for what in WHATS}

    def ids(self, what: str) -> tuple[str, ...]:
        return tuple(outcome.query.query_id for outcome in self.outcomes if outcome.what == what)


def summary_of(queries: Sequence[Query], current: CurrentDecisions) -> Summary:
    """The numbers of a file's review; the reviewers are ordered by name."""
    names = sorted({it.reviewer for it in current.reviews})
    return Summary(
        queries=len(queries),
        outcomes=outcomes(queries, current),
        reviewers=tuple(_reviewer(name, [it for it in current.reviews if it.reviewer == name]) for name in names),
        agreements=agreements(current),
        disagreements=_disagreements(current),
        stale=current.stale,
    )


def _reviewer(name: str, reviews: Sequence[Review]) -> Reviewer:
    decisions = Counter(it.decision for it in reviews)
    changes = [
        words_changed(it.edit.before.text, it.edit.after.text) for it in reviews if it.edit and "text" in it.edit.fields
    ]
    return Reviewer(
        name=name,
        decided=len(reviews),
        accepted=decisions["accept"],
        edited=decisions["edit"],
        rejected=decisions["reject"],
        edit_rate=len(changes) / len(reviews) if reviews else None,
        words_changed=sum(changes) / len(changes) if changes else None,
        answers={question: _asked(question, reviews) for question in QUESTIONS},
        accepted_with_a_no=tuple(
            it.query_id for it in reviews if it.decision == "accept" and it.answers and it.answers.noes
        ),
    )


def _asked(question: Question, reviews: Sequence[Review]) -> Asked:
    said = Counter(said_of(it, question) for it in reviews)
    return Asked(said["yes"], said["no"])


def _disagreements(current: CurrentDecisions) -> tuple[Disagreement, ...]:
    """By query in the file's order."""
    versions: dict[Version, list[Review]] = {}
    for review in current.reviews:
        versions.setdefault((review.query_id, review.version), []).append(review)
    settled = {(it.query_id, it.version): it.reviewer for it in current.settling}
    return tuple(
        Disagreement(version[0], about, said, settled.get(version))
        for version, reviews in versions.items()
        for about, said in _differing(reviews)
    )


def _differing(reviews: Sequence[Review]) -> Iterator[tuple[str, dict[str, str]]]:
    for about in ("decision", *QUESTIONS):
        said = {it.reviewer: what for it in reviews if (what := said_of(it, about)) is not None}
        if len(set(said.values())) > 1:
            yield about, said
    edits = {it.reviewer: it.leaves for it in reviews if it.decision == "edit"}
    if len(set(edits.values())) > 1:
        yield "edit", dict.fromkeys(edits, "another one")
