"""A reviewer's decisions on queries, by the paper's three questions (section 5.1), and what an edit changed.

They are kept beside the file of queries, in ``<file>.reviews.jsonl``.
"""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, ConfigDict, StringConstraints, model_validator

from drretail.errors import UserError
from drretail.files import append_documents, read_documents
from drretail.locks import locked_file
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
