"""The decisions on a file of queries, beside it: appended, never changed."""

from pathlib import Path

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.files import LineAppender, read_jsonl
from drretail.querygen.review.records import Review


def reviews_path(queries: Path) -> Path:
    return queries.with_name(f"{queries.name}.reviews.jsonl")


def read_reviews_of(queries: Path) -> tuple[Review, ...]:
    """All reviews in the order in which they were made, none where the file has none.

    Raises UserError that names the line when one is no review.
    """
    path = reviews_path(queries)
    if not path.exists():
        return ()
    reviews: list[Review] = []
    for number, line in enumerate(read_jsonl(path), 1):
        try:
            reviews.append(Review.model_validate(line))
        except ValidationError as problem:
            raise UserError(f"{path}, line {number}, is no review: {problem.errors()[0]['msg']}.") from problem
    return tuple(reviews)


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
