"""Questions typed and judged by a model, from the command line and against scripted answers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from drretail.env.world import World
from drretail.files import write_lines
from drretail.llm.prompts.prompt import tag_content
from drretail.querygen.by_model.opinion import Reader
from drretail.querygen.lint import Linter
from drretail.querygen.reading import read_queries
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.build import demands
from tests.build import query as query_of
from tests.querygen.by_model.scripted import ScriptedChat, scripted, written_wish
from tests.querygen.conftest import call, product_id, refused

QUESTIONS = "question,user\nI'd like a second bird feeder for at most $20.,ANNA\nWhich desk lamp is dimmable?,\n"

LAMP = {"name": "desk lamp", "kinds": ["Desk Lamps"]}


def types(**changes: Any) -> str:
    return json.dumps(written_wish(**({"quantity": 1, "budget": None} | changes)))


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> ScriptedChat:
    def right(messages: Sequence[BaseMessage]) -> str:
        if "You read one question of a benchmark" in messages[0].text:
            return json.dumps(answer())
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


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "q.jsonl"


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
    wanted = (Want(name="bird feeder", kinds=("Bird Feeders",)),)
    assert feeder.wish == Wish(wants=wanted, budget=Money.of(20), owned=(product_id("bird feeder", 1),))
    assert lamp.wish == Wish(wants=(Want(name="desk lamp", kinds=("Desk Lamps",), must=demands("dimmable")),))
    assert (lamp.typed_by, lamp.user_id) == ("fake:x", None)
    assert (given.wish, given.typed_by, given.source) == (LAMP_WISH, None, "questions.jsonl")
    assert call(world, "import", source, "--to", to, "--model", "fake:x").exit_code == 0
    assert len(chat.asked) == 2


@pytest.mark.parametrize(
    ("flags", "message"),
    [(["--model", "offline:shopper"], "name a language model"), (["--estimate"], "name one with --model")],
)
def test_without_a_language_model_nothing_is_typed_or_estimated(
    world: World, file: Path, flags: list[str], message: str
) -> None:
    assert message in refused(world, "check", file, *flags)


def test_untyped_ones_are_told_and_check_types_them_in_the_file(
    world: World, source: Path, to: Path, chat: ScriptedChat
) -> None:
    plain = call(world, "import", source, "--to", to)
    assert "2 queries without a wish. Write down what is to be bought: in the browser" in plain.stderr
    assert "are repeated" not in plain.stderr
    assert typed(to) == [False, False]
    for _ in range(2):
        result = call(world, "check", to, "--model", "fake:x")
        assert result.exit_code == 0, result.output
        assert [query.typed_by for query in read_queries(to)] == ["fake:x", "fake:x"]
        assert len(chat.asked) == 4


def test_questions_that_are_repeated_are_told(world: World, source: Path, to: Path) -> None:
    source.write_text(f"{QUESTIONS}{QUESTIONS.splitlines()[-1]}\n")
    result = call(world, "import", source, "--to", to, "--json")
    assert len(read_queries(to)) == 2
    assert json.loads(result.stdout)["repeated"] == 1


def test_what_the_text_does_not_say_goes_back_and_what_fails_stays_untyped(
    world: World, source: Path, to: Path, chat: ScriptedChat
) -> None:
    right = chat.answer

    def wrong_first(messages: Sequence[BaseMessage]) -> str:
        if len(messages) > 1 or "You read one question of a benchmark" in messages[0].text:
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


FEEDER = query_of(
    "anna-1",
    "My bird feeder since January is fine, and I want another one. I am Jane Doe from Ohio.",
    user_id="ANNA",
    rationale="The record shows a bird feeder.",
    wish=Wish(wants=(Want(name="bird feeder", kinds=("bird feeder",)),), owned=(product_id("bird feeder", 1),)),
)
LAMP_WISH = Wish(wants=(Want(name="desk lamp", kinds=("desk lamp",)),))
LAMP_QUERY = query_of(
    "anna-2", "Which desk lamp is running low?", user_id="ANNA", rationale=FEEDER.rationale, wish=LAMP_WISH
)


def answer(**no: str) -> dict[str, Any]:
    """Yes to all, but for the fields that are named with a reason."""
    fields = ("sensible", "same", "anonymous")
    return {name: {"reason": no.get(name, "So it is."), "answer": "no" if name in no else "yes"} for name in fields}


def test_it_is_told_text_wish_history_and_offers_without_what_identifies_anybody(world: World) -> None:
    linter = Linter(world)
    message = Reader(world, linter).message(FEEDER)
    question, owned = tag_content("question", message) or "", tag_content("owned", message) or ""
    assert "Jane Doe" not in message
    assert "I am […] from Ohio" in question
    assert f"{product_id('bird feeder', 1)}: Brightwater Bird Feeder, Size 1, Blue (" in owned
    assert "ordered 2022-01-01" in owned
    assert "- bird feeder: 5 products, $10.00 to $38.00; such as Tallow Bird Feeder" in message
    assert "bird feeder\nowned: " in (tag_content("wish", message) or "")


@pytest.fixture
def file(tmp_path: Path, chat: ScriptedChat) -> Path:
    """Two typed queries, of which the model finds the second not sensible."""
    path = tmp_path / "q.jsonl"
    plain = FEEDER.model_copy(update={"text": FEEDER.text.split(" I am")[0]})
    write_lines(path, [plain.as_line(), LAMP_QUERY.as_line()])
    chat.answer = opinion
    return path


def opinion(messages: Sequence[BaseMessage]) -> str:
    return json.dumps(answer(sensible="No lamp runs low.") if "running low?" in messages[0].text else answer())


def test_a_no_is_a_finding_that_says_what_to_do_and_nothing_is_asked_twice(
    world: World, file: Path, chat: ScriptedChat
) -> None:
    result = call(world, "check", file, "--model", "fake:x", "--json")
    first, second = json.loads(result.stdout)["queries"]
    (finding,) = second["findings"]
    assert (result.exit_code, len(chat.asked), first["findings"]) == (3, 2, [])
    assert (finding["code"], finding["severity"], finding["found"]) == ("not_sensible", "warning", "No lamp runs low.")
    assert finding["to_do"] == "ask something else"
    table = call(world, "check", file, "--model", "fake:x").stdout
    assert len(chat.asked) == 2
    assert "not_sensible" in table
    assert "2 calls, 2 of them from the journal" in table


def test_what_is_no_answer_is_told_and_asked_anew_only_where_somebody_wants_that(
    world: World, file: Path, chat: ScriptedChat
) -> None:
    chat.answer = lambda _: "no idea"
    failed = call(world, "check", file, "--model", "fake:x", "--json")
    assert failed.exit_code == 3
    assert set(json.loads(failed.stdout)["failed"]) == {"anna-1", "anna-2"}
    chat.answer, asked = opinion, len(chat.asked)
    assert "unusable" in call(world, "check", file, "--model", "fake:x").stderr
    mended = call(world, "check", file, "--model", "fake:x", "--retry", "failed", "--json")
    assert (json.loads(mended.stdout)["failed"], len(chat.asked) - asked) == ({}, 2)


def test_an_estimate_puts_the_questions_together_and_sends_nothing(
    world: World, file: Path, chat: ScriptedChat
) -> None:
    estimated = ("check", file, "--model", "fake:x", "--estimate", "--json")
    result = call(world, *estimated)
    (estimate,) = json.loads(result.stdout)["estimates"]
    assert (result.exit_code, estimate["count"], chat.asked) == (0, 2, [])
    assert estimate["input"]["low"] > 500
    call(world, "check", file, "--model", "fake:x")
    assert json.loads(call(world, *estimated).stdout)["estimates"][0]["count"] == 0
