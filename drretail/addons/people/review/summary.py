"""The statistics of a review: who decided what, how much was edited, and where reviewers agree and disagree."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from drretail.addons.people.review.decisions import WHATS, CurrentDecisions, Outcome, Version, outcomes
from drretail.addons.people.review.edits import words_changed
from drretail.addons.people.review.records import QUESTIONS, Question, Review
from drretail.addons.people.review.typings import FIELDS, WANTED, Typed, compared
from drretail.records.query import Query, version_of
from drretail.records.wish import Wish
from drretail.stats.raters import Agreement, Answered, Pair, agreement_on, differences, pairs_of

NOT_BY_CHANCE = "what neither wants is not counted"
WISH = "wish: "
"""The prefix of a wish's fields where their agreement is shown."""
Wishes = Mapping[Version, Mapping[str, Wish | None]]
"""By a query's version and reviewer the wanted wish; reviewers who rejected the query are left out."""


def review_agreements(current: CurrentDecisions, queries: Iterable[Query] = ()) -> tuple[Agreement, ...]:
    """The agreement of every two reviewers, by name: on the decision, on each question, and on each field of the wish.

    Fields of the wish are included if both have typed or kept one. ``queries`` are those of the file.
    """
    reviews = sorted(current.reviews, key=lambda review: review.reviewer)
    found = [*map(agreement_on, pairs_of(answers_in(reviews)))]
    typed: dict[tuple[str, str], list[Typed]] = defaultdict(list)
    for _, one, other, field in _typed_by_both(_wishes(current, queries)):
        typed[one, other].append(field)
    for (one, other), both in sorted(typed.items()):
        for name in FIELDS:
            values = [field.values for field in both if field.field == name]
            ones, others = ([pair[at] for pair in values] for at in (0, 1))
            agreement = agreement_on(Pair(one, other, f"{WISH}{name}", ones, others))
            if name == WANTED:
                # Things that neither names are not counted, so that agreement by chance is unknown.
                agreement = replace(agreement, kappa=None, na=NOT_BY_CHANCE)
            found.append(agreement)
    return tuple(found)


def answers_in(reviews: Iterable[Review]) -> Iterator[Answered[Version]]:
    """Each review's decision, and its answer to each question that it was asked."""
    for review in reviews:
        yield Answered(review.reviewer, review.subject, "decision", review.decision)
        for question in QUESTIONS:
            answer = None if review.answers is None else review.answers.of(question)
            if answer is not None:
                yield Answered(review.reviewer, review.subject, question, "yes" if answer else "no")


def _wishes(current: CurrentDecisions, queries: Iterable[Query]) -> Wishes:
    """The wish that each reviewer wants for each version of a query.

    An earlier version is known from the edits made of it; if nobody edited it, nobody typed its wish.
    """
    shown = {(query.query_id, version_of(query)): query for query in queries}
    for review in (*current.reviews, *current.settling):
        if review.edit is not None:
            shown[review.subject] = review.edit.before
    wishes: dict[Version, dict[str, Wish | None]] = defaultdict(dict)
    for review in current.reviews:
        version = review.subject
        if review.decision != "reject" and version in shown:
            query = shown[version] if review.edit is None else review.edit.after
            wishes[version][review.reviewer] = query.wish
    return wishes


def _typed_by_both(wishes: Wishes) -> Iterator[tuple[Version, str, str, Typed]]:
    """Each field of a wish that two reviewers have typed or kept."""
    for version, by_reviewer in wishes.items():
        for (one, first), (other, second) in combinations(by_reviewer.items(), 2):
            if first is not None and second is not None:
                yield from ((version, one, other, typed) for typed in compared(first, second))


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
    settled = {review.subject: review.reviewer for review in current.settling}
    order = {review.subject: place for place, review in enumerate(current.reviews)}
    differing = sorted(_differing(current.reviews, _wishes(current, queries)), key=lambda each: order[each[0]])
    return Summary(
        queries=len(queries),
        outcomes=outcomes(queries, current),
        reviewers=tuple(
            _reviewer(name, [review for review in current.reviews if review.reviewer == name]) for name in names
        ),
        agreements=review_agreements(current, queries),
        disagreements=tuple(
            Disagreement(version[0], about, answers, settled.get(version)) for version, about, answers in differing
        ),
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


def _differing(reviews: Sequence[Review], wishes: Wishes) -> Iterator[tuple[Version, str, dict[str, str]]]:
    """What reviewers of a version answered, edited or typed differently, and whether only some typed a wish."""
    untyped = {"wish": None, "typed_by": None}
    edits = (
        Answered(review.reviewer, review.subject, "edit", version_of(review.edit.after.model_copy(update=untyped)))
        for review in reviews
        if review.edit is not None
    )
    is_typed = (
        Answered(reviewer, version, "wish", "not typed" if wish is None else "typed")
        for version, by_reviewer in wishes.items()
        for reviewer, wish in by_reviewer.items()
    )
    for (version, about), answers in differences((*answers_in(reviews), *edits, *is_typed)).items():
        yield version, about, {name: "another one" if about == "edit" else answer for name, answer in answers.items()}
    for version, one, other, typed in _typed_by_both(wishes):
        if typed.differs:
            yield version, f"{WISH}{typed.about}", {one: typed.first, other: typed.second}
