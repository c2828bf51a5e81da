"""What an experiment holds: its categories, its shards, and as many runs as files may be open."""

import resource
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.run import check_open_files
from drretail.agents.running.shard import WHOLE, Shard, only
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiment import read_definition
from drretail.llm.scripted import scripted_model
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.agents.conftest import sut


def test_the_top_level_categories_of_what_is_wanted_are_frozen_when_an_experiment_opens(
    world: World, tmp_path: Path
) -> None:
    wanted = Wish(wants=(Want(name="feeder", kinds=("Bird Feeders", "Patio, Lawn & Garden")),))
    queries = [
        Query(query_id="q1", text="A feeder?", source="test", wish=wanted),
        Query(query_id="q2", text="What now?", source="test"),
    ]
    for folder in ("one", "two"):
        open_experiment(tmp_path / folder, world, queries, [sut(world, scripted_model("x"))], "42").close()
    assert read_definition(tmp_path / "one").categories == {"q1": ("Patio_Lawn_and_Garden",)}
    assert (tmp_path / "one/experiment.json").read_bytes() == (tmp_path / "two/experiment.json").read_bytes()


def test_more_open_files_than_it_may_have_is_one_sentence_with_what_would_go(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: limits.append(given))
    with pytest.raises(UserError, match=r"needs 10,100 open files.*may have 4,096.*at most --parallel 1998"):
        check_open_files(5000)
    check_open_files(200)
    assert limits == [(1024, 4096)]
    check_open_files(1000)
    assert limits[-1] == (2100, 4096), "what it may have it takes"


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


def test_a_few_queries_are_spread_over_users_and_more_hold_the_fewer() -> None:
    queries = [FIVE[at].model_copy(update={"user_id": user}) for at, user in enumerate("aaabb")]
    chosen = [[query.query_id for query in only(queries, count)] for count in range(1, 6)]
    assert chosen[1] == [queries[0].query_id, queries[3].query_id]
    assert all({*few} <= {*more} for few, more in pairwise(chosen))


@pytest.mark.parametrize(("wanted", "message"), [("0", "from 1 on"), ("-1", "from 1 on"), ("q1,q9", "no query 'q9'")])
def test_only_without_a_query_to_run_is_an_error(wanted: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        only(FIVE, wanted)
