"""Conversations made of single queries: follow-ups by rules, and those that ship."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from drretail.api.queries import converse as command
from drretail.api.worlds import open_world
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.converse import KINDS, make_conversations
from drretail.querygen.lint import Linter
from drretail.querygen.reading import read_queries, shipped_queries
from drretail.records.query import Query, turns_until
from drretail.records.wish import Want, Wish
from scripts.make_conversations import CONVERSATIONS, closed, turns
from tests import build
from tests.build import query as query_of
from tests.shop import build_shop


@pytest.fixture(scope="module")
def demo() -> Iterator[World]:
    with open_world("demo") as world:
        yield world


@pytest.fixture(scope="module")
def talks(demo: World) -> list[Query]:
    made = make_conversations(shipped_queries("dev", "test", "generic"), demo, "2")
    assert made.counts.keys() == {*KINDS}
    return made.queries


def test_every_turn_is_proved_and_says_what_is_wanted(demo: World, talks: list[Query]) -> None:
    offers, until = Offers(demo), turns_until(talks)
    lasts = {turn.query_id for turn in talks} - {turn.after for turn in talks}
    assert {len(until[query_id]) for query_id in lasts} == {4, 5, 6}
    for turn in talks:
        assert build.known(offers.reference(turn).proof).state == "refuted"
    later = [turn for turn in (*talks, *shipped_queries("conversations")) if turn.after]
    assert [finding for checked in Linter(demo).check_all(later) for finding in checked.findings] == []
    for talk in (until[query_id] for query_id in lasts):  # what a turn adds stays in the next one
        limits = [
            {(want.name, limit.name, limit.values) for want in build.known(turn.wish).wants for limit in want.limits}
            for turn in talk
        ]
        assert all((now - before) <= after for before, now, after in zip(limits, limits[1:], limits[2:], strict=False))


def test_a_seed_makes_the_same_and_another_makes_others(demo: World) -> None:
    queries = shipped_queries("dev")[:6]
    once, again, other = (make_conversations(queries, demo, seed).queries for seed in ("1", "1", "2"))
    assert once == again
    assert {turn.query_id for turn in once}.isdisjoint(turn.query_id for turn in other)


def test_what_gives_no_conversation_is_said(tmp_path: Path, talks: list[Query]) -> None:
    world = build_shop(tmp_path / "world")
    unpriced = Wish(wants=(Want(name="window feeder", kinds=("window bird feeder",)),))
    turns = query_of("q-3", wish=unpriced), query_of("q-4", after="q-3", wish=unpriced)
    path = tmp_path / "q.jsonl"
    path.write_text(
        "".join(f"{query.as_line()}\n" for query in (query_of("q-1"), query_of("q-2", wish=unpriced), *turns))
    )
    why = (
        "gave no conversation: 1 × it has no wish, 2 × it is a turn of a conversation, "
        "1 × nothing has to be bought, or the shop lacks it"
    )
    with pytest.raises(UserError, match=why):
        command(path, to=tmp_path / "talks.jsonl", world=world)
    path.write_text(talks[0].as_line())
    with pytest.raises(UserError, match="was made for the world"):
        command(path, to=tmp_path / "talks.jsonl", world=world)


def test_the_forty_that_ship_are_what_the_script_makes(demo: World) -> None:
    written, offers = enumerate(CONVERSATIONS, 1), Offers(demo)
    made = [closed(turn, offers) for number, talk in written for turn in turns(number, talk)]
    assert made == [*shipped_queries("conversations")]


def test_the_command_writes_conversations_that_run_takes(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text("".join(f"{query.as_line()}\n" for query in shipped_queries("generic")[:2]))
    command(file, to=tmp_path / "talks.jsonl")
    queries = read_queries(tmp_path / "talks.jsonl")
    assert len(turns_until(queries)) == len(queries) >= 4
    with pytest.raises(UserError, match="would overwrite the queries that the new ones are made of"):
        command(file, to=tmp_path / "talks" / ".." / "q.jsonl", force=True)
