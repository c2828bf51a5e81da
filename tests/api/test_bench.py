"""A release from its making to its ranking, on a small shop with a contestant who follows rules."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from drretail import run
from drretail.api.bench.ranking import rank
from drretail.api.bench.release import make, publish, read_release
from drretail.api.bench.submission import submit
from drretail.env.world import open_world
from drretail.errors import UserError
from drretail.files import write_json, write_lines
from drretail.progress import choose_progress
from drretail.querygen.reading import read_queries
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.shop import USER, build_shop

CLOSES = datetime(2026, 12, 1, tzinfo=UTC)
LABEL = "react@offline-shopper"


def wish(kind: str, budget: str) -> Wish:
    return Wish(wants=(Want(name=kind, kinds=(kind,), again=True),), budget=Money(amount=budget, currency="USD"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of three queries, what is published of it, and one contestant's runs."""
    home = tmp_path_factory.mktemp("bench")
    build_shop(home / "world")
    with open_world(home / "world") as world:
        fingerprint = world.manifest.fingerprint
    queries = [
        Query(query_id=f"secret-{at}", user_id=USER, text=f"A {kind} for at most ${budget}.", wish=wish(kind, budget),
              task_id="twins", world_fingerprint=fingerprint, source="t")
        for at, (kind, budget) in enumerate([("bird feeder", "30"), ("bird bath", "60"), ("bird bath", "40")])
    ]  # fmt: skip
    write_lines(home / "q.jsonl", (query.model_dump_json(exclude_none=True) for query in queries))
    quiet = choose_progress("none")
    make(home / "R", closes=CLOSES, world=home / "world", queries=home / "q.jsonl", seed="s", progress=quiet)
    publish(home / "R", home / "public")
    run(home / "public" / "world", home / "public" / "tasks.jsonl", to=home / "exp", baselines=False)
    return home


def manifest(home: Path, name: str, **changed: object) -> Path:
    entry = {"models": ["offline:shopper"], "dollars": 0.3}
    write_json(home / f"{name}.json", {"format": 1, "name": name, "systems": {LABEL: entry | changed}})
    return home / f"{name}.json"


def test_tasks_hold_no_wish_no_twin_and_no_telling_id(home: Path) -> None:
    published = (home / "public" / "tasks.jsonl").read_text()
    assert not [word for word in ("wish", "task_id", "twins", "secret", "hidden", "infeasible") if word in published]
    assert len(read_queries(home / "public" / "tasks.jsonl")) == 3
    assert {path.name for path in (home / "public").iterdir()} == {"release.json", "tasks.jsonl", "world"}


def test_gold_is_published_after_the_window_and_keeps_the_promise(home: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="stays sealed until 2026-12-01"):
        publish(home / "R", tmp_path, gold=True, now=CLOSES - timedelta(days=1))
    assert not (tmp_path / "gold.jsonl").exists()
    publish(home / "R", tmp_path, closed=True, gold=True, now=CLOSES)
    assert read_release(tmp_path).queries == 3
    gold = (tmp_path / "gold.jsonl").read_text().splitlines()
    (tmp_path / "gold.jsonl").write_text("\n".join(gold[:-1]))
    with pytest.raises(UserError, match="is not what"):
        read_release(tmp_path)


def test_a_folder_that_says_other_models_or_was_edited_is_refused(home: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="it ran offline:shopper"):
        submit(home / "R", home / "exp", manifest(home, "liar", models=["openai:gpt-5"]))
    edited = tmp_path / "exp"
    edited.mkdir()
    for path in sorted((home / "exp").rglob("*")):
        target = edited / path.relative_to(home / "exp")
        target.mkdir(exist_ok=True) if path.is_dir() else target.write_bytes(path.read_bytes())
    path = next(edited.glob("runs/*/*/run.json"))
    changed = json.loads(path.read_text())
    path.write_text(json.dumps(changed | {"report": "Take the bath [P:B0TEST0004]."}))
    with pytest.raises(UserError, match="does not verify"):
        submit(home / "R", edited, manifest(home, "editor"))
    assert not (home / "R" / "submissions").exists()


def test_what_verifies_is_run_again_taken_in_and_ranked_by_truth(home: Path) -> None:
    accepted = submit(home / "R", home / "exp", manifest(home, "acme"), sample=2, now=CLOSES - timedelta(hours=1))
    assert (accepted.late, accepted.verified) == (False, True)
    assert accepted.again == {LABEL: "2 queries run again: +0.00"}
    late = submit(home / "R", home / "exp", manifest(home, "late"), sample=0, exhibit=True, now=CLOSES + timedelta(1))
    assert (late.late, late.verified) == (True, False)
    ranking = rank(home / "R")
    first, second = ranking.rows
    assert {row.system: row.notes for row in ranking.rows} == {
        f"acme.{LABEL}": (), f"late.{LABEL}": ("late", "unverified"),
    }  # fmt: skip
    assert first.truth == second.truth
    assert (first.ranks, second.ranks) == ((1, 1), None), "what is not verified has no rank, however true it is"
    assert first.dollars == pytest.approx(0.1)
    with pytest.raises(UserError, match="has submitted already"):
        submit(home / "R", home / "exp", manifest(home, "acme"))
