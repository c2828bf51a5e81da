"""``drretail sandbox`` with a search engine, as a person calls it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from drretail.api.sandboxes import files_by
from drretail.cli.sealed.sandboxes import sandbox_app
from drretail.env.world import open_world
from drretail.errors import UserError
from drretail.files import write_lines
from tests.sandboxes.search_based.fake_web import FakeWeb
from tests.sandboxes.search_based.test_found_build import QUERY
from tests.shop import USER, build_shop

PLAYED = "tests.sandboxes.search_based.played:opened"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(build_shop(tmp_path_factory.mktemp("cli") / "world"))


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeWeb]:
    with FakeWeb() as server:
        yield server


def sandbox(fake: FakeWeb, *arguments: str) -> Result:
    return CliRunner().invoke(sandbox_app, arguments, env={"DRRETAIL_WEB_PROXY": fake.url})


def test_a_sandbox_is_built_gets_its_queries_and_is_checked(shop: str, fake: FakeWeb, tmp_path: Path) -> None:
    to, web = str(tmp_path / "S"), f"searxng:{fake.url}"
    flags = ("--world", shop, "--to", to, "--web", web, "--user", USER, "--model", PLAYED, "--sizes", "16k,32k,512k")
    made = sandbox(fake, "build", *flags, "--quiet")
    assert made.exit_code == 0, made.output
    assert "4 supportive, " in made.stdout
    assert "512k is left out: the pages of" in made.stdout
    assert "1 of 1 task." in made.stdout
    before = sandbox(fake, "check", to)
    assert (before.exit_code, "no gold yet" in before.stdout) == (3, True)
    result = sandbox(fake, "queries", to, "--world", shop, "--model", PLAYED, "--quiet")
    assert "1 query written." in result.stdout
    whole = sandbox(fake, "queries", to)
    assert (whole.exit_code, "every task has its query" in whole.stdout) == (0, True)
    kept = tmp_path / "kept"
    after = sandbox(fake, "check", to, "--world", shop, "--model", PLAYED, "--quiet", "--keep-passing", str(kept))
    assert (sandbox(fake, "check", str(kept)).exit_code, (kept / "building").exists()) == (0, False)
    assert (after.exit_code, "1 of 1 queries pass" in after.stdout) == (0, True)
    again = sandbox(fake, "build", *flags, "--quiet")
    calls = re.findall(r"(\d+) calls, (\d+) of them from the journal", again.stdout)
    assert len(calls) == 1
    assert calls[0][0] == calls[0][1]
    other = (*flags[:-2], "--results", "20")
    refused = sandbox(fake, "build", *other)
    assert isinstance(refused.exception, UserError)
    assert "was begun with results 100" in str(refused.exception)


def test_an_estimate_sends_nothing_and_makes_no_folder(shop: str, fake: FakeWeb, tmp_path: Path) -> None:
    queries, to = tmp_path / "q.jsonl", tmp_path / "S"
    write_lines(queries, [QUERY.as_line()])
    flags = ("--world", shop, "--to", str(to), "--web", "searxng:http://localhost:1", "--queries", str(queries))
    result = sandbox(fake, "build", *flags, "--model", PLAYED, "--estimate")
    assert (result.exit_code, to.exists()) == (0, False)
    assert "Nothing was sent" in result.stderr


def test_a_model_and_a_search_engine_go_together(shop: str, fake: FakeWeb, tmp_path: Path) -> None:
    build = ("build", "--world", shop, "--to", str(tmp_path / "S"))
    alone = sandbox(fake, *build, "--web", f"searxng:{fake.url}")
    assert "add --model" in str(alone.exception)
    without = sandbox(fake, *build, "--model", PLAYED, "--user", USER)
    assert str(without.exception).startswith("--model, --user: only where a search engine finds pages")
    assert not (tmp_path / "S").exists()


def test_own_files_stand_in_for_made_up_ones(shop: str, fake: FakeWeb, tmp_path: Path) -> None:
    (tmp_path / "own" / USER).mkdir(parents=True)
    (tmp_path / "own" / USER / "list.txt").write_text("It must not be red.")
    (tmp_path / "own" / USER / ".DS_Store").write_bytes(b"\0")
    with open_world(shop) as world:
        files = files_by(world, tmp_path / "own", "1")
        assert files(QUERY) == {"list.txt": b"It must not be red."}
        others = files(QUERY.model_copy(update={"user_id": None}))
    assert {*others} >= {"note.md", "manual.txt"}
