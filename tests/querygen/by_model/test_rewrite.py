"""Queries in which something was found, written again by a model: what it is told, resumption, failures."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from drretail.env.world import World
from drretail.progress import Progress
from drretail.prompts import tag_content
from drretail.querygen.by_model.rewrite import ModelRewriter
from drretail.querygen.by_model.session import ModelSession
from drretail.querygen.fixing import Mended, Mender
from drretail.querygen.generate import generate_for
from drretail.querygen.lint import Linter
from drretail.querygen.revisions import History, history_path, read_history_of
from drretail.records.query import Query
from tests.querygen.by_model.scripted import Answer, ScriptedChat, answering, scripted

USERS = ("ANNA", "CARA", "FAYE")
MAIL = "Write to someone@example.com."


@pytest.fixture(scope="session")
def linter(world: World) -> Linter:
    return Linter(world)


@pytest.fixture(scope="module")
def good(world: World) -> dict[str, Query]:
    """By user, a query without a finding."""
    made = generate_for(world, USERS, per_user=1, seed="1").queries
    return {str(query.user_id): query for query in made}


@pytest.fixture
def poor(good: dict[str, Query]) -> list[Query]:
    return [query.model_copy(update={"text": f"{query.text} {MAIL}", "source": "fake:x"}) for query in good.values()]


@pytest.fixture
def right(world: World, good: dict[str, Query]) -> Answer:
    """Gives back, without its fault, the query of whoever's profile is told."""
    names = {f"{(it := world.store.user(user)).first_name} {it.last_name}": query for user, query in good.items()}

    def answer(messages: Sequence[BaseMessage]) -> str:
        return json.dumps(next(answering(query) for name, query in names.items() if name in messages[1].text))

    return answer


class Bench:
    """One file, its history and its journal, and what models were asked."""

    def __init__(self, world: World, linter: Linter, folder: Path) -> None:
        self.file = folder / "queries.jsonl"
        self.journal = folder / "queries.jsonl.journal.jsonl"
        self._world, self._linter = world, linter

    def mend(
        self,
        queries: Sequence[Query],
        answer: Answer,
        *,
        tries: int = 3,
        pause: Callable[[Sequence[BaseMessage]], float] = lambda _: 0,
        retry_failed: bool = False,
        **given: Any,
    ) -> tuple[Mended, ScriptedChat, ModelSession]:
        chat = ScriptedChat(answer=answer, pause=pause)
        history = History(self.file)
        now = datetime(2024, 5, 1, tzinfo=UTC)
        with (
            ModelSession(scripted(chat), self.journal, **given) as session,
            ModelRewriter(self._world, self._linter, session, Progress()) as rewrite,
        ):
            mender = Mender(self._linter, rewrite, history, "a test", lambda: now, tries, retry_failed)
            mended = mender.mend(queries)
        history.close()
        return mended, chat, session


@pytest.fixture
def bench(world: World, linter: Linter, tmp_path: Path) -> Bench:
    return Bench(world, linter, tmp_path)


def test_each_query_is_written_again_under_its_id_by_the_model_that_is_named(
    bench: Bench, poor: list[Query], right: Answer, good: dict[str, Query]
) -> None:
    mended, chat, session = bench.mend(poor, right)
    assert mended.replaced == tuple(query.query_id for query in poor)
    assert [each.text for each in mended.queries] == [query.text for query in good.values()]
    assert {(each.source, each.mode) for each in mended.queries} == {("fake:x", "profile_aware")}
    assert [each.kind for each in mended.queries] == [query.kind for query in good.values()]
    assert (len(chat.asked), session.usage.calls, session.served) == (3, 3, 0)


def test_the_model_is_told_the_four_inputs_the_query_and_what_is_wrong_with_it(
    bench: Bench, poor: list[Query], right: Answer, world: World
) -> None:
    other = poor[0].model_copy(update={"query_id": "other", "text": "What else would suit me?"})
    _, chat, _ = bench.mend([other, *poor[:1]], right, tries=1)
    instructions, asked = (
        each.text for each in next(each for each in chat.asked if "What else" in each[1].text.split("<question>")[0])
    )
    assert "taken apart into smaller questions" in instructions
    assert "product_catalog_search(" in instructions
    assert world.manifest.now.date().isoformat() in instructions
    assert world.store.orders("ANNA").orders[0].order_id in (tag_content("owned", asked) or "")
    document = json.loads(tag_content("question", asked) or "")
    assert document["wish"] == poor[0].model_dump(mode="json", exclude_none=True)["wish"]
    assert "the text holds an e-mail address" in (tag_content("faults", asked) or "")
    assert "What else would suit me?" in (tag_content("questions", asked) or "")


def test_an_address_that_is_to_go_is_told_to_no_model(bench: Bench, poor: list[Query], right: Answer) -> None:
    _, chat, _ = bench.mend(poor[:1], lambda messages: json.dumps(answering(poor[0])), tries=2)
    assert "someone@example.com" not in "".join(message.text for message in (*chat.asked[0], *chat.asked[-1][:2]))


def test_what_came_of_earlier_tries_is_told_in_the_next(
    bench: Bench, poor: list[Query], right: Answer, good: dict[str, Query]
) -> None:
    worse = good["ANNA"].model_copy(update={"text": f"{good['ANNA'].text} It was laid out in 2031."})

    def second_is_right(messages: Sequence[BaseMessage]) -> str:
        return right(messages) if "<try>" in messages[1].text else json.dumps(answering(worse))

    mended, chat, _ = bench.mend(poor[:1], second_is_right)
    assert mended.replaced
    text = tag_content("try", chat.asked[-1][1].text) or ""
    assert "2031" in text
    assert "a day to come" in text
    assert [(each.what, each.attempt) for each in read_history_of(bench.file)] == [("tried", 1), ("replaced", 2)]


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_run_that_was_cut_asks_only_what_its_journal_lacks(
    bench: Bench, poor: list[Query], right: Answer, kept: int
) -> None:
    whole, _, _ = bench.mend(poor, right, parallel=1)
    calls = bench.journal.read_bytes().splitlines(keepends=True)
    history_path(bench.file).unlink()
    bench.journal.write_bytes(b"".join(calls[:kept]) + calls[kept][:50])
    again, chat, session = bench.mend(poor, right)
    assert (again.queries, len(chat.asked), session.served) == (whole.queries, 3 - kept, kept)


def test_what_stands_in_the_history_is_not_asked_again_and_more_tries_go_on_behind_it(
    bench: Bench, poor: list[Query], right: Answer
) -> None:
    bench.mend(poor[:1], lambda _: json.dumps(answering(poor[0], text="")), tries=1)
    failed = read_history_of(bench.file)
    assert [each.what for each in failed] == ["failed"]
    _, silent, _ = bench.mend(poor[:1], right, tries=1)
    assert silent.asked == []


def test_failures_are_kept_and_counted_and_asked_anew_only_on_request(
    bench: Bench, poor: list[Query], right: Answer, world: World
) -> None:
    anna = world.store.user("ANNA")

    def breaks_off_for_anna(messages: Sequence[BaseMessage]) -> str:
        if f"{anna.first_name} {anna.last_name}" in messages[1].text:
            raise ValueError("out of order")
        return right(messages)

    broken, _, _ = bench.mend(poor, breaks_off_for_anna)
    assert list(broken.failed) == [poor[0].query_id]
    assert "out of order" in broken.failed[poor[0].query_id]
    assert len(broken.replaced) == 2
    kept, silent, _ = bench.mend(poor, right)
    assert (kept.failed, silent.asked) == (broken.failed, [])
    retried, chat, _ = bench.mend(poor, right, retry_failed=True)
    assert (len(chat.asked), retried.failed, len(retried.replaced)) == (1, {}, 3)


def test_nothing_depends_on_who_answers_first(bench: Bench, poor: list[Query], right: Answer, tmp_path: Path) -> None:
    late = {
        message: 0.03 * (3 - place)
        for place, message in enumerate(max(query.text.split(chr(34)), key=len)[:40] for query in poor)
    }

    def pause(messages: Sequence[BaseMessage]) -> float:
        return next(seconds for text, seconds in late.items() if text in messages[1].text)

    many, chat, _ = bench.mend(poor, right, parallel=8, pause=pause)
    histories = history_path(bench.file).read_bytes()
    history_path(bench.file).unlink()
    bench.journal.unlink()
    one, alone, _ = bench.mend(poor, right, parallel=1)
    assert (chat.most_at_once, alone.most_at_once) == (3, 1)
    assert many.queries == one.queries
    assert history_path(bench.file).read_bytes() == histories


def test_a_generic_query_is_written_again_without_any_profile(bench: Bench, poor: list[Query]) -> None:
    generic = Query(query_id="g-1", mode="generic", text="What? I'm at x@example.org.", source="fake:x")
    mended, chat, _ = bench.mend([generic], lambda _: "{}", tries=1)
    assert "<profile>" not in chat.asked[0][1].text
    assert list(mended.failed) == ["g-1"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"user_id": "DORA"}, "their users have no order that was kept"),
        ({"user_id": "NOBODY"}, "this world does not hold their users"),
        ({"user_id": None}, "they name no user"),
        ({"mode": "task"}, "they are tasks, which nothing here writes"),
    ],
)
def test_users_without_orders_and_tasks_are_left(
    bench: Bench, poor: list[Query], right: Answer, change: dict[str, str | None], why: str
) -> None:
    mended, chat, _ = bench.mend([poor[0].model_copy(update=change)], right)
    assert (mended.left, chat.asked) == ({poor[0].query_id: why}, [])
