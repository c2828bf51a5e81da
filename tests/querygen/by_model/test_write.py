"""Writing by a model: order, resumption, repairs and failures."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from drretail.env.world import World
from drretail.querygen.by_model.session import ModelSession
from drretail.querygen.by_model.targets import targets_of
from drretail.querygen.by_model.write import Writer, Written
from drretail.records.money import Money
from drretail.records.wish import Want, Wish
from tests.querygen.by_model.scripted import Answer, ScriptedChat, right, scripted, written

USERS = ("CARA", "ANNA", "BERT")


def write(
    world: World,
    journal: Path,
    answer: Answer = right,
    *,
    users: Sequence[str] = USERS,
    per_user: int = 2,
    **given: Any,
) -> tuple[Written, ScriptedChat]:
    pause = given.pop("pause", lambda _: 0)
    chat = ScriptedChat(answer=answer, pause=pause)
    with ModelSession(scripted(chat), journal, **given) as session:
        return Writer(world, session).write(targets_of(world, users, per_user).targets), chat


def lines(made: Written) -> list[str]:
    return [query.as_line() for query in made.queries]


def test_queries_stand_in_the_order_of_users_whichever_is_answered_first(world: World, tmp_path: Path) -> None:
    def slow_first(messages: Sequence[BaseMessage]) -> float:
        return 0.1 if "None yet." in messages[1].text and "CARA" in messages[1].text else 0.01

    one, _ = write(world, tmp_path / "one.jsonl", parallel=1)
    many, chat = write(world, tmp_path / "many.jsonl", parallel=8, pause=slow_first)
    assert lines(one) == lines(many)
    assert [query.user_id for query in one.queries] == ["CARA", "CARA", "ANNA", "ANNA", "BERT", "BERT"]
    assert chat.most_at_once == 3  # a query of each user, for the second one is told of the first
    assert {(query.source, query.mode) for query in one.queries} == {("fake:x", "profile_aware")}
    assert one.queries[0].query_id.endswith("-1")
    wants = (Want(name="birdhouse", kinds=("birdhouse",), quantity=2),)
    assert one.queries[0].wish == Wish(wants=wants, budget=Money.of(60))


@pytest.mark.parametrize("kept", [0, 3, 5])
def test_a_run_that_was_cut_asks_only_what_its_journal_lacks(world: World, tmp_path: Path, kept: int) -> None:
    whole, _ = write(world, tmp_path / "whole.jsonl")
    calls = (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_bytes(b"".join(calls[:kept]) + calls[kept][:50])
    again, chat = write(world, tmp_path / "cut.jsonl")
    assert lines(again) == lines(whole)
    assert len(chat.asked) == 6 - kept


def of_anna(world: World, journal: Path, answer: Answer) -> tuple[Written, ScriptedChat]:
    """A single query."""
    return write(world, journal, answer, users=["ANNA"], per_user=1)


def test_what_is_wrong_is_told_and_mended(world: World, tmp_path: Path) -> None:
    def once_wrong(messages: Sequence[BaseMessage]) -> str:
        budget = {"amount": 90, "currency": "USD"}
        return json.dumps(written(budget=budget)) if len(messages) == 2 else json.dumps(written())

    made, chat = of_anna(world, tmp_path / "j.jsonl", once_wrong)
    assert made.failures == ()
    findings = chat.asked[1][-1].text
    assert "a typed amount of money is no amount of the text" in findings
    assert "the text says $60.00" in findings
    assert made.answers == {made.queries[0].query_id: 2}


def test_what_two_repairs_leave_wrong_is_kept_and_told(world: World, tmp_path: Path) -> None:
    def wrong(messages: Sequence[BaseMessage]) -> str:
        return json.dumps(written(len(messages), must=["fireproof"]))

    made, chat = of_anna(world, tmp_path / "j.jsonl", wrong)
    (query,) = made.queries
    assert (made.failures, len(chat.asked)) == ((), 3)
    assert query.wish is not None
    assert query.wish.wants[0].must == ("fireproof",)
    assert [finding.code for finding in made.wrong[query.query_id]] == ["words_not_in_text", "demand_unheard_of"]
    assert made.answers == {query.query_id: 3}
    again, silent = of_anna(world, tmp_path / "j.jsonl", wrong)
    assert (again.queries, again.wrong, silent.asked) == (made.queries, made.wrong, [])


def test_what_is_no_query_at_all_is_a_failure_and_the_others_go_on(world: World, tmp_path: Path) -> None:
    anna = world.store.user("ANNA")

    def wrong_first(messages: Sequence[BaseMessage]) -> str:
        of_her = f"{anna.first_name} {anna.last_name}" in messages[1].text
        return json.dumps(written(query="")) if of_her else right(messages)

    made, chat = write(world, tmp_path / "j.jsonl", wrong_first, users=["ANNA", "BERT"], per_user=3)
    assert "no usable answer after 2 repairs: the query is empty" in made.failures[0].reason
    assert [failure.query_id[-2:] for failure in made.failures] == ["-1", "-2", "-3"]
    assert made.failures[2].reason == f"not asked, because {made.failures[0].query_id} failed before it"
    assert [query.user_id for query in made.queries] == ["BERT", "BERT", "BERT"]
    assert len(chat.asked) == 3 + 3
