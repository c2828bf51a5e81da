"""Also tests second.py, pages.py, examination.py, reader.py, session.py, api/queries/writing.py and
api/queries/query_sets.py.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from typer.testing import Result

from drretail.env.world import World
from drretail.experiments.journal import read_effects
from drretail.files import read_jsonl, write_lines
from drretail.querygen.by_model.session import ModelSession
from drretail.querygen.by_model.targets import targets_of
from drretail.querygen.by_model.write import Written, write_for_targets
from drretail.querygen.reading import read_queries
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.build import demands
from tests.llm.provider import Provider, Step, answers
from tests.querygen.by_model.scripted import (
    Answer,
    ScriptedChat,
    all_of,
    is_second,
    read_again,
    right,
    scripted,
    written,
    written_wish,
)
from tests.querygen.conftest import call, product_id

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
        return write_for_targets(world, session, targets_of(world, users, per_user)[0]), chat


def test_queries_stand_in_the_order_of_users_whichever_is_answered_first(world: World, tmp_path: Path) -> None:
    def slow_first(messages: Sequence[BaseMessage]) -> float:
        return 0.1 if "CARA" in messages[-1].text else 0.01

    one, _ = write(world, tmp_path / "one.jsonl", parallel=1)
    many, chat = write(world, tmp_path / "many.jsonl", parallel=8, pause=slow_first)
    assert one.queries == many.queries
    assert [query.user_id for query in one.queries] == ["CARA", "CARA", "ANNA", "ANNA", "BERT", "BERT"]
    assert (chat.most_at_once, len(chat.asked)) == (3, 9)  # the queries of each user, and each once more
    assert {(query.source, query.mode) for query in one.queries} == {("fake:x", "profile_aware")}
    assert one.queries[0].query_id.endswith("-1")
    wants = (Want(name="birdhouse", kinds=("birdhouse",), quantity=2),)
    assert one.queries[0].wish == Wish(wants=wants, budget=Money.of(60))


def test_a_run_that_was_cut_asks_only_what_its_journal_lacks(world: World, tmp_path: Path) -> None:
    whole, _ = write(world, tmp_path / "whole.jsonl")
    lines = (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)
    calls = [at for at, line in enumerate(lines) if "part" not in json.loads(line)]
    (tmp_path / "cut.jsonl").write_bytes(b"".join(lines[: calls[3]]) + lines[calls[3]][:50])
    again, chat = write(world, tmp_path / "cut.jsonl")
    assert again.queries == whole.queries
    assert len(chat.asked) == 6


ONE: dict[str, Any] = {"users": ["ANNA"], "per_user": 1}


def test_what_two_repairs_leave_wrong_is_kept_and_told(world: World, tmp_path: Path) -> None:
    def wrong(messages: Sequence[BaseMessage]) -> str:
        if is_second(messages):
            return read_again(must=["fireproof"])
        answer = written(len(messages), must=["fireproof"])
        return all_of(answer | {"query": f"{answer['query']} Fireproof ones."})

    made, chat = write(world, tmp_path / "j.jsonl", wrong, **ONE)
    (query,) = made.queries
    assert (made.failed, len(chat.asked)) == ({}, 4)
    assert query.wish is not None
    assert [*map(str, query.wish.wants[0].must)] == ["fireproof"]
    assert [finding.code for finding in made.wrong[query.query_id]] == ["demand_undecided"]
    assert made.answers == {query.query_id: 3}
    again, silent = write(world, tmp_path / "j.jsonl", wrong, **ONE)
    assert (again.queries, again.wrong, silent.asked) == (made.queries, made.wrong, [])


def is_of_anna(world: World, messages: Sequence[BaseMessage]) -> bool:
    anna = world.store.user("ANNA")
    return any(f"{anna.first_name} {anna.last_name}" in message.text for message in messages)


CLAUDE = "anthropic:claude-sonnet-4-6"
LAMP_WISH = Wish(wants=(Want(name="desk lamp", kinds=("desk lamp",)),))
GENERIC_TOOLS = ["web_search", "product_catalog_search", "calculator"]


def says(seed: object, **changes: Any) -> Step:
    questions = (written(f"{seed}{at}", **changes) for at in range(2))
    return answers({"type": "text", "text": all_of(*questions)})


def second() -> Step:
    return answers({"type": "text", "text": read_again()})


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef")
    monkeypatch.setenv("DRRETAIL_MODEL_RETRIES", "0")
    monkeypatch.setenv("DRRETAIL_PRICES", json.dumps({CLAUDE: {"input": 3, "output": 15}}))


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "q.jsonl"


def generate(world: World, to: Path, provider: Provider, *flags: str) -> Result:
    model = ("--model", CLAUDE, "--parallel", "1", "--base-url", provider.url)
    return call(world, "generate", "--to", to, *model, *flags)


def test_queries_of_a_model_are_written_and_journalled_and_not_asked_for_again(world: World, to: Path) -> None:
    flags = ("--user", "ANNA", "--user", "BERT", "--per-user", "2")
    with Provider(says(0), second(), second(), says(1), second(), second()) as provider:
        first = generate(world, to, provider, *flags)
        before = to.read_bytes()
        again = generate(world, to, provider, *flags)
    assert (first.exit_code, again.exit_code, len(provider.seen)) == (0, 0, 6)
    assert to.read_bytes() == before
    queries = read_queries(to)
    assert [query.user_id for query in queries] == ["ANNA", "ANNA", "BERT", "BERT"]
    assert {(query.source, query.kind) for query in queries} == {(CLAUDE, "project")}
    assert "4 queries of 2 users" in first.stdout
    assert "6 calls; 54 tokens read, 12 written; price unknown" in first.stdout, "another model answered"
    assert "another model answered: claude-test (6 of 6 calls)" in first.stderr
    assert "genai-prices knows no price of anthropic:claude-test" in first.stderr
    assert "6 calls, 6 of them from the journal" in again.stdout
    assert len(read_effects(to.with_name("q.jsonl.journal.jsonl"))) == 6
    form = provider.seen[0].body["output_config"]["format"]
    assert form["type"] == "json_schema"
    assert set(form["schema"]["required"]) == {"questions"}


def test_failures_are_told_and_end_with_3_and_only_they_are_retried(
    world: World, to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong_for_anna(messages: Sequence[BaseMessage]) -> str:
        return all_of(written(query="")) if is_of_anna(world, messages) else right(messages)

    chat = ScriptedChat(answer=wrong_for_anna)
    monkeypatch.setattr("drretail.llm.registry.build_model", lambda *_, **__: scripted(chat))

    again = ("generate", "--to", to, "--model", "fake:x", "--user", "ANNA", "--user", "BERT", "--per-user", "3")
    broken, text = call(world, *again), json.loads(call(world, *again, "--json").stdout)
    assert broken.exit_code == 3
    assert "3 queries of 1 user, 3 failed" in broken.stdout
    assert "no usable answer after 2 repairs: questions.0.query: String should" in broken.stderr
    assert "--retry failed" in broken.stderr
    assert [query_id[-2:] for query_id in text["failed"]] == ["-1", "-2", "-3"]
    berts, calls = list(read_jsonl(to)), len(chat.asked)
    chat.answer = right
    mended = call(world, *again, "--retry", "failed", "--quiet")
    assert (mended.exit_code, mended.stderr, len(chat.asked) - calls) == (0, "", 4)
    assert list(read_jsonl(to))[3:] == berts


def test_generic_queries_have_no_user(world: World, to: Path) -> None:
    of_two = (says(number, expected_tools=GENERIC_TOOLS) for number in range(2))
    with Provider(*(step for says in of_two for step in (says, second()))) as provider:
        result = generate(world, to, provider, "--mode", "generic", "--n", "2", "--per-user", "1")
    assert result.exit_code == 0
    assert {(query.user_id, query.mode) for query in read_queries(to)} == {(None, "generic")}
    assert all(query.query_id.startswith("generic-") for query in read_queries(to))


QUESTIONS = "question,user\nI'd like a second bird feeder for at most $20.,ANNA\nWhich desk lamp is dimmable?,\n"

LAMP = {"name": "desk lamp", "kinds": ["Desk Lamps"]}


def types(**changes: Any) -> str:
    return json.dumps(written_wish(**({"quantity": 1, "budget": None} | changes)))


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> ScriptedChat:
    def right(messages: Sequence[BaseMessage]) -> str:
        twenty, owned = {"amount": "20", "currency": "USD"}, [product_id("bird feeder", 1)]
        is_lamp = "feeder for" not in messages[0].text
        feeder = {"name": "bird feeder", "kinds": ["bird feeders"], "budget": twenty, "owned": owned}
        wish = types(**LAMP, must=["dimmable"]) if is_lamp else types(**feeder)
        clauses = [] if is_lamp else [{"quote": "a second bird feeder", "kind": "profile"}]
        return json.dumps({"wish": json.loads(wish), "clauses": clauses}) if is_second(messages) else wish

    made = ScriptedChat(answer=right)
    monkeypatch.setattr("drretail.llm.registry.build_model", lambda *_, **__: scripted(made))
    return made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "questions.csv"
    path.write_text(QUESTIONS)
    return path


def typed(file: Path) -> list[bool]:
    return [query.wish is not None for query in read_queries(file)]


def test_import_types_at_once_where_a_model_is_named_what_the_file_brings_no_wish_for(
    world: World, tmp_path: Path, to: Path, chat: ScriptedChat
) -> None:
    source = tmp_path / "questions.jsonl"
    rows = [
        {"question": "I'd like a second bird feeder for at most $20.", "user": "ANNA"},
        {"question": "Which desk lamp is dimmable?"},
        {"question": "Which desk lamp?", "wish": LAMP_WISH.model_dump(mode="json")},
    ]
    write_lines(source, map(json.dumps, rows))
    result = call(world, "import", source, "--to", to, "--model", "fake:x")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("3 queries for the world ")
    assert "2 typed" in result.stdout
    feeder, lamp, given = read_queries(to)
    wanted = (Want(name="bird feeder", kinds=("bird feeders",)),)
    assert feeder.wish == Wish(wants=wanted, budget=Money.of(20), owned=(product_id("bird feeder", 1),))
    assert lamp.wish == Wish(wants=(Want(name="desk lamp", kinds=("Desk Lamps",), must=demands("dimmable")),))
    assert (lamp.typed_by, lamp.user_id) == ("fake:x", None)
    assert (given.wish, given.typed_by, given.source) == (LAMP_WISH, None, "questions.jsonl")
    assert call(world, "import", source, "--to", to, "--model", "fake:x").exit_code == 0
    assert len(chat.asked) == 2


def test_untyped_ones_are_told_and_check_types_them_in_the_file(
    world: World, source: Path, to: Path, chat: ScriptedChat
) -> None:
    plain = call(world, "import", source, "--to", to)
    assert "2 queries without a wish. Write down what is to be bought: as the wish of each" in plain.stderr
    assert "What was not used" not in plain.stdout
    source.write_text(f"{QUESTIONS.rstrip()}\n{QUESTIONS.splitlines()[1]}\n")
    (account,) = json.loads(call(world, "import", source, "--to", to, "--force", "--json").stdout)["accounts"]
    assert (account["came"], account["used"]) == (3, 2)
    ((_, fate),) = account["merged"].items()
    assert fate["first"].endswith("questions.csv, row 4")
    assert typed(to) == [False, False]
    unasked = call(world, "check", to)
    assert (unasked.exit_code, "Without a wish: 2 of 2 queries" in unasked.output) == (3, True)
    for _ in range(2):
        result = call(world, "check", to, "--model", "fake:x")
        assert (result.exit_code, result.output.count("demand_undecided 1")) == (3, 1), "nobody has read the records"
        assert [query.typed_by for query in read_queries(to)] == ["fake:x", "fake:x"]
        assert "limit_not_typed 1" in result.output
        assert len(chat.asked) == 4


def test_what_the_text_does_not_say_goes_back_and_what_fails_stays_untyped(
    world: World, source: Path, to: Path, chat: ScriptedChat
) -> None:
    right = chat.answer

    def wrong_first(messages: Sequence[BaseMessage]) -> str:
        if len(messages) > 1:
            return right(messages)
        if "feeder for" not in messages[0].text:
            raise ValueError("out of order")
        return types(name="bird feeder", kinds=["bird feeder"], must=["heated"])

    chat.answer = wrong_first
    result = call(world, "import", source, "--to", to, "--model", "fake:x", "--parallel", "1")
    assert result.exit_code == 3
    assert "the text lacks heated" in chat.asked[1][-1].text
    assert "out of order" in result.stderr
    assert typed(to) == [True, False]
    chat.answer = right
    call(world, "check", to, "--model", "fake:x")  # the failure stands,
    assert typed(to) == [True, False]
    call(world, "check", to, "--model", "fake:x", "--retry", "failed")  # until it is asked for anew
    assert typed(to) == [True, True]


def test_a_model_that_stands_by_its_answer_is_not_asked_for_it_a_third_time(
    world: World, source: Path, to: Path, chat: ScriptedChat
) -> None:
    """A question may want what the shop has not."""
    source.write_text("question,user\nWhich snow shovel is light?,\n")
    chat.answer = lambda _: types(name="snow shovel", kinds=["snow shovel"], must=["light"])
    result = call(world, "import", source, "--to", to, "--model", "fake:x")
    assert (result.exit_code, len(chat.asked)) == (3, 2)
    assert "the shop has nothing of the kinds of a want: 'snow shovel'" in result.stderr
    (query,) = read_queries(to)
    assert query.wish == Wish(wants=(Want(name="snow shovel", kinds=("snow shovel",), must=demands("light")),))
    again = json.loads(call(world, "import", source, "--to", to, "--model", "fake:x", "--json").stdout)
    assert [each["code"] for each in again["findings"][query.query_id]] == ["kind_unknown"]
