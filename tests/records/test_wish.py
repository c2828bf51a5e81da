"""What a demand rests on. The other fields of a wish: tests/querygen/test_lint.py."""

import pytest

from drretail.records.wish import Demand


@pytest.mark.parametrize(
    ("say", "values", "rests"),
    [("my feeder's color", ("teal",), True), ("Teal or gray", ("red", "teal"), False), ("heated", ("yes",), False)],
)
def test_a_demand_rests_on_a_record_unless_its_words_say_a_value(
    say: str, values: tuple[str, ...], rests: bool
) -> None:
    assert Demand(say=say, field="Color", any_of=values).rests_on_record == rests
