"""A reviewer's decision on a query by the paper's three questions (section 5.1), its log ``<file>.reviews.jsonl``, and
what an edit changed.

Which decisions on the queries of a file count, what becomes of each query, the reviewed file, and the numbers of a
review: who decided what, how much was edited, where reviewers agree.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AwareDatetime, ConfigDict, StringConstraints, model_validator

from drretail.errors import UserError
from drretail.files import append_documents, read_documents
from drretail.grounding.gold_files import write_with_gold
from drretail.locks import locked_file
from drretail.records.base import Document, Record
from drretail.records.query import Query, version_of
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Table, table_of
from drretail.stats.agreement import Agreement, Answered, agreement_on, agreement_table, pairs_of

Decision = Literal["accept", "edit", "reject"]
DECISIONS: tuple[Decision, ...] = ("accept", "edit", "reject")
Question = Literal["deep_research", "answerable", "fits_profile"]
QUESTIONS: dict[Question, str] = {
    "deep_research": "Does it take deep research?",
    "answerable": "Can the nine tools answer it?",
    "fits_profile": "Does it fit the shopper?",
}
LONGEST_NAME = 64
ReviewerName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME, pattern=r"^[^\n]*$")
]


def reviewer_of(typed: str) -> str:
    """A reviewer's name without space around it. Raises UserError for an unusable one."""
    name = typed.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise UserError(f"A name has at most {LONGEST_NAME} characters.")
    return name


class Answers(Record):
    """A reviewer's answers about the query as it was shown, before any edit."""

    deep_research: bool
    answerable: bool
    fits_profile: bool | None = None
    """None for queries without a user."""


class Edit(Record):
    before: Query
    after: Query
    fields: tuple[str, ...]
    """The names of the fields that differ."""
    diff: str
    """The difference of the two texts, word by word: [-removed-] {+added+}."""


class Review(Document):
    """One decision on one version of a query; a line of ``<file>.reviews.jsonl``."""

    model_config = ConfigDict(extra="ignore")  # version 1.0 also wrote ``settles``

    query_id: str
    version: str
    """The sha256 of the query as it was shown."""
    reviewer: ReviewerName
    at: AwareDatetime
    decision: Decision
    answers: Answers | None = None
    """None only in files of version 1.0, where a review could settle a disagreement."""
    note: str | None = None
    edit: Edit | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.decision == "edit") != (self.edit is not None):
            raise ValueError("an edit comes with what was edited, and nothing else does")
        return self

    @property
    def subject(self) -> tuple[str, str]:
        """The query's id, and the version that the review is about."""
        return self.query_id, self.version

    def keeps(self, query: Query) -> str | None:
        """The content that the reviewer wants in the query's place, as ``content_of`` gives it; None if rejected."""
        if self.decision == "reject":
            return None
        return content_of(query if self.edit is None else self.edit.after)


def content_of(query: Query) -> str:
    """A hash that ignores who typed the wish: two people may type the same."""
    return version_of(query.model_copy(update={"typed_by": None}))


def reviews_path(queries: Path) -> Path:
    return queries.with_name(f"{queries.name}.reviews.jsonl")


def read_reviews_of(queries: Path) -> tuple[Review, ...]:
    """All reviews in the order in which they were made; empty if there are none.

    Raises UserError, naming the line, for an invalid review.
    """
    return read_documents(reviews_path(queries), Review, "review")


def keep_reviews(queries: Path, reviews: Iterable[Review]) -> tuple[Review, ...]:
    """Appends the reviews that differ from their reviewer's last word, and returns them: the same twice adds nothing.

    Raises as ``read_reviews_of``.
    """
    with locked_file(reviews_path(queries)):
        last = {(review.subject, review.reviewer): review for review in read_reviews_of(queries)}
        new = tuple(
            review
            for review in reviews
            if (before := last.get((review.subject, review.reviewer))) is None
            or before.model_copy(update={"at": review.at}) != review
        )
        append_documents(reviews_path(queries), new)
    return new


def edit_of(before: Query, after: Query) -> Edit | None:
    """The difference between two versions as an edit; None if there is none."""
    fields = tuple(name for name in Query.model_fields if getattr(before, name) != getattr(after, name))
    if not fields:
        return None
    return Edit(before=before, after=after, fields=fields, diff=word_diff(before.text, after.text))


def retyped(before: str, text: str) -> str:
    """The new text, tidied; the old one if they differ only in spaces at line ends and empty lines around."""
    return before if _tidy(text) == _tidy(before) else _tidy(text)


def _tidy(text: str) -> str:
    """The text without the spaces at line ends and the empty lines around it that programs leave."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


_MARKS = {"span": "{}", "del": "[-{}-]", "ins": "{{+{}+}}"}


def word_diff(before: str, after: str) -> str:
    """The new text, with removed words as [-words-] and added words as {+words+}."""
    return " ".join(_MARKS[element].format(words) for element, words in diff_pieces(before, after))


def diff_pieces(before: str, after: str) -> Iterator[tuple[str, str]]:
    """The words of both texts in pieces, each with the element of HTML that marks it: span, del or ins."""
    old, new = before.split(), after.split()
    for kind, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        marked = {"span": old[first:last]} if kind == "equal" else {"del": old[first:last], "ins": new[start:end]}
        yield from ((element, " ".join(words)) for element, words in marked.items() if words)


Version = tuple[str, str]
"""A query's id and its version."""


@dataclass(frozen=True, slots=True)
class CurrentDecisions:
    """Each reviewer's last decision on each query as it is now."""

    reviews: tuple[Review, ...]
    stale: int
    """Decisions on queries that something other than this review has changed since, or that are no longer there."""

    def of(self, query: Query) -> tuple[Review, ...]:
        return tuple(review for review in self.reviews if review.query_id == query.query_id)

    def undecided_by(self, reviewer: str, queries: Iterable[Query]) -> tuple[Query, ...]:
        """The queries on whose current version a reviewer has not decided."""
        decided = {review.query_id for review in self.reviews if review.reviewer == reviewer}
        return tuple(query for query in queries if query.query_id not in decided)


def current_decisions(reviews: Iterable[Review], queries: Sequence[Query]) -> CurrentDecisions:
    """The decisions that still count, by query in the file's order, then by reviewer."""
    last = {(review.subject, review.reviewer): review for review in reviews}
    places = {query.query_id: (place, query) for place, query in enumerate(queries)}
    lives = [review for review in last.values() if _lives(review, places.get(review.query_id, (0, None))[1])]
    # Somebody whose edit was applied may have decided on the result, too: the later decision counts.
    current = {(review.query_id, review.reviewer): review for review in sorted(lives, key=lambda review: review.at)}
    order = {query_id: place for query_id, (place, _) in places.items()}
    by_place = sorted(
        current.values(), key=lambda review: (order.get(review.query_id, len(order)), review.query_id, review.reviewer)
    )
    return CurrentDecisions(tuple(by_place), len(last) - len(lives))


def decisions_on(file: Path, queries: Sequence[Query]) -> CurrentDecisions:
    """The decisions beside a file that still count for its queries. Raises UserError for an invalid line."""
    return current_decisions(read_reviews_of(file), queries)


def _lives(review: Review, query: Query | None) -> bool:
    """True if the query is as its reviewer saw it, or as the reviewer wanted it: edited so, or taken out."""
    if query is None:
        return review.decision == "reject"
    return review.version == version_of(query) or (
        review.edit is not None and content_of(review.edit.after) == content_of(query)
    )


What = Literal["accepted", "edited", "rejected", "undecided"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a query. ``result`` is the query or its edit; None if it is rejected or undecided."""

    query: Query
    what: What
    result: Query | None
    by: tuple[str, ...] = ()
    """Who decided. Of an undecided query, those who decided differently."""


def outcomes(queries: Iterable[Query], current: CurrentDecisions) -> tuple[Outcome, ...]:
    """One outcome per query, in order.

    All reviewers of a query must decide alike; two edits are alike if they make the same query, whoever typed its wish.
    Otherwise the query stays undecided. A query that an applied edit made counts as accepted by whoever made the edit.
    """
    made: list[Outcome] = []
    for query in queries:
        reviews = current.of(query)
        by, wanted = tuple(review.reviewer for review in reviews), {review.keeps(query) for review in reviews}
        if len(wanted) != 1:
            made.append(Outcome(query, "undecided", None, by))
        elif wanted == {None}:
            made.append(Outcome(query, "rejected", None, by))
        elif wanted == {content_of(query)}:
            made.append(Outcome(query, "accepted", query, by))
        else:
            edited = next(review.edit.after for review in reviews if review.edit is not None)
            made.append(Outcome(query, "edited", edited, by))
    return tuple(made)


def ids_by(outcomes: Iterable[Outcome], what: What) -> list[str]:
    return [outcome.query.query_id for outcome in outcomes if outcome.what == what]


def write_reviewed(to: Path, outcomes: Sequence[Outcome], *, in_place: bool = False) -> int:
    """Writes accepted and edited queries to a file, and returns their number.

    With ``in_place``, the file is the reviewed one itself, in which undecided queries stay as they are.
    """
    results = [each.query if in_place and each.what == "undecided" else each.result for each in outcomes]
    queries = [query for query in results if query is not None]
    write_with_gold(queries, to)
    return len(queries)


ABOUT = {
    "decision": "decision",
    "deep_research": "takes deep research",
    "answerable": "answerable with the nine tools",
    "fits_profile": "fits the shopper",
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
    name: str
    decided: int
    accepted: int
    edited: int
    rejected: int
    edit_rate: float
    """The share of decided queries whose text was changed."""
    answers: dict[Question, dict[str, int]]
    """How often each question was answered with yes and with no."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The state of a file's review."""

    queries: int
    outcomes: tuple[Outcome, ...]
    reviewers: tuple[Reviewer, ...]
    agreements: tuple[Agreement, ...]
    """Of every two reviewers, by name: on the decision, and on each question."""
    stale: int

    @property
    def counts(self) -> dict[str, int]:
        counted = Counter(outcome.what for outcome in self.outcomes)
        return {what: counted[what] for what in ("accepted", "edited", "rejected", "undecided")}

    @property
    def differing(self) -> tuple[str, ...]:
        """The ids of queries on which reviewers decided differently."""
        return tuple(each.query.query_id for each in self.outcomes if each.what == "undecided" and each.by)


def summary_of(queries: Sequence[Query], current: CurrentDecisions) -> Summary:
    """The statistics of a file's review. Reviewers are ordered by name."""
    by_name = sorted(current.reviews, key=lambda review: review.reviewer)
    reviewers: list[Reviewer] = []
    for name in dict.fromkeys(review.reviewer for review in by_name):
        reviews = [review for review in by_name if review.reviewer == name]
        decisions = Counter(review.decision for review in reviews)
        changes = sum(bool(review.edit and "text" in review.edit.fields) for review in reviews)
        answered = Counter((answer.about, answer.value) for answer in answers_in(reviews))
        reviewer = Reviewer(
            name=name,
            decided=len(reviews),
            accepted=decisions["accept"],
            edited=decisions["edit"],
            rejected=decisions["reject"],
            edit_rate=changes / len(reviews),
            answers={question: {word: answered[question, word] for word in ("yes", "no")} for question in QUESTIONS},
        )
        reviewers.append(reviewer)
    return Summary(
        queries=len(queries),
        outcomes=outcomes(queries, current),
        reviewers=tuple(reviewers),
        agreements=tuple(map(agreement_on, pairs_of(answers_in(by_name)))),
        stale=current.stale,
    )


def summary_document(file: Path, now: Summary) -> dict[str, Any]:
    """The content of the tables, with every number unrounded; shares are from 0 to 1."""
    return {
        "file": str(file),
        "reviews": str(reviews_path(file)),
        "queries": now.queries,
        "outcomes": now.counts,
        "differing": list(now.differing),
        "reviewers": [asdict(reviewer) for reviewer in now.reviewers],
        "agreement": [asdict(agreement) for agreement in now.agreements],
        "stale": now.stale,
    }


def summary_parts(file: Path, now: Summary) -> Iterator[Table | str]:
    """Tables of reviewers, answers and agreement, if there are any, then the counts."""
    if now.reviewers:
        decided = [
            (*(each.name, each.decided, each.accepted, each.edited, each.rejected), Cell(each.edit_rate, "percent"))
            for each in now.reviewers
        ]
        yield table_of("Reviewers", ["", "decided", "accepted", "edited", "rejected", "texts changed"], decided)
        answers = [
            (ABOUT[question], *(", ".join(map(str, each.answers[question].values())) for each in now.reviewers))
            for question in now.reviewers[0].answers
        ]
        yield table_of("Answers: yes, no", ["", *(each.name for each in now.reviewers)], answers)
    if now.agreements:
        yield agreement_table("Agreement", now.agreements, "queries", ABOUT.__getitem__)
    counts = ", ".join(f"{count} {what}" for what, count in now.counts.items())
    yield f"{file}: {counted(now.queries, 'query')}: {counts}"
    if now.differing:
        differing = ", ".join(now.differing)
        yield f"Reviewers decided differently, so these stay undecided until they decide alike: {differing}"
    if now.stale:
        yield f"{now.stale} decisions are about queries that were changed or taken out since: they don't count."
