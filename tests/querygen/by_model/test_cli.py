"""`drretail queries generate --model`, as a person calls it, against a scripted provider."""

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
from drretail.files import read_jsonl
from drretail.records.query import Query
from tests.llm.provider import Provider, Step, answers, fails
from tests.querygen.by_model.scripted import ScriptedChat, right, scripted, written

CLAUDE = "anthropic:claude-sonnet-4-6"
GENERIC_TOOLS = ["web_search", "product_catalog_search", "calculator"]


def says(seed: object, **changes: Any) -> Step:
    return answers({"type": "text", "text": json.dumps(written(seed, **changes))})


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef")
    monkeypatch.setenv("DRRETAIL_MODEL_RETRIES", "0")
    monkeypatch.setenv("DRRETAIL_PRICES", json.dumps({CLAUDE: {"input": 3, "output": 15}}))


def generate(world: World, to: Path, provider: Provider, *flags: str) -> Result:
    arguments = ["generate", "--world", str(world.folder), "--to", str(to), "--model", CLAUDE, "--parallel", "1"]
    return CliRunner().invoke(queries_app, [*arguments, *flags], env={"DRRETAIL_BASE_URL": provider.url})


def queries_in(file: Path) -> list[Query]:
    return [Query.model_validate(line) for line in read_jsonl(file)]


def test_queries_of_a_model_are_written_and_journalled_and_not_asked_for_again(world: World, tmp_path: Path) -> None:
    to = tmp_path / "queries.jsonl"
    flags = ("--user", "ANNA", "--user", "BERT", "--per-user", "2")
    with Provider(*(says(number) for number in range(4))) as provider:
        first = generate(world, to, provider, *flags)
        before = to.read_bytes()
        again = generate(world, to, provider, *flags)
    assert (first.exit_code, again.exit_code, len(provider.seen)) == (0, 0, 4)
    assert to.read_bytes() == before
    queries = queries_in(to)
    assert [query.user_id for query in queries] == ["ANNA", "ANNA", "BERT", "BERT"]
    assert {(query.source, query.kind) for query in queries} == {(CLAUDE, "project")}
    assert "4 queries of 2 users" in first.stdout
    assert "4 calls; 36 tokens read, 8 written; $0.0002" in first.stdout
    assert "Prices as of" in first.stderr
    assert "4 calls, 4 of them from the journal" in again.stdout
    assert len(list(read_jsonl(tmp_path / "queries.jsonl.journal.jsonl"))) == 4
    form = provider.seen[0].body["output_config"]["format"]
    assert form["type"] == "json_schema"
    assert set(form["schema"]["required"]) == {"query", "kind", "rationale", "expected_tools", "wish"}


def test_an_estimate_sends_nothing_needs_no_key_and_rests_on_the_journal_once_there_is_one(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "queries.jsonl"
    flags = ("--user", "ANNA", "--user", "BERT", "--per-user", "3", "--estimate", "--json")
    with Provider(says(1)) as provider:
        generate(world, to, provider, "--user", "ANNA", "--per-user", "1")
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        (fresh,) = json.loads(generate(world, tmp_path / "other.jsonl", provider, *flags).stdout)["estimates"]
        (known,) = json.loads(generate(world, to, provider, *flags).stdout)["estimates"]
        assert len(provider.seen) == 1
    assert (fresh["count"], fresh["calls"]) == (6, {"low": 6, "high": 18})
    prompt = len(json.dumps(provider.seen[0].body)) / 4
    assert 0.5 * prompt < fresh["input"]["low"] / 6 < 1.5 * prompt
    assert 0 < fresh["dollars"]["low"] < fresh["dollars"]["high"]
    assert (known["count"], known["basis"]) == (5, "1 query in this file's journal")
    assert known["input"] == {"low": 5 * 4.5, "high": 5 * 13.5}


def test_failures_are_told_and_end_with_3_and_only_they_are_retried(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "queries.jsonl"
    anna = world.store.user("ANNA")

    def breaks_off_for_anna(messages: Sequence[BaseMessage]) -> str:
        if f"{anna.first_name} {anna.last_name}" in messages[1].text:
            raise ValueError("out of order")
        return right(messages)

    chat = ScriptedChat(answer=breaks_off_for_anna)
    monkeypatch.setattr("drretail.llm.registry.open_model", lambda *_, **__: scripted(chat))

    def again(*flags: str) -> Result:
        model = ["--model", "fake:x", "--user", "ANNA", "--user", "BERT", "--per-user", "3"]
        place = ["--world", str(world.folder), "--to", str(to)]
        return CliRunner().invoke(queries_app, ["generate", *place, *model, *flags])

    broken, text = again(), json.loads(again("--json").stdout)
    assert broken.exit_code == 3
    assert "3 queries of 1 user, 3 failed" in broken.stdout
    assert "out of order" in broken.stderr
    assert "--retry-failed" in broken.stderr
    assert [each["user_id"] for each in text["failed"]] == ["ANNA"] * 3
    berts, calls = list(read_jsonl(to)), len(chat.asked)
    chat.answer = right
    mended = again("--retry-failed", "--quiet")
    assert (mended.exit_code, mended.stderr, len(chat.asked) - calls) == (0, "", 3)
    assert list(read_jsonl(to))[3:] == berts


def test_where_all_fail_the_file_stays_as_it_was(world: World, tmp_path: Path) -> None:
    to = tmp_path / "queries.jsonl"
    to.write_text("before\n")
    with Provider(fails(400, "no such thing")) as provider:
        result = generate(world, to, provider, "--user", "BERT", "--per-user", "1", "--force")
    assert (result.exit_code, to.read_text()) == (3, "before\n")


def test_generic_queries_have_no_user_and_the_model_sees_no_profile(world: World, tmp_path: Path) -> None:
    to = tmp_path / "queries.jsonl"
    with Provider(*(says(number, expected_tools=GENERIC_TOOLS) for number in range(2))) as provider:
        result = generate(world, to, provider, "--mode", "generic", "--users", "2", "--per-user", "1")
    assert result.exit_code == 0
    assert {(query.user_id, query.mode) for query in queries_in(to)} == {(None, "generic")}
    assert all(query.query_id.startswith("generic-") for query in queries_in(to))
    assert "<profile>" not in json.dumps(provider.seen[0].body)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--mode", "profil_aware"], "profile_aware"),
        (["--mode", "generic"], "add --model"),
        (["--estimate"], "needs a --model"),
        (["--model", "offline:judge"], "shopper"),
        (["--model", "anthropic"], "names no model"),
        (["--model", CLAUDE, "--mode", "generic", "--user", "ANNA"], "leave out --user"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_sentence(
    world: World, tmp_path: Path, flags: list[str], message: str
) -> None:
    to = tmp_path / "queries.jsonl"
    result = CliRunner().invoke(queries_app, ["generate", "--world", str(world.folder), "--to", str(to), *flags])
    assert isinstance(result.exception, UserError)
    assert message in str(result.exception)
    assert not to.exists()
