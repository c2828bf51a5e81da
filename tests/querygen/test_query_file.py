"""`--to` of `queries generate` and `queries shipped`: what is in the file already is not lost."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from drretail.cli.queries.group import queries_app
from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.reading import read_queries
from tests.llm.provider import Provider

CLAUDE = "anthropic:claude-sonnet-4-6"


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "queries.jsonl"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(queries_app, list(map(str, arguments)))


def generate(world: World, to: Path, *flags: str) -> Result:
    return call("generate", "--world", world.folder, "--to", to, "--user", "ANNA", *flags)


def refused(result: Result) -> str:
    assert isinstance(result.exception, UserError)
    return str(result.exception)


def test_the_same_queries_and_more_of_them_are_written_over_those_that_are_there(world: World, to: Path) -> None:
    assert [generate(world, to, "--per-user", number).exit_code for number in ("1", "1", "2")] == [0, 0, 0]
    assert len(read_queries(to)) == 2


@pytest.mark.parametrize("mine", ["mine\n", '{"mine": 1}'])
def test_a_line_of_somebody_elses_is_left_unless_force_is_given(world: World, to: Path, mine: str) -> None:
    to.write_text(mine)
    assert "exists, and a line of it would be lost: name another file, or add --force" in refused(generate(world, to))
    assert "would be lost" in refused(call("shipped", "--to", to))
    assert to.read_text() == mine
    assert generate(world, to, "--force", "--per-user", "3").exit_code == 0
    assert len(read_queries(to)) == 3


def test_an_edited_query_is_left(world: World, to: Path) -> None:
    generate(world, to)
    first, *others = read_queries(to)
    edited = [first.model_copy(update={"text": f"{first.text} Please."}), *others]
    to.write_text("".join(f"{query.as_line()}\n" for query in edited))
    assert "a line of it would be lost" in refused(generate(world, to))
    assert list(read_queries(to)) == edited


def test_shipped_queries_are_not_written_over_those_of_the_other_part(to: Path) -> None:
    assert [call("shipped", "--to", to).exit_code for _ in range(2)] == [0, 0]
    assert "20 lines of it would be lost" in refused(call("shipped", "--to", to, "--split", "test"))
    assert call("shipped", "--to", to, "--split", "all").exit_code == 0
    assert call("shipped", "--to", to, "--split", "test", "--force").exit_code == 0
    assert len(read_queries(to)) == 30


def test_a_model_is_not_paid_for_what_could_not_be_written(
    world: World, to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef")
    generate(world, to)
    to.with_name("queries.jsonl.journal.jsonl").touch()
    with Provider() as provider:
        monkeypatch.setenv("DRRETAIL_BASE_URL", provider.url)
        assert f"exists, and {CLAUDE} did not write it" in refused(generate(world, to, "--model", CLAUDE))
        assert not provider.seen


def test_a_folder_is_no_file(world: World, tmp_path: Path) -> None:
    for result in (generate(world, tmp_path), call("shipped", "--to", tmp_path, "--force")):
        assert f"{tmp_path} is a folder: name a file in it" in refused(result)


def test_an_unknown_split_is_answered_with_all_that_there_are(to: Path) -> None:
    assert "choose dev, test or all" in refused(call("shipped", "--to", to, "--split", "foo"))
