"""What a model that reads is asked of a query, and what becomes of its answer."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from typer.testing import CliRunner, Result

from drretail.cli.queries.group import queries_app
from drretail.env.world import World
from drretail.errors import UserError
from drretail.files import write_lines
from drretail.prompts import tag_content
from drretail.querygen.by_model.opinion import Reader
from drretail.querygen.lint import Linter
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.querygen.by_model.scripted import ScriptedChat, scripted
from tests.querygen.conftest import product_id

FEEDER = Query(
    query_id="anna-1",
    user_id="ANNA",
    text="My bird feeder since January is fine, and I want another one. I am Jane Doe from Ohio.",
    rationale="The record shows a bird feeder.",
    wish=Wish(wants=(Want(name="bird feeder", kinds=("bird feeder",)),), owned=(product_id("bird feeder", 1),)),
    source="a test",
)
LAMP = FEEDER.model_copy(
    update={
        "query_id": "anna-2",
        "text": "Which desk lamp is running low?",
        "wish": Wish(wants=(Want(name="desk lamp", kinds=("desk lamp",)),)),
    }
)


def answer(**no: str) -> dict[str, Any]:
    """Yes to all, but for the fields that are named with a reason."""
    fields = ("sensible", "same", "anonymous")
    return {name: {"reason": no.get(name, "So it is."), "answer": "no" if name in no else "yes"} for name in fields}


def opinion(messages: Sequence[BaseMessage]) -> str:
    return json.dumps(answer(sensible="No lamp runs low.") if "running low?" in messages[0].text else answer())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "q.jsonl"
    write_lines(path, [FEEDER.model_copy(update={"text": FEEDER.text.split(" I am")[0]}).as_line(), LAMP.as_line()])
    return path


Check = Callable[..., tuple[Result, ScriptedChat]]


@pytest.fixture
def check(world: World, file: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """``queries check --model`` against a scripted model."""

    def called(answers: Callable[[Sequence[BaseMessage]], str], *flags: str) -> tuple[Result, ScriptedChat]:
        chat = ScriptedChat(answer=answers)
        monkeypatch.setattr("drretail.llm.registry.open_model", lambda *_, **__: scripted(chat))
        arguments = ["check", str(file), "--world", str(world.folder), "--model", "fake:x", *flags]
        return CliRunner().invoke(queries_app, arguments), chat

    return called


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


def test_a_no_is_a_finding_that_says_what_to_do_and_nothing_is_asked_twice(check: Check) -> None:
    result, chat = check(opinion, "--json")
    first, second = json.loads(result.stdout)["queries"]
    (finding,) = second["findings"]
    assert (result.exit_code, len(chat.asked), first["findings"]) == (3, 2, [])
    assert (finding["code"], finding["severity"], finding["found"]) == ("not_sensible", "warning", "No lamp runs low.")
    assert finding["to_do"] == "ask something else"
    table, again = check(opinion)
    assert again.asked == []
    assert "not_sensible" in table.stdout
    assert "2 calls, 2 of them from the journal" in table.stdout


def test_what_is_no_answer_is_told_and_asked_anew_only_where_somebody_wants_that(check: Check) -> None:
    failed, _ = check(lambda _: "no idea", "--json")
    assert failed.exit_code == 3
    assert set(json.loads(failed.stdout)["failed"]) == {"anna-1", "anna-2"}
    assert "unusable" in check(opinion)[0].stderr
    mended, chat = check(opinion, "--retry-failed", "--json")
    assert (json.loads(mended.stdout)["failed"], len(chat.asked)) == ({}, 2)


def test_an_estimate_puts_the_questions_together_and_sends_nothing(check: Check, file: Path) -> None:
    result, chat = check(opinion, "--estimate", "--json")
    (estimate,) = json.loads(result.stdout)["estimates"]
    assert (result.exit_code, estimate["count"], chat.asked) == (0, 2, [])
    assert estimate["input"]["low"] > 500
    check(opinion)
    assert json.loads(check(opinion, "--estimate", "--json")[0].stdout)["estimates"][0]["count"] == 0
    without = CliRunner().invoke(queries_app, ["check", str(file), "--estimate"])
    assert isinstance(without.exception, UserError)
