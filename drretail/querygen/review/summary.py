"""The numbers of a review: who decided what, how much was edited, how far reviewers agree, and where they do not."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from drretail.querygen.review.decisions import WHATS, CurrentDecisions, Outcome, Version, outcomes
from drretail.querygen.review.edits import words_changed
from drretail.querygen.review.records import QUESTIONS, Question, Review
from drretail.querygen.review.typings import FIELDS, WANTED, Typed, compared
from drretail.records.query import Query, version_of
from drretail.records.wish import Wish
from drretail.stats.agreement import cohen_kappa

NO_QUERY = "no query was answered by both"
ONE_ANSWER = "both gave all the same answer"
NOT_BY_CHANCE = "what neither wants is not counted"
WISH = "wish: "
"""Before the names of its fields, where agreement is shown for them."""
Wishes = Mapping[tuple[Version, str], Wish | None]
"""By the version of a query and the reviewer: what it wants, to all who did not reject it."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of two reviewers in one thing; ``share`` is 0 to 1, ``kappa`` -1 to 1, None with the reason in ``na``."""

    first: str
    second: str
    about: str
    """ "decision", a question, or "wish: " with a field."""
    n: int
    """Queries on which both have decided; of a field of what is wanted, things that both name."""
    share: float | None
    kappa: float | None
    na: str | None = None


def agreements(current: CurrentDecisions, queries: Iterable[Query] = ()) -> tuple[Agreement, ...]:
    """Of every two reviewers, ordered by name: in the decision, in each question, and in each field of the wish.

    A field of the wish is shown where both have typed or kept one. ``queries`` are those of the file.
    """
    reviewers = sorted({review.reviewer for review in current.reviews})
    wishes = _wishes(current, queries)
    found: list[Agreement] = []
    for one, other in combinations(reviewers, 2):
        for about in ("decision", *QUESTIONS):
            found.append(_agreement(one, other, about, list(_both(current, one, other, about))))
        both = [typed for version in _versions(current) for typed in _typed_by_both(wishes, version, one, other)]
        for field in FIELDS if both else ():
            pairs = [typed.values for typed in both if typed.field == field]
            found.append(_agreement(one, other, f"{WISH}{field}", pairs))
    return tuple(found)


def answer_in(review: Review, about: str) -> str | None:
    """What a review answers of one thing; None where it was not asked."""
    if about == "decision":
        return review.decision
    answer = next((review.answers.of(question) for question in QUESTIONS if question == about and review.answers), None)
    return None if answer is None else "yes" if answer else "no"


def _both(current: CurrentDecisions, one: str, other: str, about: str) -> Iterator[tuple[str, str]]:
    by_other = {review.subject: review for review in current.reviews if review.reviewer == other}
    for review in current.reviews:
        if review.reviewer != one or review.subject not in by_other:
            continue
        pair = answer_in(review, about), answer_in(by_other[review.subject], about)
        if pair[0] is not None and pair[1] is not None:
            yield pair[0], pair[1]


def _versions(current: CurrentDecisions) -> list[Version]:
    return list(dict.fromkeys(review.subject for review in current.reviews))


def _wishes(current: CurrentDecisions, queries: Iterable[Query]) -> Wishes:
    """What each reviewer would have each version of a query want.

    What an earlier version was stands in the edits of it; where nobody edited it, nobody typed its wish.
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


def _agreement(one: str, other: str, about: str, pairs: Sequence[tuple[Hashable, Hashable]]) -> Agreement:
    kappa = cohen_kappa([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    share = sum(mine == theirs for mine, theirs in pairs) / len(pairs) if pairs else None
    na = None if kappa is not None else ONE_ANSWER if pairs else NO_QUERY
    if about == f"{WISH}{WANTED}":
        # What neither names is not counted, so that chance can't be either.
        kappa, na = None, NOT_BY_CHANCE
    return Agreement(one, other, about, len(pairs), share, kappa, na)


@dataclass(frozen=True, slots=True)
class AnswerCounts:
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
    wishes_typed: int
    """Queries whose wish was typed or changed."""
    answers: dict[Question, AnswerCounts]
    accepted_with_a_no: tuple[str, ...]
    """The ids of queries that were accepted though a question was answered with no."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What two or more reviewers answered of one query in one thing: what, by reviewer."""

    query_id: str
    about: str
    answers: dict[str, str]
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
    names = sorted({review.reviewer for review in current.reviews})
    return Summary(
        queries=len(queries),
        outcomes=outcomes(queries, current),
        reviewers=tuple(
            _reviewer(name, [review for review in current.reviews if review.reviewer == name]) for name in names
        ),
        agreements=agreements(current, queries),
        disagreements=_disagreements(current, queries),
        stale=current.stale,
    )


def _reviewer(name: str, reviews: Sequence[Review]) -> Reviewer:
    decisions = Counter(review.decision for review in reviews)
    changes = [
        words_changed(review.edit.before.text, review.edit.after.text)
        for review in reviews
        if review.edit and "text" in review.edit.fields
    ]
    return Reviewer(
        name=name,
        decided=len(reviews),
        accepted=decisions["accept"],
        edited=decisions["edit"],
        rejected=decisions["reject"],
        edit_rate=len(changes) / len(reviews) if reviews else None,
        words_changed=sum(changes) / len(changes) if changes else None,
        wishes_typed=sum(bool(review.edit and "wish" in review.edit.fields) for review in reviews),
        answers={question: _asked(question, reviews) for question in QUESTIONS},
        accepted_with_a_no=tuple(
            review.query_id
            for review in reviews
            if review.decision == "accept" and review.answers and review.answers.noes
        ),
    )


def _asked(question: Question, reviews: Sequence[Review]) -> AnswerCounts:
    counts = Counter(answer_in(review, question) for review in reviews)
    return AnswerCounts(counts["yes"], counts["no"])


def _disagreements(current: CurrentDecisions, queries: Iterable[Query]) -> tuple[Disagreement, ...]:
    """By query in the file's order."""
    wishes = _wishes(current, queries)
    settled = {review.subject: review.reviewer for review in current.settling}
    return tuple(
        Disagreement(version[0], about, answers, settled.get(version))
        for version in _versions(current)
        for about, answers in (*_differing(_of(current, version)), *_differing_wishes(wishes, version))
    )


def _of(current: CurrentDecisions, version: Version) -> list[Review]:
    return [review for review in current.reviews if review.subject == version]


def _differing(reviews: Sequence[Review]) -> Iterator[tuple[str, dict[str, str]]]:
    for about in ("decision", *QUESTIONS):
        answers = {review.reviewer: what for review in reviews if (what := answer_in(review, about)) is not None}
        if len(set(answers.values())) > 1:
            yield about, answers
    untyped = {"wish": None, "typed_by": None}
    edits = {
        review.reviewer: version_of(review.edit.after.model_copy(update=untyped))
        for review in reviews
        if review.edit is not None
    }
    if len(set(edits.values())) > 1:
        yield "edit", dict.fromkeys(edits, "another one")


def _differing_wishes(wishes: Wishes, version: Version) -> Iterator[tuple[str, dict[str, str]]]:
    """Each field that two reviewers typed differently; that only some typed a wish at all."""
    by_reviewer = {reviewer: wish for (about, reviewer), wish in wishes.items() if about == version}
    if len({wish is None for wish in by_reviewer.values()}) > 1:
        yield "wish", {name: "not typed" if wish is None else "typed" for name, wish in by_reviewer.items()}
    for one, other in combinations(by_reviewer, 2):
        for typed in _typed_by_both(wishes, version, one, other):
            if typed.differs:
                yield f"{WISH}{typed.about}", {one: typed.first, other: typed.second}
