"""A spreadsheet of questions about products' records, and the answers that people filled in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from drretail.env.offers import Offers
from drretail.errors import UserError
from drretail.querygen.decisions.answers import Answer, Reading, problem_of
from drretail.querygen.decisions.questions import Key, Question
from drretail.records.criteria import State
from drretail.records.tables.sheets import Faults, Layout, SheetRow, line_of

SAYS = "readers_say"
"""In a sheet of differences, what each reader answered."""
KEY = ("query_id", "want", "demand", "product_id")
LAYOUT = Layout(
    "sheet of `queries decide`",
    ("query_id", "question", "want", "demand", "product_id", "title", "record"),
    ("state", "quote", "note"),
    may_lack=frozenset({"question", "title", "note"}),
)
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True)
class Filled:
    """The contents of a filled sheet."""

    reading: Reading
    blank: int
    """Rows without an answer."""
    stale: int
    """Answered rows whose record has changed since, or that are asked no longer."""


def sheet_of(questions: Iterable[Question], says: Mapping[Key, Mapping[str, Answer]] | None = None) -> bytes:
    """A CSV file with one row per question, to be filled in.

    ``says`` are readers' answers by question; the sheet is then one to settle their differences.
    """
    rows: list[SheetRow] = []
    for question in questions:
        row = {
            **dict(zip(KEY, question.key, strict=True)),
            "question": question.query.text,
            "title": question.listing.product.title,
            "record": question.record,
        }
        rows.append(row if says is None else row | {SAYS: "\n".join(_said(says[question.key]))})
    layout = LAYOUT if says is None else replace(LAYOUT, shown=(*LAYOUT.shown, SAYS))
    return layout.written(rows)


def _said(answers: Mapping[str, Answer]) -> Iterable[str]:
    for reader, answer in answers.items():
        yield ": ".join(filter(None, (reader, answer.state, answer.quote, answer.note)))


def read_sheet(path: Path, questions: Iterable[Question], offers: Offers) -> Filled:
    """The answers of a filled sheet; the file's name is the reader's.

    Raises UserError with the row and what is wrong with it; then nothing of the sheet counts.
    """
    sheet = LAYOUT.read(path)
    by_key = {question.key: question for question in questions}

    def answer_in(numbered: tuple[int, SheetRow]) -> tuple[Key, Answer] | None:
        """None for a row that is blank, or whose record has changed since, or that is asked no longer."""
        row = numbered[1]
        state, key = row["state"].casefold(), (row["query_id"], row["want"], row["demand"], row["product_id"])
        question = by_key.get(key)
        if not state:
            return None
        if question is None and not offers.listings([row["product_id"]]):
            raise Faults({"product_id": f"the shop has no product {row['product_id']!r}"})
        if question is None or row["record"].casefold().split() != question.record.casefold().split():
            return None
        if state not in STATES:
            raise Faults({"state": f"{row['state']!r} is none of {', '.join(STATES)}"})
        answer = Answer(state, row["quote"], row.get("note", ""))
        problem = problem_of(question, answer)
        if problem is not None:
            raise Faults({"quote": problem})
        return key, answer

    answers = sheet.answers(sheet.rows, answer_in, lambda numbered, *fault: line_of(numbered[0], *fault))
    blank = sum(not row["state"] for _, row in sheet.rows)
    stale = len(sheet.rows) - blank - len(answers)
    if stale and not answers:
        raise UserError(f"{path} answers nothing that is asked: it is of other queries, or of records before a change.")
    return Filled(Reading(f"person:{path.stem}", answers), blank, stale)
