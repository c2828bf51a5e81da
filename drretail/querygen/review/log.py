"""The decisions on a file of queries, beside it: appended, never changed."""

from pathlib import Path

from drretail.files import LineAppender, read_documents
from drretail.querygen.review.records import Review


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
