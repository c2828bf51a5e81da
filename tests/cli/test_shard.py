"""``run --shard``: parts of an experiment on several machines, put together by copying folders."""

import json
import shutil
from pathlib import Path

import pytest

from drretail.files import write_lines
from drretail.records.query import Query
from tests.cli.commands import Command
from tests.shop import USER

VOLATILE = ("telemetry.json", "journal.jsonl", ".lock")
TEXTS = ("Which bird feeder under $30?", "Is there a bird bath?", "How do I clean a feeder?", "Which hopper feeder?")


@pytest.fixture
def four(tmp_path: Path) -> str:
    asked = [Query(query_id=f"q{n}", user_id=USER, text=text, source="test") for n, text in enumerate(TEXTS)]
    write_lines(tmp_path / "four.jsonl", (query.as_line() for query in asked))
    return "four.jsonl"


def files(folder: Path) -> dict[str, bytes]:
    kept = [path for path in folder.rglob("*") if path.is_file() and not any(name in path.name for name in VOLATILE)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


def runs(folder: Path) -> set[str]:
    return {str(path.parent.relative_to(folder)) for path in folder.glob("runs/*/*/run.json")}


def test_shards_copied_together_are_the_whole(succeeds: Command, shop: str, four: str, tmp_path: Path) -> None:
    command = ["run", "--queries", four, "--world", shop, "--agent", "react", "--agent", "plan_to_function", "--json"]
    whole, one, two = (tmp_path / name for name in ("whole", "one", "two"))
    succeeds(*command, "--to", "whole")
    for shard, folder in (("1/2", one), ("2/2", two)):
        done = succeeds(*command, "--to", folder.name, "--shard", shard)
        assert sum(system["done"] for system in json.loads(done.stdout)["systems"]) == len(runs(folder))
    assert runs(one)
    assert runs(two)
    assert not runs(one) & runs(two)
    shutil.copytree(two, one, dirs_exist_ok=True)
    assert files(one) == files(whole)
    for folder in ("whole", "one"):
        succeeds("score", folder, "--metrics", "checks,faithfulness")
    assert files(one) == files(whole)


def test_a_shard_may_be_empty_and_is_estimated_alone(drretail: Command, shop: str, queries: str) -> None:
    command = ["run", "--queries", queries, "--world", shop, "--to", "exp"]
    shards = [drretail(*command, "--shard", f"{n}/40") for n in (1, 40)]
    assert [done.returncode for done in shards] == [0, 0]
    assert "None of the 2 queries falls into shard 1/40." in shards[0].stderr
    halves = [json.loads(drretail(*command, "--estimate", "--json", "--shard", f"{n}/2").stdout) for n in (1, 2)]
    assert sum(row["count"] for half in halves for row in half["estimates"]) == 2
