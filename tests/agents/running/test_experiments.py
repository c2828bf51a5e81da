"""What an experiment holds and shows: its categories, its scope, its shards, and as many runs as files may be open."""

import resource
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.run import check_open_files
from drretail.agents.running.shard import WHOLE, Shard, only
from drretail.env.world import World, open_world
from drretail.errors import UserError
from drretail.experiment import read_definition
from drretail.llm.registry import open_model
from drretail.records.query import Query
from drretail.records.run import Scope
from drretail.records.wish import Want, Wish
from tests.agents.conftest import calls, record, reporting, scripted, sut
from tests.shop import build_shop


def test_the_top_level_categories_of_what_is_wanted_are_frozen_when_an_experiment_opens(tmp_path: Path) -> None:
    wanted = Wish(wants=(Want(name="feeder", kinds=("Bird Feeders", "Patio, Lawn & Garden")),))
    queries = [
        Query(query_id="q1", text="A feeder?", source="test", wish=wanted),
        Query(query_id="q2", text="What now?", source="test"),
    ]
    model = open_model("offline:shopper", environ={})
    with open_world(build_shop(tmp_path / "w")) as world:
        player = sut(world, model)
        for folder in ("one", "two"):
            open_experiment(tmp_path / folder, world, queries, [player], "42").close()
    assert read_definition(tmp_path / "one").categories == {"q1": ("Patio_Lawn_and_Garden",)}
    assert (tmp_path / "one/experiment.json").read_bytes() == (tmp_path / "two/experiment.json").read_bytes()


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The limits of the process, of which the last one holds: at first 1,024, and 4,096 at the most."""
    held = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: held[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: held.append(given))
    return held


def test_more_than_it_may_have_is_one_sentence_with_what_would_go(limits: list[tuple[int, int]]) -> None:
    with pytest.raises(UserError, match=r"needs 10,100 open files.*may have 4,096.*at most --parallel 1998"):
        check_open_files(5000)
    check_open_files(200)
    assert limits == [(1024, 4096)]
    check_open_files(1000)
    assert limits[-1] == (2100, 4096), "what it may have it takes"


OTHER = "AEOTHER000000000000000000001"
REACHING = (calls(("get_user_profile", {"user_id": OTHER})), reporting("Nothing.", ""))


def error_in(world: World, scope: Scope | None) -> tuple[str, str]:
    """The label of a system, and what came of its reaching for another user's profile."""
    player = sut(world, scripted(*REACHING)[0], **({} if scope is None else {"scope": scope}))
    recorded = record(world, player)
    (tool,) = (step for step in recorded.run.steps if step.kind == "tool")
    return player.label, (tool.error or "").partition(":")[0]


@pytest.mark.parametrize(
    ("scope", "label", "error"),
    [
        (None, "react@scripted-test", "forbidden"),
        ("own", "react@scripted-test", "forbidden"),
        ("any", "react@scripted-test-scope-any", "not_found"),
    ],
)
def test_the_scope_decides_and_stands_in_the_label(world: World, scope: Scope | None, label: str, error: str) -> None:
    assert error_in(world, scope) == (label, error)


IDS = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True)


@given(IDS, st.integers(1, 50))
def test_every_query_is_in_exactly_one_shard(query_id: str, of: int) -> None:
    assert sum(Shard(number, of).holds(query_id) for number in range(1, of + 1)) == 1
    assert WHOLE.holds(query_id)


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


def test_a_few_queries_are_spread_over_users_and_more_hold_the_fewer() -> None:
    queries = [FIVE[at].model_copy(update={"user_id": user}) for at, user in enumerate("aaabb")]
    chosen = [[query.query_id for query in only(queries, count)] for count in range(1, 6)]
    assert chosen[1] == [queries[0].query_id, queries[3].query_id]
    assert all({*few} <= {*more} for few, more in pairwise(chosen))


def test_only_prefers_an_id_that_is_a_number() -> None:
    queries = [*FIVE, Query(query_id="3", text="?", source="test")]
    assert [query.query_id for query in only(queries, "3")] == ["3"]


@pytest.mark.parametrize(("wanted", "message"), [("0", "from 1 on"), ("-1", "from 1 on"), ("q1,q9", "no query 'q9'")])
def test_only_without_a_query_to_run_is_an_error(wanted: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        only(FIVE, wanted)
