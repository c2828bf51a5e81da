"""Which decisions on the queries of a file count, what becomes of each query, the reviewed file, and the numbers of a
review: who decided what, how much was edited, where reviewers agree.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from drretail.addons.people.review.form import Items
from drretail.addons.people.review.records import (
    DECIDED,
    QUESTIONS,
    Question,
    Review,
    Revision,
    content_of,
    history_path,
    read_history_of,
    read_reviews_of,
    reviews_path,
    words_changed,
)
from drretail.files import append_documents
from drretail.grounding.gold_files import write_with_gold
from drretail.records.query import Query, version_of
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Table, table_of
from drretail.stats.agreement import Agreement, Answered, agreement_on, agreement_table, differences, pairs_of

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
