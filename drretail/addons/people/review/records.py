"""A reviewer's decisions on queries, by the paper's three questions (section 5.1), and the revisions of queries.

Both are kept beside the file of queries: ``<file>.reviews.jsonl`` and ``<file>.history.jsonl``.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, StringConstraints, model_validator

from drretail.errors import UserError
from drretail.files import append_documents, read_documents
from drretail.locks import locked_file
from drretail.records.base import Document, Record
from drretail.records.evidence import Finding
from drretail.records.query import Query, version_of

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

    @property
    def noes(self) -> tuple[Question, ...]:
        """The questions that were answered with no."""
        return tuple(question for question in QUESTIONS if getattr(self, question) is False)


class Edit(Record):
    """A reviewer's edit of a query."""

    before: Query
    after: Query
    fields: tuple[str, ...]
    """The names of the fields that differ."""
    diff: str
    """The difference of the two texts, word by word: [-removed-] {+added+}."""


class Review(Document):
    """One decision on one version of a query; a line of ``<file>.reviews.jsonl``."""

    query_id: str
    version: str
    """The sha256 of the query as it was shown."""
    reviewer: ReviewerName
    at: AwareDatetime
    decision: Decision
    answers: Answers | None = None
    """None if the review settles a disagreement, which asks only for the decision."""
    note: str | None = None
    edit: Edit | None = None
    settles: bool = False
    """True if this is the last word on a disagreement. It does not count in the reviewers' agreement."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.decision == "edit") != (self.edit is not None):
            raise ValueError("an edit comes with what was edited, and nothing else does")
        if self.answers is None and not self.settles:
            raise ValueError("the answers are missing")
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


DECIDED = frozenset({"edited", "rejected"})
"""What people do to a query that they review; older histories also hold drretail's own attempts."""


class Revision(Document):
    """One attempt to replace a query, or people's decision on it; a line of the history."""

    query_id: str
    at: AwareDatetime
    by: str
    """A person, or the part of drretail that did it."""
    what: Literal["replaced", "tried", "failed", "edited", "rejected"]
    """People edit and reject.

    With "tried", the new version was no better, and the query stayed as it was. With "failed", no usable answer came,
    and so no new version.
    """
    attempt: int
    """The number of attempts to replace ``before``, this one included."""
    before: Query
    reasons: tuple[Finding, ...]
    """The findings on ``before``."""
    after: Query | None = None
    """None if there is no new version, or if the query was rejected."""
    findings: tuple[Finding, ...] = ()
    """The findings on ``after``."""
    problem: str | None = None
    """Why an attempt failed."""


def reviews_path(queries: Path) -> Path:
    return queries.with_name(f"{queries.name}.reviews.jsonl")


def read_reviews_of(queries: Path) -> tuple[Review, ...]:
    """All reviews in the order in which they were made; empty if there are none.

    Raises UserError, naming the line, for an invalid review.
    """
    return read_documents(reviews_path(queries), Review, "review")


def history_path(queries: Path) -> Path:
    return queries.with_name(f"{queries.name}.history.jsonl")


def read_history_of(queries: Path) -> tuple[Revision, ...]:
    """All revisions of a query file. Raises as ``read_reviews_of``."""
    return read_documents(history_path(queries), Revision, "revision")


def keep_reviews(queries: Path, reviews: Iterable[Review]) -> tuple[Review, ...]:
    """Appends the reviews that differ from their reviewer's last word, and returns them: the same twice adds nothing.

    If they settle a disagreement, the last word is that of whoever settled it last. Raises as ``read_reviews_of``.
    """

    def about(review: Review) -> object:
        return review.subject, None if review.settles else review.reviewer

    with locked_file(reviews_path(queries)):
        last = {about(review): review for review in read_reviews_of(queries)}
        new = tuple(
            review
            for review in reviews
            if (before := last.get(about(review))) is None or before.model_copy(update={"at": review.at}) != review
        )
        append_documents(reviews_path(queries), new)
    return new
