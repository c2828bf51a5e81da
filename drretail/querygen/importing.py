"""Queries out of plain questions: one a line, rows of CSV, or JSONL, where wishes may stand beside them."""

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
from drretail.records.base import sha256_of
from drretail.records.query import Query
from drretail.records.wish import Wish
from drretail.tables.cells import read_cells

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# What columns and fields may be called; any others are left aside.
_QUESTION, _USER, _WISH = ("question", "query", "text", "prompt"), ("user", "user_id"), "wish"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the id of the user who asks it; None where nobody in particular does."""

    text: str
    user_id: str | None = None
    wish: Wish | None = None
    """What is to be bought, where the file says it."""
    place: str = field(default="", compare=False)
    """Where it stands in the file, for messages."""


def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a file in its order, repeated ones too: of a .csv, .tsv or .jsonl, else one a line.

    Raises UserError where there is none, for a table without a column of questions, and for a wish that is none.
    """
    ending = path.suffix.casefold()
    rows = _table(path) if ending in (".csv", ".tsv") else _lines(path, as_json=ending == ".jsonl")
    found = tuple(_question(f"{path}, {place}", row) for place, row in rows)
    if not found:
        raise UserError(f"{path} holds no question: write one a line, or CSV with the columns question and user.")
    return found


def _lines(path: Path, *, as_json: bool) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Raises UserError for a line that is no JSON object in a file of such, or is one in a text; and for a query."""
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except json.JSONDecodeError as problem:
            if as_json:
                raise UserError(f"{path}, line {number}, is not JSON: {problem}.") from problem
            value = None
        if isinstance(value, dict) and "query_id" in value:
            raise UserError(
                f"{path}, line {number}, is a query already: drretail run --queries {path} asks it as it is."
            )
        if isinstance(value, dict) and not as_json:
            raise UserError(
                f"{path}, line {number}, is JSON, not a question: give the file a name that ends in .jsonl."
            )
        if not isinstance(value, dict) and as_json:
            raise UserError(f"{path}, line {number}, is not a JSON object.")
        yield f"line {number}", value if isinstance(value, dict) else {_QUESTION[0]: line}


def _table(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    heading, *rows = read_cells(path) or [[]]
    names = [name.strip().casefold() for name in heading]
    if not set(names) & set(_QUESTION):
        raise UserError(
            f"{path} has no column {_QUESTION[0]!r} in its first row: {', '.join(heading) or 'it is empty'}."
        )
    for number, cells in enumerate(rows, 2):
        if any(map(str.strip, cells)):
            yield f"row {number}", dict(zip(names, cells, strict=False))


def _question(place: str, row: Mapping[str, Any]) -> Question:
    """Raises UserError for a row without a question, and for a wish that is none."""
    text, user = (
        next((value.strip() for name in names if isinstance(value := row.get(name), str) and value.strip()), None)
        for names in (_QUESTION, _USER)
    )
    if text is None:
        raise UserError(f"{place}, has no question: name it {_QUESTION[0]!r}.")
    if control := _CONTROL.search(f"{text}{user or ''}"):
        raise UserError(f"{place}, is not plain text: remove the control character U+{ord(control[0]):04X}.")
    return Question(text, user, _wish(place, row.get(_WISH)), place)


def _wish(place: str, given: Any) -> Wish | None:
    """The wish as JSON has it, or as the text of a cell; None for nothing and for an empty cell."""
    try:
        if isinstance(given, str):
            given = parse_json(given) if given.strip() else None
        if isinstance(given, dict) and "wants" not in given:
            raise UserError(f'{place}: the wish names no wants; "wants": [] says that nothing is to be bought.')
        return None if given is None else Wish.model_validate(given)
    except json.JSONDecodeError as problem:
        raise UserError(f"{place}: the wish is not JSON ({problem}).") from problem
    except ValidationError as problem:
        error = problem.errors()[0]
        field_name = ".".join(map(str, error["loc"])) or _WISH
        raise UserError(f"{place}: this is no wish ({field_name}: {error['msg']}).") from problem


def queries_from(questions: Sequence[Question], source: str, world_fingerprint: str | None) -> tuple[Query, ...]:
    """A query for each different question; its id depends on question and user, so that a longer file keeps it.

    Raises UserError where the same question stands twice with different wishes.
    """
    different: dict[tuple[str, str | None], Question] = {}
    for question in questions:
        known = different.setdefault((question.text, question.user_id), question)
        if known.wish is None:
            different[question.text, question.user_id] = question
        elif question.wish not in (None, known.wish):
            raise UserError(f"{question.place}: the question stands there before with another wish: keep one.")
    return tuple(_query(question, source, world_fingerprint) for question in different.values())


def _query(question: Question, source: str, world_fingerprint: str | None) -> Query:
    whose = "asked" if question.user_id is None else short_hash(question.user_id)
    return Query(
        query_id=f"{whose}-i{sha256_of([question.text, question.user_id])[:8]}",
        user_id=question.user_id,
        text=question.text,
        mode="generic" if question.user_id is None else "profile_aware",
        wish=question.wish,
        world_fingerprint=world_fingerprint,
        source=source,
    )
