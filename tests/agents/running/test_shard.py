import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.agents.running.shard import WHOLE, Shard, only
from drretail.errors import UserError
from drretail.records.query import Query

IDS = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True)


@given(IDS, st.integers(1, 50))
def test_every_query_is_in_exactly_one_shard(query_id: str, of: int) -> None:
    assert sum(Shard(number, of).holds(query_id) for number in range(1, of + 1)) == 1
    assert WHOLE.holds(query_id)


def test_what_a_shard_holds_does_not_depend_on_the_other_queries() -> None:
    queries = [Query(query_id=f"q{n}", text="?", source="test") for n in range(40)]
    some = queries[::3]
    shard = Shard.read("2/3")
    mine = shard.of_queries(queries)
    assert 5 < len(mine) < 25
    assert shard.of_queries(some) == [query for query in mine if query in some]


def test_the_same_queries_fall_into_the_same_shard_everywhere() -> None:
    assert [query_id for query_id in ("q1", "q2", "q3", "q4", "q5") if Shard(1, 2).holds(query_id)] == ["q4"]


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1 / 2", "²/3"])
def test_what_is_no_shard_is_said_so(text: str) -> None:
    with pytest.raises(UserError, match=r"from 1/4 to 4/4"):
        Shard.read(text)


FIVE = [Query(query_id=f"q{n}", text="?", source="test") for n in range(5)]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("2", ["q0", "q1"]), (3, ["q0", "q1", "q2"]), ("99", ["q0", "q1", "q2", "q3", "q4"]), ("q3, q1", ["q1", "q3"])],
)
def test_only_takes_the_first_queries_or_those_of_the_ids(wanted: str | int, found: list[str]) -> None:
    assert [query.query_id for query in only(FIVE, wanted)] == found
    assert [query.query_id for query in only(FIVE, ["q4"])] == ["q4"]


def test_only_prefers_an_id_that_is_a_number() -> None:
    queries = [*FIVE, Query(query_id="3", text="?", source="test")]
    assert [query.query_id for query in only(queries, "3")] == ["3"]


@pytest.mark.parametrize(("wanted", "said"), [("0", "from 1 on"), ("-1", "from 1 on"), ("q1,q9", "no query 'q9'")])
def test_only_without_a_query_to_run_is_an_error(wanted: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        only(FIVE, wanted)
