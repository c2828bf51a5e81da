"""What a reviewer decides of a query; the three questions are those of the paper (section 5.1)."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, StringConstraints, model_validator

from drretail.files import LineAppender, read_documents
from drretail.records.base import Document, Record
from drretail.records.query import Query, version_of

Decision = Literal["accept", "edit", "reject"]
DECISIONS: tuple[Decision, ...] = ("accept", "edit", "reject")
Question = Literal["deep_research", "answerable", "fits_profile"]
QUESTIONS: dict[Question, str] = {
    "deep_research": "Does it take deep research?",
    "answerable": "Can the nine tools answer it?",
    "fits_profile": "Does it fit the shopper?",
}
ReviewerName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64, pattern=r"^[^\n]*$")
]


class Answers(Record):
    """What a reviewer says of the query as it was shown, before any edit."""

    deep_research: bool
    answerable: bool
    fits_profile: bool | None = None
    """None for queries without a user."""

    def of(self, question: Question) -> bool | None:
        return {
            "deep_research": self.deep_research,
            "answerable": self.answerable,
            "fits_profile": self.fits_profile,
        }[question]

    @property
    def noes(self) -> tuple[Question, ...]:
        """The questions that were answered with no."""
        return tuple(question for question in QUESTIONS if self.of(question) is False)


class Edit(Record):
    """What a reviewer made of a query."""

    before: Query
    after: Query
    fields: tuple[str, ...]
    """Those of the record that differ."""
    diff: str
    """Of the two texts, word by word: [-taken out-] {+put in+}."""


class Review(Document):
    """One decision on one version of a query; a line of ``<file>.reviews.jsonl``."""

    query_id: str
    version: str
    """The sha256 of the query as it was shown."""
    reviewer: ReviewerName
    at: AwareDatetime
    decision: Decision
    answers: Answers | None = None
    """None where a disagreement was settled, which asks only for the decision."""
    note: str | None = None
    edit: Edit | None = None
    settles: bool = False
    """True: the last word where reviewers disagreed. It is no part of their agreement."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.decision == "edit") != (self.edit is not None):
            raise ValueError("an edit comes with what was edited, and nothing else does")
        if self.answers is None and not self.settles:
            raise ValueError("the answers are missing")
        return self

    @property
    def subject(self) -> tuple[str, str]:
        """Which version of which query it is about."""
        return self.query_id, self.version

    def keeps(self, query: Query) -> str | None:
        """What the reviewer would have in the place of this query, as its ``content_of``; None when rejected."""
        if self.decision == "reject":
            return None
        return content_of(query if self.edit is None else self.edit.after)

    def says_the_same_as(self, other: "Review") -> bool:
        """True when only the time differs."""
        return self == other.model_copy(update={"at": self.at})


def content_of(query: Query) -> str:
    """The same for queries that differ in nothing but who typed the wish: two people may type the same."""
    return version_of(query.model_copy(update={"typed_by": None}))


def reviews_path(queries: Path) -> Path:
    return queries.with_name(f"{queries.name}.reviews.jsonl")


def read_reviews_of(queries: Path) -> tuple[Review, ...]:
    """All reviews in the order in which they were made, none where the file has none.

    Raises UserError that names the line when one is no review.
    """
    return read_documents(reviews_path(queries), Review, "review")


class ReviewLog:
    """Appends reviews; each is on disk before the next question is asked."""

    def __init__(self, queries: Path) -> None:
        self.reviews = list(read_reviews_of(queries))
        self._path = reviews_path(queries)
        self._lines: LineAppender | None = None

    def append(self, review: Review) -> None:
        if self._lines is None:
            self._lines = LineAppender(self._path)
        self._lines.append(review.as_line())
        self.reviews.append(review)

    def close(self) -> None:
        if self._lines is not None:
            self._lines.close()
