"""What reviewers say of a query on which they disagree, for whoever has the last word."""

from collections.abc import Iterator, Sequence

from drretail.grounding.text.wishes import wish_lines
from drretail.querygen.review.records import QUESTIONS, Edit, Review, content_of
from drretail.records.query import Query


def edits_by_reviewer(reviews: Sequence[Review], query: Query) -> dict[str, Edit]:
    """The edits that make another query of this one; of those that make the same, the first."""
    edits: dict[str | None, tuple[str, Edit]] = {}
    for review in reviews:
        if review.edit is not None and review.keeps(query) != content_of(query):
            edits.setdefault(review.keeps(query), (review.reviewer, review.edit))
    return dict(edits.values())


def review_lines(reviews: Sequence[Review]) -> Iterator[str]:
    """Each reviewer's decision with answers, note and edit."""
    for review in reviews:
        noes = ", ".join(QUESTIONS[question] for question in review.answers.noes) if review.answers else ""
        yield f"{review.reviewer}: {review.decision}{f' (no to: {noes})' if noes else ''}"
        if review.note:
            yield f"{review.reviewer}'s note: {review.note}"
        if review.edit is not None:
            yield from (f"{review.reviewer}'s edit: {line}" for line in edit_lines(review.edit))


def edit_lines(edit: Edit) -> Iterator[str]:
    """What was changed: words of the text, lines of the wish, and the names of other fields."""
    if "text" in edit.fields:
        yield edit.diff
    before, after = ([] if wish is None else wish_lines(wish) for wish in (edit.before.wish, edit.after.wish))
    yield from (f"no longer: {line}" for line in before if line not in after)
    yield from (f"now: {line}" for line in after if line not in before)
    yield from (f"{name}: changed" for name in edit.fields if name in ("expected_tools", "rationale"))
