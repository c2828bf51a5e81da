"""A spreadsheet of questions about products' records, and the answers that people filled in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from drretail.env.offers import Offers
from drretail.errors import UserError
from drretail.querygen.decisions.answers import Answer, Reading, problem_of
from drretail.querygen.decisions.questions import Key, Question
from drretail.records.criteria import State
from drretail.tables.cells import as_csv, read_cells

ASKED = ("query_id", "question", "want", "demand", "product_id", "title", "record")
ANSWERED = ("state", "quote", "note")
SAYS = "readers_say"
"""In a sheet of differences, what each reader answered."""
NEEDED = ("query_id", "want", "demand", "product_id", "record", "state", "quote")
STATES: tuple[State, ...] = get_args(State)
# The faults that are shown at once.
_MOST_FAULTS = 5


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
    said = () if says is None else (SAYS,)
    rows: list[Sequence[str]] = [(*ASKED, *said, *ANSWERED)]
    for question in questions:
        answers = () if says is None else ("\n".join(_said(says[question.key])),)
        query_id, want, demand, product_id = question.key
        title = question.listing.product.title
        rows.append(
            (query_id, question.query.text, want, demand, product_id, title, question.record, *answers, "", "", "")
        )
    return as_csv(rows)


def _said(answers: Mapping[str, Answer]) -> Iterable[str]:
    for reader, answer in answers.items():
        yield ": ".join(filter(None, (reader, answer.state, answer.quote, answer.note)))


def read_sheet(path: Path, questions: Iterable[Question], offers: Offers) -> Filled:
    """The answers of a filled sheet; the file's name is the reader's.

    Raises UserError with the row and what is wrong with it; then nothing of the sheet counts.
    """
    by_key = {question.key: question for question in questions}
    answers: dict[Key, Answer] = {}
    faults: list[str] = []
    blank = stale = 0
    for number, row in _rows(path):
        state = row["state"].casefold()
        if not state:
            blank += 1
            continue
        key = row["query_id"], row["want"], row["demand"], row["product_id"]
        question = by_key.get(key)
        if question is None and not offers.listings([row["product_id"]]):
            faults.append(f"row {number}: the shop has no product {row['product_id']!r}")
        elif question is None or _folded(row["record"]) != _folded(question.record):
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
    if faults:
        more = f"; and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
        raise UserError(f"{path} was not taken: {'; '.join(faults[:_MOST_FAULTS])}{more}.")
    return Filled(Reading(f"person:{path.stem}", answers), blank, stale)


def _rows(path: Path) -> Iterable[tuple[int, Mapping[str, str]]]:
    """The rows below the first, with their numbers, by the names in the first."""
    cells = read_cells(path)
    heading = [name.strip().casefold() for name in cells[0]] if cells else []
    missing = [name for name in NEEDED if name not in heading]
    if missing:
        raise UserError(f"{path} is no sheet of `queries decide`: its first row lacks {', '.join(missing)}.")
    for number, row in enumerate(cells[1:], 2):
        if any(cell.strip() for cell in row):
            padded = [*row, *[""] * (len(heading) - len(row))]
            yield number, {name: cell.strip() for name, cell in zip(heading, padded, strict=False)}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
