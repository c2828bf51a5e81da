"""The numbers of a review: who decided what, how much was edited, where reviewers agree; as tables and a document."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from drretail.addons.people.review.decisions import WHATS, Applied, CurrentDecisions, Outcome, Version, outcomes
from drretail.addons.people.review.edits import words_changed
from drretail.addons.people.review.records import QUESTIONS, Question, Review, content_of, reviews_path
from drretail.records.query import Query
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Table, table_of
from drretail.stats.agreement import Agreement, Answered, agreement_on, agreement_table, differences, pairs_of

ABOUT = {
    "decision": "decision",
    "deep_research": "takes deep research",
    "answerable": "answerable with the nine tools",
    "fits_profile": "fits the shopper",
    "edit": "edit",
}


def answers_in(reviews: Iterable[Review]) -> Iterator[Answered[Version]]:
    """Each review's decision, and its answer to each question that it was asked."""
    for review in reviews:
        yield Answered(review.reviewer, review.subject, "decision", review.decision)
        for question in QUESTIONS:
            answer = getattr(review.answers, question, None)
            if answer is not None:
                yield Answered(review.reviewer, review.subject, question, "yes" if answer else "no")


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
    """Of every two reviewers, by name: on the decision, and on each question."""
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
    by_name = sorted(current.reviews, key=lambda review: review.reviewer)
    names = dict.fromkeys(review.reviewer for review in by_name)
    settled = {review.subject: review.reviewer for review in current.settling}
    order = {review.subject: place for place, review in enumerate(current.reviews)}
    differing = sorted(_differing(current.reviews), key=lambda each: order[each[0]])
    return Summary(
        queries=len(queries),
        outcomes=outcomes(queries, current),
        reviewers=tuple(
            _reviewer(name, [review for review in current.reviews if review.reviewer == name]) for name in names
        ),
        agreements=tuple(map(agreement_on, pairs_of(answers_in(by_name)))),
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


def _differing(reviews: Sequence[Review]) -> Iterator[tuple[Version, str, dict[str, str]]]:
    """What reviewers of a version answered or edited differently."""
    edits = (
        Answered(review.reviewer, review.subject, "edit", content_of(review.edit.after))
        for review in reviews
        if review.edit is not None
    )
    for (version, about), answers in differences((*answers_in(reviews), *edits)).items():
        yield version, about, {name: "another one" if about == "edit" else answer for name, answer in answers.items()}


def summary_document(file: Path, now: Summary, applied: Applied | None) -> dict[str, Any]:
    """The content of the tables, with every number unrounded; shares are from 0 to 1."""
    document: dict[str, Any] = {
        "file": str(file),
        "reviews": str(reviews_path(file)),
        "queries": now.queries,
        "outcomes": now.counts,
        "by_query": [
            {"query_id": outcome.query.query_id, "what": outcome.what, "by": outcome.by} for outcome in now.outcomes
        ],
        "reviewers": [asdict(reviewer) for reviewer in now.reviewers],
        "agreement": [asdict(agreement) for agreement in now.agreements],
        "disagreements": [asdict(disagreement) for disagreement in now.disagreements],
        "stale": now.stale,
    }
    if applied is not None:
        document["applied"] = asdict(applied) | {"queries": len(applied.queries)}
    return document


def summary_parts(file: Path, now: Summary) -> Iterator[Table | str]:
    """Tables of reviewers, answers, agreement and disagreements, if there are any, then the counts."""
    if now.reviewers:
        decided = [(each.name, each.decided, each.accepted, each.edited, each.rejected) for each in now.reviewers]
        yield table_of("Reviewers", ["", "decided", "accepted", "edited", "rejected"], decided)
        edits = [
            (each.name, Cell(each.edit_rate, "percent"), Cell(each.words_changed, "percent"), each.wishes_typed)
            for each in now.reviewers
        ]
        yield table_of("Edits", ["", "texts changed", "words changed in these", "wishes typed or changed"], edits)
        answers = [
            (ABOUT[question], *(", ".join(map(str, each.answers[question].values())) for each in now.reviewers))
            for question in now.reviewers[0].answers
        ]
        yield table_of("Answers: yes, no", ["", *(each.name for each in now.reviewers)], answers)
    if now.agreements:
        yield agreement_table("Agreement", now.agreements, "queries", ABOUT.__getitem__)
    if now.disagreements:
        rows = [
            (
                *(disagreement.query_id, ABOUT[disagreement.about]),
                ", ".join(f"{who}: {answer}" for who, answer in disagreement.answers.items()),
                disagreement.settled_by,
            )
            for disagreement in now.disagreements
        ]
        yield table_of("Disagreements", ["query", "about", "who says what", "settled by"], rows)
    counts = ", ".join(f"{count} {what}" for what, count in now.counts.items())
    yield f"{file}: {counted(now.queries, 'query')}: {counts}"
    for reviewer in now.reviewers:
        if reviewer.accepted_with_a_no:
            yield f"{reviewer.name} accepts, with a no to a question: {', '.join(reviewer.accepted_with_a_no)}"
    disputed = ", ".join(now.ids("disputed"))
    if disputed:
        yield f"Disputed, and so not applied until drretail view --review {file} settles them: {disputed}"
    if now.stale:
        yield f"{now.stale} decisions are about queries that were changed or taken out since: they don't count."
