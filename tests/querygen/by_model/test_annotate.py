"""Questions typed by a model, from the command line and against scripted answers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from typer.testing import CliRunner, Result

from drretail.cli.queries.group import queries_app
from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.reading import read_queries
from drretail.records.money import Money
from drretail.records.wish import Want, Wish
from tests.querygen.by_model.scripted import ScriptedChat, scripted, written_wish
from tests.querygen.conftest import product_id

QUESTIONS = "question,user\nI'd like a second bird feeder for at most $20.,ANNA\nWhich desk lamp is dimmable?,\n"


LAMP = {"name": "desk lamp", "kinds": ["Desk Lamps"]}


def types(**changes: Any) -> str:
    return json.dumps(written_wish(**({"quantity": 1, "budget": None} | changes)))


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> ScriptedChat:
    def right(messages: Sequence[BaseMessage]) -> str:
        if "You read one question of a benchmark" in messages[0].text:
            return json.dumps(
                {name: {"reason": "So it is.", "answer": "yes"} for name in ("sensible", "same", "anonymous")}
            )
        if "feeder for" not in messages[0].text:
            return types(**LAMP, must=["dimmable"])
        twenty, owned = {"amount": 20, "currency": "USD"}, [product_id("bird feeder", 1)]
        return types(name="bird feeder", kinds=["bird feeders"], budget=twenty, owned=owned)

    made = ScriptedChat(answer=right)

    monkeypatch.setattr("drretail.llm.registry.open_model", lambda *_, **__: scripted(made))
    return made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "questions.csv"
    path.write_text(QUESTIONS)
    return path


def call(world: World, *arguments: str | Path) -> Result:
    return CliRunner().invoke(queries_app, [*map(str, arguments), "--world", str(world.folder)])


def test_import_types_at_once_where_a_model_is_named(
    world: World, source: Path, tmp_path: Path, chat: ScriptedChat
) -> None:
    to = tmp_path / "q.jsonl"
    result = call(world, "import", source, "--to", to, "--model", "fake:x")
    assert result.exit_code == 0, result.output
    assert "2 queries →" in result.stdout
    assert "2 typed" in result.stdout
    feeder, lamp = read_queries(to)
    wanted = (Want(name="bird feeder", kinds=("Bird Feeders",)),)
    assert feeder.wish == Wish(wants=wanted, budget=Money.of(20), owned=(product_id("bird feeder", 1),))
    assert lamp.wish == Wish(wants=(Want(name="desk lamp", kinds=("Desk Lamps",), must=("dimmable",)),))
    assert (lamp.typed_by, lamp.user_id) == ("fake:x", None)
    assert call(world, "import", source, "--to", to, "--model", "fake:x").exit_code == 0
    assert len(chat.asked) == 2


def test_untyped_ones_are_told_and_check_types_them_in_the_file(
    world: World, source: Path, tmp_path: Path, chat: ScriptedChat
) -> None:
    to = tmp_path / "q.jsonl"
    plain = call(world, "import", source, "--to", to)
    assert "2 have no wish yet. Write down what they want to buy: in the browser" in plain.stderr
    assert "stood there before" not in plain.stderr
    assert [query.wish is not None for query in read_queries(to)] == [False, False]
    result = call(world, "check", to, "--model", "fake:x")
    assert result.exit_code == 0, result.output
    assert [query.typed_by for query in read_queries(to)] == ["fake:x", "fake:x"]
    assert len(chat.asked) == 4
    assert call(world, "check", to, "--model", "fake:x").exit_code == 0
    assert len(chat.asked) == 4


def test_questions_that_are_repeated_are_told(world: World, source: Path, tmp_path: Path, chat: ScriptedChat) -> None:
    (first, *_) = source.read_text(encoding="utf-8").splitlines()[-1:]
    source.write_text(source.read_text(encoding="utf-8").rstrip("\n") + f"\n{first}\n", encoding="utf-8")
    to = tmp_path / "q.jsonl"
    assert "1 question of " in call(world, "import", source, "--to", to).stderr
    assert len(read_queries(to)) == 2
    result = call(world, "import", source, "--to", tmp_path / "again.jsonl", "--json")
    assert json.loads(result.stdout)["repeated"] == 1


def test_what_the_text_does_not_say_goes_back_and_what_fails_stays_untyped(
    world: World, source: Path, tmp_path: Path, chat: ScriptedChat
) -> None:
    to, right = tmp_path / "q.jsonl", chat.answer

    def wrong_first(messages: Sequence[BaseMessage]) -> str:
        if "You read one question of a benchmark" in messages[0].text:
            return json.dumps(
                {name: {"reason": "So it is.", "answer": "yes"} for name in ("sensible", "same", "anonymous")}
            )
        if "feeder for" not in messages[0].text:
            raise ValueError("out of order")
        return (
            right(messages) if len(messages) > 1 else types(name="bird feeder", kinds=["bird feeder"], must=["heated"])
        )

    chat.answer = wrong_first
    result = call(world, "import", source, "--to", to, "--model", "fake:x", "--parallel", "1")
    assert result.exit_code == 3
    assert "the text lacks heated" in chat.asked[1][-1].text
    assert "out of order" in result.stderr
    assert [query.wish is not None for query in read_queries(to)] == [True, False]
    chat.answer = right
    call(world, "check", to, "--model", "fake:x")  # the failure stands,
    assert [query.wish is not None for query in read_queries(to)] == [True, False]
    call(world, "check", to, "--model", "fake:x", "--retry-failed")  # until it is asked for anew
    assert [query.wish is not None for query in read_queries(to)] == [True, True]


def test_rules_type_nothing(world: World, source: Path, tmp_path: Path) -> None:
    result = call(world, "import", source, "--to", tmp_path / "q.jsonl", "--model", "offline:shopper")
    assert isinstance(result.exception, UserError)
    assert "name a language model" in str(result.exception)


def test_a_model_that_stands_by_its_answer_is_not_asked_for_it_a_third_time(
    world: World, source: Path, tmp_path: Path, chat: ScriptedChat
) -> None:
    """A question may want what the shop has not."""
    source.write_text("question,user\nWhich snow shovel is light?,\n")
    chat.answer = lambda _: types(name="snow shovel", kinds=["snow shovel"], must=["light"])
    result = call(world, "import", source, "--to", tmp_path / "q.jsonl", "--model", "fake:x")
    assert (result.exit_code, len(chat.asked)) == (3, 2)
    assert "the shop has nothing of the kinds of a want: 'snow shovel'" in result.stderr
    (query,) = read_queries(tmp_path / "q.jsonl")
    assert query.wish == Wish(wants=(Want(name="snow shovel", kinds=("snow shovel",), must=("light",)),))
    again = call(world, "import", source, "--to", tmp_path / "q.jsonl", "--model", "fake:x", "--json")
    assert [each["code"] for each in json.loads(again.stdout)["findings"][query.query_id]] == ["kind_unknown"]


def test_a_wish_that_the_file_brings_is_not_typed_again(
    world: World, source: Path, tmp_path: Path, chat: ScriptedChat
) -> None:
    wish = Wish(wants=(Want(name="desk lamp", kinds=("desk lamp",)),))
    source.write_text(json.dumps({"question": "Which desk lamp?", "wish": wish.model_dump(mode="json")}))
    source = source.rename(tmp_path / "questions.jsonl")
    result = call(world, "import", source, "--to", tmp_path / "q.jsonl", "--model", "fake:x")
    assert (result.exit_code, chat.asked) == (0, [])
    (query,) = read_queries(tmp_path / "q.jsonl")
    assert (query.wish, query.typed_by, query.source) == (wish, None, "questions.jsonl")
