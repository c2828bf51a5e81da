"""Which queries are run: those of a part, the first, or those that are named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.agents.running.shard import WHOLE, Shard, only
from drretail.errors import UserError
from drretail.records.query import Query


@given(st.from_regex(r"[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True), st.integers(1, 50))
def test_every_query_is_in_exactly_one_shard_and_in_the_same_everywhere(query_id: str, of: int) -> None:
    assert sum(Shard(number, of).holds(query_id) for number in range(1, of + 1)) == 1
    assert WHOLE.holds(query_id)
    assert [fixed for fixed in ("q1", "q2", "q3", "q4", "q5") if Shard(1, 2).holds(fixed)] == ["q4"]


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1 / 2", "²/3"])
def test_what_is_no_shard_is_said_so(text: str) -> None:
    with pytest.raises(UserError, match=r"from 1/4 to 4/4"):
        Shard.read(text)


FIVE = [Query(query_id=f"q{n}", text="?", source="test") for n in range(5)]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("2", ["q0", "q1"]),
        (3, ["q0", "q1", "q2"]),
        ("99", ["q0", "q1", "q2", "q3", "q4", "7"]),
        ("q3, q1", ["q1", "q3"]),
        (["q4"], ["q4"]),
        ("7", ["7"]),  # an id that is a number
    ],
)
def test_only_takes_the_first_queries_or_those_of_the_ids(wanted: Any, found: list[str]) -> None:
    queries = [*FIVE, Query(query_id="7", text="?", source="test")]
    assert [query.query_id for query in only(queries, wanted)] == found
    for none, message in (("0", "from 1 on"), ("-1", "from 1 on"), ("q1,q9", "no query 'q9'")):
        with pytest.raises(UserError, match=message):
            only(queries, none)
