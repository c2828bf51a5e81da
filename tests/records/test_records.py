"""Money, versions of queries, readings and declared picks: what is taken, and that older files open."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

from drretail.records.money import Money
from drretail.records.query import version_of
from drretail.records.reading import Pick, Reading, ReadValue
from drretail.records.run import Answer, Run
from drretail.records.wish import Want, Wish
from tests.build import query

FIELDS = {"run_id": "a/q-r1", "system": "a", "query_id": "q", "repeat": 1, "status": "done", "stop": "finished"}


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (5, "5"),
        ("5.00", "5"),
        (19.99, "19.99"),
        (9.5, "9.50"),
        ("19.999", "20"),
        ("2.676", "2.68"),
        (Decimal("0.004"), "0"),
        (1e3, "1000"),
    ],
)
def test_a_number_becomes_money_rounded_to_the_cent(value: Decimal | float | str, amount: str) -> None:
    assert Money.of(value).amount == amount


def test_another_wish_is_another_version() -> None:
    lamp, other = (Wish(wants=(Want(name="lamp", kinds=(kind,)),)) for kind in ("lamp", "desk lamp"))
    versions = {version_of(query(wish=wish)) for wish in (None, lamp, other, Wish())}
    assert len(versions) == 4


def test_without_picks_a_run_opens_and_an_answer_is_not_one_that_buys_nothing() -> None:
    run = Run.model_validate(FIELDS)
    assert run.picks is None
    assert "picks" not in run.model_dump(mode="json", exclude_none=True)
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
