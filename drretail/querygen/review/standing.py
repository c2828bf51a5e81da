"""The numbers of a review: who decided what, how much was edited, and where reviewers disagree."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drretail.querygen.review.agreement import Agreement, agreements, said_of
from drretail.querygen.review.draft import words_changed
from drretail.querygen.review.living import Living, Version
from drretail.querygen.review.outcome import WHATS, Outcome, outcomes
from drretail.querygen.review.records import QUESTIONS, Question, Review
from drretail.records.query import Query


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
class Standing:
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


def standing(queries: Sequence[Query], living: Living) -> Standing:
    """The numbers of a file's review; the reviewers are ordered by name."""
    names = sorted({it.reviewer for it in living.reviews})
    return Standing(
        queries=len(queries),
        outcomes=outcomes(queries, living),
        reviewers=tuple(_reviewer(name, [it for it in living.reviews if it.reviewer == name]) for name in names),
        agreements=agreements(living),
        disagreements=_disagreements(living),
        stale=living.stale,
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


def _disagreements(living: Living) -> tuple[Disagreement, ...]:
    """By query in the file's order."""
    versions: dict[Version, list[Review]] = {}
    for review in living.reviews:
        versions.setdefault((review.query_id, review.version), []).append(review)
    settled = {(it.query_id, it.version): it.reviewer for it in living.settling}
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
