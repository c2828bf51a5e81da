"""A world that was made before ids were checked is opened, and what is written about it stays in its folder."""

import json
from pathlib import Path

import pytest

from drretail.env.profiles import default_pool
from drretail.env.writing import write_world
from drretail.records.query import Query
from tests.cli.commands import Command
from tests.shop import JANUARY, PRODUCTS, OrderRow

USERS = sorted(["../../x", "A\0B", "A" * 300, "/etc/passwd", "a\nb"])


@pytest.fixture
def hostile_world(tmp_path: Path) -> Path:
    orders = [OrderRow(f"000000000{place}", user, "B0TEST0001", JANUARY) for place, user in enumerate(USERS)]
    folder = tmp_path / "world"
    write_world(folder, products=PRODUCTS, orders=orders, seed="42", pool=default_pool())
    return folder


def test_runs_and_scores_of_such_users_stay_in_the_experiment(
    succeeds: Command, hostile_world: Path, tmp_path: Path
) -> None:
    queries = [
        Query(query_id=f"q{place}", user_id=user, text="Which bird feeder under $40 suits me?", source="test")
        for place, user in enumerate(USERS)
    ]
    (tmp_path / "q.jsonl").write_text("".join(f"{query.as_line()}\n" for query in queries), encoding="utf-8")
    there = {*tmp_path.iterdir(), *tmp_path.parent.iterdir()}
    succeeds("run", "--world", "world", "--queries", "q.jsonl", "--to", "exp", "--agent", "react", "--no-floors")
    succeeds("score", "exp", "--world", "world", "--metrics", "checks")
    assert {*tmp_path.iterdir(), *tmp_path.parent.iterdir()} - there <= {tmp_path / "exp", tmp_path / ".cache"}
    profiles = [
        json.loads(path.read_text(encoding="utf-8"))["user_id"] for path in (tmp_path / "exp/profiles").iterdir()
    ]
    assert sorted(profiles) == USERS
