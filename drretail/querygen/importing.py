"""Queries from plain questions: one per line, or rows of CSV or JSONL, which may hold wishes, too."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.files import read_lines
from drretail.grounding.report.evidence_ids import short_hash
from drretail.parsing import parse_json
from drretail.querygen.reading import OTHER_NAMES, with_our_names
from drretail.records.base import fault_of, sha256_of
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.run import Usage
from drretail.records.tables.sheets import read_sheet
from drretail.records.wish import Wish

_LONGEST_ID = 64
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_QUESTION, _WISH = "question", "wish"
_ENDINGS = ("", ".txt", ".md", ".csv", ".tsv", ".jsonl")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the id of the user who asks it; None if nobody in particular asks it."""

    text: str
    user_id: str | None = None
    wish: Wish | None = None
    """What is to be bought, if the file says it."""
    query_id: str | None = None
    """Its id in the file, in the letters that ids of queries have."""
    place: str = field(default="", compare=False)
    """Its place in the file, for messages."""


def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a .csv, .tsv or .jsonl file, or of a text with one per line; in order, repeated ones too.

    Raises UserError for another format, a file without questions, a table without a column of questions, and an
    invalid wish.
    """
    ending = path.suffix.casefold()
    if ending not in _ENDINGS and path.is_file():
        raise UserError(f"{path}: questions are read from .txt (one per line), .csv, .tsv and .jsonl.")
    rows = _table(path) if ending in (".csv", ".tsv") else _lines(path, as_json=ending == ".jsonl")
    questions = tuple(_question(f"{path}, {place}", row) for place, row in rows)
    if not questions:
        raise UserError(f"{path} holds no question: write one a line, or CSV with the columns question and user.")
    return questions


def _lines(path: Path, *, as_json: bool) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Raises UserError for a JSONL line that is no object, an object in a plain text, and a line that is a query."""
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except json.JSONDecodeError as problem:
            if as_json:
                raise UserError(f"{path}, line {number}, is not JSON: {problem}.") from problem
            value = None
        if isinstance(value, dict) and {"query_id", "text"} <= value.keys():
            raise UserError(
                f"{path}, line {number}, is a query already: drretail run --queries {path} asks it as it is."
            )
        if isinstance(value, dict) and not as_json:
            raise UserError(
                f"{path}, line {number}, is JSON, not a question: give the file a name that ends in .jsonl."
            )
        if not isinstance(value, dict) and as_json:
            raise UserError(f"{path}, line {number}, is not a JSON object.")
        yield f"line {number}", value if isinstance(value, dict) else {_QUESTION: line}


def _table(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    sheet = read_sheet(path)
    if not {*sheet.columns} & {"text", *OTHER_NAMES["text"]}:
        present = ", ".join(sheet.columns) or "it is empty"
        raise UserError(f"{path} has no column {_QUESTION!r} in its first row: {present}.")
    yield from ((f"row {number}", row) for number, row in sheet.rows)


def _question(place: str, row: Mapping[str, Any]) -> Question:
    """Raises UserError for a row without a question, with control characters or with an invalid wish."""
    named = with_our_names(row)
    text, user, own_id = (_text(named.get(name)) for name in ("text", "user_id", "query_id"))
    if text is None:
        raise UserError(f"{place}, has no question: name it {_QUESTION!r}.")
    if control := _CONTROL.search(f"{text}{user or ''}"):
        raise UserError(f"{place}, is not plain text: remove the control character U+{ord(control[0]):04X}.")
    query_id = re.sub(r"[^a-z0-9._-]+", "-", (own_id or "").casefold()).strip("._-")[:_LONGEST_ID] or None
    return Question(text, user, _wish(place, row.get(_WISH)), query_id, place)


def _text(value: Any) -> str | None:
    """A cell's text, or a whole number as one; None if it is empty or something else."""
    is_text = isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
    return str(value).strip() or None if is_text else None


def _wish(place: str, value: Any) -> Wish | None:
    """The wish of a JSON value, or of a cell with JSON text; None if there is none."""
    try:
        if isinstance(value, str):
            value = parse_json(value) if value.strip() else None
        if isinstance(value, dict) and "wants" not in value:
            raise UserError(f'{place}: the wish names no wants; "wants": [] says that nothing is to be bought.')
        return None if value is None else Wish.model_validate(value)
    except json.JSONDecodeError as problem:
        raise UserError(f"{place}: the wish is not JSON ({problem}).") from problem
    except ValidationError as problem:
        raise UserError(f"{place}: this is no wish ({fault_of(problem)}).") from problem


def queries_from(questions: Sequence[Question], source: str, world_fingerprint: str | None) -> tuple[Query, ...]:
    """One query per distinct question and id.

    Without an id in the file it depends only on question and user, so that it stays the same in a longer file. Raises
    UserError if a question occurs twice with different wishes, and if two have one id.
    """
    different: dict[tuple[str, str | None, str | None], Question] = {}
    for question in questions:
        key = question.text, question.user_id, question.query_id
        known = different.setdefault(key, question)
        if known.wish is None:
            different[key] = question
        elif question.wish not in (None, known.wish):
            raise UserError(f"{question.place}: the question stands there before with another wish: keep one.")
    queries: dict[str, Query] = {}
    for question in different.values():
        query = _query(question, source, world_fingerprint)
        if queries.setdefault(query.query_id, query) is not query:
            raise UserError(f"{question.place}: another question has the id {query.query_id!r}: change one of them.")
    return tuple(queries.values())


def _query(question: Question, source: str, world_fingerprint: str | None) -> Query:
    whose = "asked" if question.user_id is None else short_hash(question.user_id)
    return Query(
        query_id=question.query_id or f"{whose}-i{sha256_of([question.text, question.user_id])[:8]}",
        user_id=question.user_id,
        text=question.text,
        mode="generic" if question.user_id is None else "profile_aware",
        wish=question.wish,
        world_fingerprint=world_fingerprint,
        source=source,
    )


@dataclass(frozen=True, slots=True)
class TypedQueries:
    """The queries in their order; those that already had a wish are unchanged."""

    queries: tuple[Query, ...]
    typed: tuple[str, ...] = ()
    """The ids of the queries whose wish was typed now."""
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """Why a query still has no wish, by query id."""
    wrong: dict[str, tuple[Finding, ...]] = field(default_factory=dict[str, tuple[Finding, ...]])
    """The remaining findings on the wishes that were typed now, by query id."""
    usage: Usage = field(default_factory=Usage)
    served: int = 0
