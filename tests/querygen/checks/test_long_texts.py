"""To check a query takes time in proportion to its length, whatever it is made of."""

import time

import pytest

from drretail.env.world import World
from drretail.querygen.lint import Linter
from drretail.records.query import LONGEST_TEXT, Query

SECONDS = 2.0
"""Each took 0.7 to 7.5 s of a processor while patterns were tried from every character of a row."""


@pytest.mark.parametrize(
    "text", ["a" * LONGEST_TEXT, f"feeder {' ' * LONGEST_TEXT}x"[:LONGEST_TEXT], "under $" + "1" * 9000]
)
def test_a_long_row_of_one_character_is_checked_in_no_time(world: World, text: str) -> None:
    query = Query(query_id="q1", text=text, mode="generic", source="test")
    began = time.process_time()
    Linter(world).check(query)
    assert time.process_time() - began < SECONDS
