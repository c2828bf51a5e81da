"""`drretail queries generate`, `check`, `show` and `decide`, as a person calls them. Tests api/queries/."""

import json
from pathlib import Path

import pytest

from drretail.env.world import World
from drretail.experiments.query_files import gold_file, write_gold
from drretail.files import write_lines
from drretail.querygen.generate import generate_queries
from drretail.querygen.reading import read_queries
from drretail.records.criteria import Gold, Needs
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.build import demands
from tests.build import query as query_of
from tests.querygen.conftest import call, refused


def test_findings_are_shown_and_counted_and_the_file_stays_as_it_is(world: World, tmp_path: Path) -> None:
    faulty = tmp_path / "queries.jsonl"
    queries = generate_queries(world, ["ANNA", "CARA"], per_user=1, seed="1").queries
    second = queries[1].model_copy(update={"text": f"{queries[1].text} Write to cara@example.com."})
    write_lines(faulty, [queries[0].as_line(), second.as_line()])
    before = faulty.read_bytes()
    result = call(world, "check", faulty)
    assert (result.exit_code, faulty.read_bytes(), [*faulty.parent.iterdir()]) == (3, before, [faulty])
    assert "person_in_text" in result.stdout
    assert "1 of 2 queries without a finding; person_in_text 1" in result.stdout
    assert "The cheapest basket" not in result.stdout
    assert "The cheapest basket" in call(world, "check", faulty, "--details").stdout

    document = json.loads(call(world, "check", faulty, "--json").stdout)
    assert (document["format"], document["ok"], document["codes"]) == (1, False, {"person_in_text": 1})
    assert [row["query_id"] for row in document["queries"]] == [query.query_id for query in queries]
    assert [len(row["findings"]) for row in document["queries"]] == [0, 1]
    assert all(float(row["basket"]["total"]) > 0 for row in document["queries"])


def test_queries_that_could_not_be_made_are_told_and_users_who_were_named_are_left(
    world: World, tmp_path: Path
) -> None:
    result = call(world, "generate", "--to", tmp_path / "a.jsonl", "--n", "8", "--model", "offline:shopper", "--quiet")
    assert "offline:shopper is no language model: rules write the queries." not in result.stderr
    assert "left out: no other user has orders of which a query can be made (3)." in " ".join(result.stdout.split())
    assert (result.exit_code, "3 queries are missing" in " ".join(result.output.split())) == (0, True)
    asked = {json.loads(line)["user_id"] for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()}
    poor = next(row.user_id for row in world.store.sample_users("1", 99) if row.user_id not in asked)
    named = call(world, "generate", "--to", tmp_path / "b.jsonl", "--user", "CARA", "--user", poor, "--json")
    assert named.exit_code == 3
    (account,) = json.loads(named.stdout)["accounts"]
    assert (account["came"], account["used"]) == (2, 1)
    reason = "no query can be made of the user's orders"
    assert account["left_out"] == {reason: {"count": 1, "first": poor, "failed": True}}


def test_what_cannot_be_done_is_told_in_one_sentence_and_leaves_the_file_as_it_was(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef")
    to = tmp_path / "queries.jsonl"
    to.write_text("before\n")
    for arguments, message in (
        ("generate --mode generic", "add --model"),
        ("generate --model offline:judge", "shopper"),
        ("generate --model anthropic", "names no model"),
        ("generate --model anthropic:claude-sonnet-4-6 --mode generic --user ANNA", "leave out --user"),
        ("generate --user NOBODY", "no user 'NOBODY'"),
        ("generate --needs profile=.7 --needs web=.7", "together above 1"),
        ("generate --needs profile=half", "such as profile=.5"),
        ("shipped --split foo", "no split 'foo'. Known are all, conversations, dev"),
    ):
        command, *flags = arguments.split()
        over = None if command == "shipped" else world
        assert message in refused(over, command, "--to", to, "--force", *flags), arguments
        assert to.read_text() == "before\n", arguments


BATH = "I own a bird bath and want a bird feeder beside it. " * 3
WANT = Want(name="bird feeder", kinds=("bird feeder",), must=demands("squirrel proof"), rating_min=4)
FEEDER = query_of(
    "mine-1",
    BATH.strip(),
    user_id="SHOPPER",
    kind="companion",
    rationale="The record shows a bird bath.",
    expected_tools=("get_user_orders",),
    wish=Wish(wants=(WANT,), budget=Money.of(30), owned=("B0OWNED001",)),
)


def test_questions_are_shown_in_full_by_number_and_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    other = FEEDER.model_copy(update={"query_id": "mine-2", "text": "Which feeder?", "kind": None})
    write_lines(tmp_path / "q.jsonl", [FEEDER.as_line(), other.as_line()])

    shown = call(None, "show", tmp_path / "q.jsonl").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert BATH.strip() in " ".join(shown.split())
    assert "mine-1 · companion · profile-aware" in shown
    assert 'bird feeder: must meet "squirrel proof"; at least 4 stars' in shown
    assert "budget: $30.00 in total" in shown
    assert shown.endswith("2 queries of 1 user\n")
    assert "B0OWNED001" not in shown
    assert "why:" not in shown
    shown = call(None, "show", tmp_path / "q.jsonl", "--details").stdout
    for text in ("owned: B0OWNED001", "expected tools: get_user_orders", "of: SHOPPER", "why: The record shows"):
        assert text in shown
    assert "mine-2" not in call(None, "show", tmp_path / "q.jsonl", "--only", "1").stdout
    document = json.loads(call(None, "show", tmp_path / "q.jsonl", "--only", "mine-2", "--json").stdout)
    assert [query["query_id"] for query in document["queries"]] == ["mine-2"]
    assert "mine-3" in refused(None, "show", tmp_path / "q.jsonl", "--only", "mine-3")
    turn = other.model_copy(update={"after": "mine-1", "relations": {"bird feeder": "cheaper"}})
    write_lines(tmp_path / "talk.jsonl", [FEEDER.as_line(), turn.as_line()])
    assert "bird feeder: cheaper, relative to the system's own" in call(None, "show", tmp_path / "talk.jsonl").stdout


def test_check_keeps_what_is_proved_and_ends_with_3_where_luck_does_as_well(world: World, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    query = query_of("mine-1", BATH.strip(), mode="generic", wish=Wish(wants=(WANT,)), infeasible=True)
    write_lines(path, [query.as_line()])
    write_gold([query], gold_file(path))
    assert "mine-1 · generic · infeasible\n" in call(None, "show", path).stdout
    assert "Made so that the shop can't satisfy them: 1\n" in call(world, "check", path).stdout
    wish = Wish(wants=(Want(name="bird feeder", kinds=("bird feeder",)),))
    able = query_of("mine-2", FEEDER.text, mode="generic", wish=wish)
    write_gold([able], gold_file(path))
    write_lines(path, [able.as_line()])
    lucky = call(world, "check", path, "--needs", "profile")
    assert (lucky.exit_code, "Mean luck without the profile is 1.00" in lucky.stdout) == (3, True)
    (kept,) = read_queries(path)
    assert kept.gold == Gold(query_id="mine-2", needs=Needs(one_search=True, of=kept.asked_sha))
