"""The statistics of a review: who decided what, how much was edited, and where reviewers agree and disagree."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from drretail.querygen.review.decisions import WHATS, CurrentDecisions, Outcome, Version, outcomes
from drretail.querygen.review.edits import words_changed
from drretail.querygen.review.records import QUESTIONS, Question, Review
from drretail.querygen.review.typings import FIELDS, WANTED, Typed, compared
from drretail.records.query import Query, version_of
from drretail.records.wish import Wish
from drretail.stats.raters import Agreement, Answered, Pair, agreement_on, differences, pairs_of

NOT_BY_CHANCE = "what neither wants is not counted"
WISH = "wish: "
"""The prefix of a wish's fields where their agreement is shown."""
Wishes = Mapping[tuple[Version, str], Wish | None]
"""The wanted wish by a query's version and reviewer; reviewers who rejected the query are left out."""


def review_agreements(current: CurrentDecisions, queries: Iterable[Query] = ()) -> tuple[Agreement, ...]:
    """The agreement of every two reviewers, by name: on the decision, on each question, and on each field of the wish.

    Fields of the wish are included if both have typed or kept one. ``queries`` are those of the file.
    """
    reviews = sorted(current.reviews, key=lambda review: review.reviewer)
    found = [*map(agreement_on, pairs_of(answers_in(reviews)))]
    wishes = _wishes(current, queries)
    for one, other in combinations(dict.fromkeys(review.reviewer for review in reviews), 2):
        typed = [each for version in _versions(current) for each in _typed_by_both(wishes, version, one, other)]
        for field in FIELDS if typed else ():
            values = [each.values for each in typed if each.field == field]
            ones, others = ([pair[at] for pair in values] for at in (0, 1))
            agreement = agreement_on(Pair(one, other, f"{WISH}{field}", ones, others))
            if field == WANTED:
                # Things that neither names are not counted, so that agreement by chance is unknown.
                agreement = replace(agreement, kappa=None, na=NOT_BY_CHANCE)
            found.append(agreement)
    return tuple(found)


def answers_in(reviews: Iterable[Review]) -> Iterator[Answered]:
    """Each review's decision, and its answer to each question that it was asked."""
    for review in reviews:
        yield Answered(review.reviewer, review.subject, "decision", review.decision)
        for question in QUESTIONS:
            answer = None if review.answers is None else review.answers.of(question)
            if answer is not None:
                yield Answered(review.reviewer, review.subject, question, "yes" if answer else "no")


def _versions(current: CurrentDecisions) -> list[Version]:
    return list(dict.fromkeys(review.subject for review in current.reviews))


def _wishes(current: CurrentDecisions, queries: Iterable[Query]) -> Wishes:
    """The wish that each reviewer wants for each version of a query.

    An earlier version is known from the edits made of it; if nobody edited it, nobody typed its wish.
    """
    shown = {(query.query_id, version_of(query)): query for query in queries}
    for review in (*current.reviews, *current.settling):
        if review.edit is not None:
            shown[review.subject] = review.edit.before
    wishes: dict[tuple[Version, str], Wish | None] = {}
    for review in current.reviews:
        version = review.subject
        if review.decision != "reject" and version in shown:
            query = shown[version] if review.edit is None else review.edit.after
            wishes[version, review.reviewer] = query.wish
    return wishes


def _typed_by_both(wishes: Wishes, version: Version, one: str, other: str) -> Iterator[Typed]:
    first, second = wishes.get((version, one)), wishes.get((version, other))
    if first is not None and second is not None:
        yield from compared(first, second)


@dataclass(frozen=True, slots=True)
class Reviewer:
    """One reviewer's statistics."""

    name: str
    decided: int
    accepted: int
    edited: int
    rejected: int
    edit_rate: float | None
    """The share of decided queries whose text was changed."""
    words_changed: float | None
    """The mean share of words changed, over the queries whose text was changed; None if there are none."""
    wishes_typed: int
    """Queries whose wish was typed or changed."""
    answers: dict[Question, dict[str, int]]
    """How often each question was answered with yes and with no."""
    accepted_with_a_no: tuple[str, ...]
    """The ids of queries that were accepted although a question was answered with no."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What two or more reviewers answered on one thing about a query, by reviewer."""

    query_id: str
    about: str
    answers: dict[str, str]
    settled_by: str | None = None
    """The reviewer who settled the disagreement; None while nobody has."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The state of a file's review."""

    queries: int
    outcomes: tuple[Outcome, ...]
    reviewers: tuple[Reviewer, ...]
    agreements: tuple[Agreement, ...]
    disagreements: tuple[Disagreement, ...]
    stale: int

    @property
    def counts(self) -> dict[str, int]:
        """The number of queries by outcome."""
        counted = Counter(outcome.what for outcome in self.outcomes)
        return {what: counted[what] for what in WHATS}

    def ids(self, what: str) -> tuple[str, ...]:
        return tuple(outcome.query.query_id for outcome in self.outcomes if outcome.what == what)


def summary_of(queries: Sequence[Query], current: CurrentDecisions) -> Summary:
    """The statistics of a file's review. Reviewers are ordered by name, disagreements by query in the file's order."""
    names = sorted({review.reviewer for review in current.reviews})
    wishes = _wishes(current, queries)
    settled = {review.subject: review.reviewer for review in current.settling}
    disagreements: list[Disagreement] = []
    for version in _versions(current):
        reviews = [review for review in current.reviews if review.subject == version]
        for about, answers in (*_differing(reviews), *_differing_wishes(wishes, version)):
            disagreements.append(Disagreement(version[0], about, answers, settled.get(version)))
    return Summary(
        queries=len(queries),
        outcomes=outcomes(queries, current),
        reviewers=tuple(
            _reviewer(name, [review for review in current.reviews if review.reviewer == name]) for name in names
        ),
        agreements=review_agreements(current, queries),
        disagreements=tuple(disagreements),
        stale=current.stale,
    )


def _reviewer(name: str, reviews: Sequence[Review]) -> Reviewer:
    decisions = Counter(review.decision for review in reviews)
    changes = [
        words_changed(review.edit.before.text, review.edit.after.text)
        for review in reviews
        if review.edit and "text" in review.edit.fields
    ]
    answered = Counter((answer.about, answer.value) for answer in answers_in(reviews))
    return Reviewer(
        name=name,
        decided=len(reviews),
        accepted=decisions["accept"],
        edited=decisions["edit"],
        rejected=decisions["reject"],
        edit_rate=len(changes) / len(reviews) if reviews else None,
        words_changed=sum(changes) / len(changes) if changes else None,
        wishes_typed=sum(bool(review.edit and "wish" in review.edit.fields) for review in reviews),
        answers={question: {word: answered[question, word] for word in ("yes", "no")} for question in QUESTIONS},
        accepted_with_a_no=tuple(
            review.query_id
            for review in reviews
            if review.decision == "accept" and review.answers and review.answers.noes
        ),
    )


def _differing(reviews: Sequence[Review]) -> Iterator[tuple[str, dict[str, str]]]:
    for (_, about), answers in differences(answers_in(reviews)).items():
        yield about, {reviewer: str(answer) for reviewer, answer in answers.items()}
    untyped = {"wish": None, "typed_by": None}
    edits = {
        review.reviewer: version_of(review.edit.after.model_copy(update=untyped))
        for review in reviews
        if review.edit is not None
    }
    if len(set(edits.values())) > 1:
        yield "edit", dict.fromkeys(edits, "another one")


def _differing_wishes(wishes: Wishes, version: Version) -> Iterator[tuple[str, dict[str, str]]]:
    """Each field that two reviewers typed differently, and whether only some of them typed a wish."""
    by_reviewer = {reviewer: wish for (about, reviewer), wish in wishes.items() if about == version}
    if len({wish is None for wish in by_reviewer.values()}) > 1:
        yield "wish", {name: "not typed" if wish is None else "typed" for name, wish in by_reviewer.items()}
    for one, other in combinations(by_reviewer, 2):
        for typed in _typed_by_both(wishes, version, one, other):
            if typed.differs:
                yield f"{WISH}{typed.about}", {one: typed.first, other: typed.second}
