import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drretail.cli.queries.group import queries_app
from drretail.data_ingest.demo import build_shop
from drretail.env.session import Session
from drretail.env.world import World, open_world
from drretail.errors import UserError
from drretail.progress import choose_progress
from drretail.querygen.facts import agree, shown_by
from drretail.querygen.history import read_history
from drretail.querygen.lint import Linter
from drretail.querygen.needs import KINDS, Need, needs
from drretail.querygen.reading import read_queries
from drretail.querygen.shipped import CANARY, SPLITS, WORLD, shipped_queries
from drretail.records.query import NEED_KINDS, Query
from drretail.tools.toolkit import Toolkit


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(build_shop(tmp_path_factory.mktemp("demo") / "demo", choose_progress("none"))) as world:
        yield world


def test_the_demo_world_is_the_one_that_the_queries_were_made_for(demo: World) -> None:
    """When the demo world changes on purpose: scripts/draw_shipped_queries.py."""
    assert demo.manifest.fingerprint == WORLD
    assert {query.world_fingerprint for query in shipped_queries()} == {WORLD}


def test_nothing_is_found_in_any_of_them_nor_between_them(demo: World) -> None:
    checked = Linter(demo).check_all(shipped_queries())
    assert [(it.query.query_id, it.findings) for it in checked if it.findings] == []
    assert all(it.basket is not None for it in checked if it.query.constraints.budget is not None)


def test_there_are_twenty_to_develop_with_and_thirty_to_test_with_and_no_user_is_in_both() -> None:
    dev, test = shipped_queries("dev"), shipped_queries("test")
    assert (len(dev), len(test)) == (20, 30)
    assert shipped_queries() == (*dev, *test)
    users = [{query.user_id for query in split} for split in (dev, test)]
    assert not users[0] & users[1]
    assert len(users[0] | users[1]) == 17
    assert len({query.query_id for query in (*dev, *test)}) == 50


def need_of(query: Query) -> Need:
    return next(need for need in needs() if query.rationale.endswith(need.why))


def test_each_is_of_another_need_and_all_kinds_are_in_both_splits() -> None:
    names = [need_of(query).name for query in shipped_queries()]
    assert len(set(names)) == 50
    assert {"sensitive skin", "guest room", "noise", "allergy at home", "travel version"} <= set(names)
    for split in SPLITS:
        queries = shipped_queries(split)
        assert {query.kind for query in queries} == set(NEED_KINDS)
        assert all(query.kind == KINDS[need_of(query).shape] for query in queries)


def test_they_are_bounded_in_many_ways() -> None:
    queries = shipped_queries()
    for bound in ("budget", "must", "must_not", "brands_unwanted", "quantities", "deadline", "owned"):
        assert any(getattr(query.constraints, bound) for query in queries), bound
    assert {query.constraints.budget_scope for query in queries} == {"total", "per_item"}
    assert sum(query.constraints.deadline is not None for query in queries) >= 8
    assert sum(bool(query.constraints.quantities) for query in queries) >= 6
    assert any(query.constraints.budget is None for query in queries)


def test_a_user_asks_about_different_things_and_says_nothing_that_contradicts(demo: World) -> None:
    with Toolkit(Session(demo)) as toolkit:
        shown = {user: shown_by(read_history(toolkit, user)) for user in {it.user_id or "" for it in shipped_queries()}}
    for user, facts in shown.items():
        queries = [query for query in shipped_queries() if query.user_id == user]
        assert len({query.kind for query in queries}) == len(queries)
        for query in queries:
            claims = claims_of(query)
            assert agree(facts, claims), query.text
            facts |= claims


def claims_of(query: Query) -> dict[str, str]:
    """Of the need's sentences, those that stand in the text; a slot may be anything."""
    patterns = [
        (".{1,60}?".join(map(re.escape, re.split(r"{[^}]*}", it.say))), it.claims)
        for it in (*need_of(query).tell, *need_of(query).late)
    ]
    return {name: value for text, claims in patterns if re.search(text, query.text) for name, value in claims.items()}


def test_the_canary_stands_in_every_line() -> None:
    assert {query.source for query in shipped_queries()} == {CANARY}


def test_an_unknown_split_is_named() -> None:
    with pytest.raises(UserError, match="no split 'train'"):
        shipped_queries("train")  # pyright: ignore[reportArgumentType]  # as the command line may pass it on


@pytest.mark.parametrize(("flags", "count"), [([], 20), (["--split", "test"], 30), (["--split", "all"], 50)])
def test_the_command_writes_a_file_that_a_run_can_read(tmp_path: Path, flags: list[str], count: int) -> None:
    to = tmp_path / "queries.jsonl"
    result = CliRunner().invoke(queries_app, ["shipped", "--to", str(to), "--json", *flags])
    assert result.exit_code == 0
    assert len(read_queries(to)) == count
    told = json.loads(result.stdout)
    assert (told["queries"], told["world_fingerprint"], told["canary"]) == (count, WORLD, CANARY)
