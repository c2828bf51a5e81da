"""A spreadsheet of questions about products' records, and the answers that people filled in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from drretail.env.offers import Offers
from drretail.errors import UserError
from drretail.querygen.decisions.answers import Answer, Reading, problem_of
from drretail.querygen.decisions.questions import Key, Question
from drretail.records.criteria import State
from drretail.records.tables import sheets

ASKED = ("query_id", "question", "want", "demand", "product_id", "title", "record")
ANSWERED = ("state", "quote", "note")
SAYS = "readers_say"
"""In a sheet of differences, what each reader answered."""
KEY = ("query_id", "want", "demand", "product_id")
NEEDED = (*KEY, "record", "state", "quote")
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
    rows: list[sheets.Row] = []
    for question in questions:
        row = {
            **dict(zip(KEY, question.key, strict=True)),
            "question": question.query.text,
            "title": question.listing.product.title,
            "record": question.record,
        }
        rows.append(row if says is None else row | {SAYS: "\n".join(_said(says[question.key]))})
    return sheets.sheet_of((*ASKED, *([] if says is None else [SAYS]), *ANSWERED), rows)


def _said(answers: Mapping[str, Answer]) -> Iterable[str]:
    for reader, answer in answers.items():
        yield ": ".join(filter(None, (reader, answer.state, answer.quote, answer.note)))


def read_sheet(path: Path, questions: Iterable[Question], offers: Offers) -> Filled:
    """The answers of a filled sheet; the file's name is the reader's.

    Raises UserError with the row and what is wrong with it; then nothing of the sheet counts.
    """
    sheet = sheets.read_sheet(path)
    sheet.need(NEEDED, "sheet of `queries decide`")
    by_key = {question.key: question for question in questions}
    answers: dict[Key, Answer] = {}
    faults: list[str] = []
    blank = stale = 0
    for number, row in sheet.rows:
        state = row["state"].casefold()
        if not state:
            blank += 1
            continue
        key = row["query_id"], row["want"], row["demand"], row["product_id"]
        question = by_key.get(key)
        if question is None and not offers.listings([row["product_id"]]):
            faults.append(f"row {number}: the shop has no product {row['product_id']!r}")
        elif question is None or row["record"].casefold().split() != question.record.casefold().split():
            stale += 1
        elif state not in STATES:
            faults.append(f"row {number}: the state is {row['state']!r}; it takes one of {', '.join(STATES)}")
        elif key in answers:
            faults.append(f"row {number}: the same question is answered twice")
        else:
            answer = Answer(state, row["quote"], row.get("note", ""))
            problem = problem_of(question, answer)
            if problem is not None:
                faults.append(f"row {number}: {problem}")
            answers[key] = answer
    if stale and not answers and not faults:
        raise UserError(f"{path} answers nothing that is asked: it is of other queries, or of records before a change.")
    sheet.refuse(faults)
    return Filled(Reading(f"person:{path.stem}", answers), blank, stale)
