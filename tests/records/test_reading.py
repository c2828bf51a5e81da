"""Readings and declared picks as records: what is taken, and that older files open."""

import pytest
from pydantic import ValidationError

from drretail.records.reading import Pick, Reading, ReadValue
from drretail.records.run import Answer, Run

FIELDS = {"run_id": "a/q-r1", "system": "a", "query_id": "q", "repeat": 1, "status": "done", "stop": "finished"}


def test_a_run_without_picks_opens_and_is_written_without_them() -> None:
    run = Run.model_validate(FIELDS)
    assert run.picks is None
    assert "picks" not in run.model_dump(mode="json", exclude_none=True)


def test_an_answer_that_buys_nothing_is_not_one_that_says_nothing() -> None:
    assert Answer(report="x").picks is None
    assert Answer(report="x", picks=()).picks == ()


def test_a_reading_is_read_back_as_it_was_written() -> None:
    value = ReadValue(kind="price", amount=("38", "62"), relation="range", of=("P:a", "P:b"), start=3, end=9)
    reading = Reading(reader="model:judge", picks=(Pick(product="a", quantity=2),), values=(value,), seen=2, read=1)
    assert Reading.model_validate_json(reading.as_line()) == reading


@pytest.mark.parametrize("reader", ["guess", "model:", ""])
def test_a_reader_has_one_of_three_kinds(reader: str) -> None:
    with pytest.raises(ValidationError):
        Reading(reader=reader)
