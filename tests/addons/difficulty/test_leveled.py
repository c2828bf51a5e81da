"""Queries of a wanted level."""

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from drretail.addons.difficulty.measure import Dial, generate_at
from drretail.api.worlds import open_world
from drretail.cli.app import app
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import UserError
from drretail.llm.prompt import tag_content
from drretail.querygen.lint import Linter
from drretail.querygen.reading import read_queries
from tests.querygen.by_model.scripted import ScriptedChat, right, scripted

USERS = ["ANNA", "CARA", "FAYE", "GUNN_1", "GUNN_2"]


def test_queries_have_the_level_that_is_measured_and_nothing_is_found_in_them(world: World) -> None:
    made = generate_at(world, [4, 5], 4, seed="42").queries
    dial, linter = Dial(Offers(world)), Linter(world)
    assert [query.level for query in made] == [dial.difficulty(query).level for query in made]
    assert not [finding.code for query in made for finding in linter.findings(query)]


def test_users_without_a_query_of_the_level_are_named_and_where_nobody_has_one_the_nearest_is(world: World) -> None:
    with pytest.raises(
        UserError, match=r"of level 9 .* of 1 user: theirs have .* and (\d)\. Try --level \1, or other users"
    ):
        generate_at(world, [9], 9, seed="42", users=USERS[:1])
    with open_world("demo") as demo:
        made = generate_at(demo, [3, 5], 4, seed="42")
    assert {query.level for query in made.queries} == {3, 5}
    assert len({query.user_id for query in made.queries}) == len(made.queries) == made.users
    assert not {*made.without} & {query.user_id for query in made.queries}


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["queries", *arguments])


def test_the_commands_write_levels(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to, measured = str(tmp_path / "made.jsonl"), tmp_path / "measured.jsonl"
    place = ["--world", str(world.folder)]
    made = call("generate", "--level", "5", "--n", "2", "--to", to, *place)
    assert made.exit_code == 0
    assert "2 queries of 2 users" in made.stdout
    found = call("difficulty", to, "--to", str(measured), "--json", *place)
    assert [row["level"] for row in json.loads(found.stdout)["queries"]] == [5, 5]
    assert measured.read_text("utf-8") == Path(to).read_text("utf-8")
    loud, quiet = (call("difficulty", to, *place, *flag) for flag in ([], ["-q"]))
    assert ("Measuring queries" in loud.stderr, quiet.stderr) == (True, "")
    assert loud.stdout == quiet.stdout != ""
    plain = tmp_path / "plain.jsonl"
    plain.write_text('{"query_id": "q", "text": "Which lamp?"}\n')
    assert "1 query without a level: " in call("difficulty", str(plain), *place).stdout
    assert call("generate", "--level", "5", "--per-user", "2", "--to", to, *place).exit_code != 0
    chat = ScriptedChat(answer=right)
    monkeypatch.setattr("drretail.llm.registry.open_model", lambda *_, **__: scripted(chat))
    worded = tmp_path / "worded.jsonl"
    by_model = call("generate", "--level", "5", "--n", "2", "--to", str(worded), "--model", "fake:x", *place)
    drafts, queries = read_queries(Path(to)), read_queries(worded)
    assert [query.user_id for query in queries] == [draft.user_id for draft in drafts]
    told = [tag_content("needs", asked[1].text) or "" for asked in chat.asked if len(asked) == 2]
    assert sorted(f"axes: {', '.join(draft.axes)}" for draft in drafts) == sorted(
        line for needs in told for line in needs.splitlines() if line.startswith("axes")
    )
    measured_again = Counter(query.level for query in queries)
    assert f"Of level {', '.join(f'{level} ({count})' for level, count in measured_again.items())}" in by_model.stdout


def test_a_file_that_exists_is_refused_before_anything_is_measured(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slow in ("drretail.addons.difficulty.measure.generate_at", "drretail.addons.difficulty.measure.Dial"):
        monkeypatch.setattr(slow, lambda *_, **__: pytest.fail("this is slow"))
    used, shipped = tmp_path / "used.jsonl", str(tmp_path / "dev.jsonl")
    used.write_text("somebody's work\n")
    call("shipped", "--to", shipped)
    for command in (["generate", "--level", "5"], ["difficulty", shipped]):
        refused = call(*command, "--to", str(used), "--world", str(world.folder))
        assert str(refused.exception) == f"{used} exists: name another file, or add --force."
