"""`drretail queries generate`, as a person calls it."""

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from drretail.cli.queries.group import queries_app
from drretail.env.world import World
from drretail.errors import UserError
from drretail.files import read_jsonl

runner = CliRunner()


def generate(world: World, to: Path, *flags: str) -> Result:
    return runner.invoke(queries_app, ["generate", "--world", str(world.folder), "--to", str(to), *flags])


def test_named_users_are_asked_for_and_no_others(world: World, tmp_path: Path) -> None:
    to = tmp_path / "queries.jsonl"
    result = generate(world, to, "--user", "CARA", "--user", "ANNA", "--per-user", "1", "--json")
    document = json.loads(result.stdout)
    assert [line["user_id"] for line in read_jsonl(to)] == ["CARA", "ANNA"]
    assert document == {
        "format": 1,
        "queries": 2,
        "users": 2,
        "users_without": [],
        "users_with_fewer": [],
        "file": str(to),
    }


def test_users_without_a_query_are_told_on_stderr_unless_quiet(world: World, tmp_path: Path) -> None:
    result = generate(world, tmp_path / "a.jsonl", "--users", "8")
    quiet = generate(world, tmp_path / "b.jsonl", "--users", "8", "--quiet")
    assert "no query could be made: 3" in result.stderr
    assert "5 users could be made; 8 were asked for" in result.stderr
    assert quiet.stderr == ""


def test_an_unknown_user_leaves_the_file_as_it_was(world: World, tmp_path: Path) -> None:
    to = tmp_path / "queries.jsonl"
    to.write_text("before\n")
    result = generate(world, to, "--user", "NOBODY")
    assert isinstance(result.exception, UserError)
    assert to.read_text() == "before\n"
