"""Queries out of plain questions, one a line of text, or rows of CSV; what they demand is not typed yet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from drretail.cells import read_cells
from drretail.errors import UserError
from drretail.files import read_lines
from drretail.querygen.users import user_slug
from drretail.records.base import sha256_of
from drretail.records.query import NOBODY, Query

# What the two columns may be called; any others are left aside.
_QUESTION, _USER = ("question", "query", "text", "prompt"), ("user", "user_id")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the id of the user who asks it; None where nobody in particular does."""

    text: str
    user_id: str | None = None


def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a file in its order, repeated ones too: columns of a .csv or .tsv, else one a line.

    Raises UserError where there is none, and for a table without a column of questions.
    """
    found = tuple(_rows(path) if path.suffix.casefold() in (".csv", ".tsv") else _lines(path))
    if not found:
        raise UserError(f"{path} holds no question: write one a line, or CSV with the columns question and user.")
    return found


def _lines(path: Path) -> Iterator[Question]:
    yield from (Question(line.strip()) for line in read_lines(path) if line.strip())


def _rows(path: Path) -> Iterator[Question]:
    heading, *rows = read_cells(path) or [[]]
    names = [name.strip().casefold() for name in heading]
    asked = next((names.index(name) for name in _QUESTION if name in names), None)
    who = next((names.index(name) for name in _USER if name in names), None)
    if asked is None:
        raise UserError(
            f"{path} has no column {_QUESTION[0]!r} in its first row: {', '.join(heading) or 'it is empty'}."
        )
    for row in rows:
        text, user = (row[it].strip() if it is not None and it < len(row) else "" for it in (asked, who))
        if text:
            yield Question(text, user or None)


def queries_from(questions: Sequence[Question], source: str, world_fingerprint: str | None) -> tuple[Query, ...]:
    """A query for each that is not there yet; its id hangs on question and user, so that a longer file keeps them."""
    return tuple(_query(it, source, world_fingerprint) for it in dict.fromkeys(questions))


def _query(question: Question, source: str, world_fingerprint: str | None) -> Query:
    whose = "asked" if question.user_id is None else user_slug(question.user_id)
    return Query(
        query_id=f"{whose}-i{sha256_of([question.text, question.user_id])[:8]}",
        user_id=question.user_id,
        text=question.text,
        mode="generic" if question.user_id is None else "profile_aware",
        typed_by=NOBODY,
        world_fingerprint=world_fingerprint,
        source=source,
    )
