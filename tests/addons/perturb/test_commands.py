"""A system set beside itself in a perturbed world."""

import json
from pathlib import Path

from drretail.files import write_lines
from drretail.querygen.reading import shipped_queries
from tests import build
from tests.cli.commands import Command, ErrorOf

AGENT = "react@offline-shopper"


def test_an_agent_meets_itself_on_the_same_queries_in_both_worlds(succeeds: Command, tmp_path: Path) -> None:
    made = json.loads(succeeds("world", "perturb", "demo", "--to", "other", "--json", "-q").stdout)
    assert succeeds("world", "check", "other", "-q").stdout.split() == ["ok", made["fingerprint"]]
    asked = [query for query in shipped_queries("dev")[:4] if query.query_id != "dev-02"]  # no cart meets it
    write_lines(tmp_path / "here.jsonl", (query.as_line() for query in asked))
    succeeds("queries", "carry", "here.jsonl", "--world", "other", "--to", "there.jsonl")
    succeeds("queries", "check", "there.jsonl", "--world", "other", "-q")
    for name, world in (("here", "demo"), ("there", "other")):
        succeeds("run", "--world", world, "--queries", f"{name}.jsonl", "--agent", "react", "--to", name, "-q")
        succeeds("score", name, "-q")
    (both,) = json.loads(succeeds("compare", "here", "--beside", "there", "--json", "-q").stdout)["comparisons"]
    assert (both["a"], both["b"]) == (AGENT, f"{AGENT}@there")
    rows = {(row["metric"], row["variant"]): row for table in both["tables"] for row in table["rows"]}
    assert rows["checks", "clean"]["n_pairs"] == 3
    report = next((tmp_path / "there" / "runs").glob(f"*react*/{asked[0].query_id}-r1/run.json"))
    ids = json.loads((tmp_path / "other" / "perturbed.json").read_text(encoding="utf-8"))["ids"]
    assert not any(old in report.read_text(encoding="utf-8") for old in ids)


def test_a_query_of_another_world_is_told_in_a_sentence(
    succeeds: Command, error_of: ErrorOf, tiny_shop: Path, tmp_path: Path
) -> None:
    write_lines(tmp_path / "q.jsonl", [build.query(world_fingerprint="a" * 64).as_line()])
    succeeds("world", "perturb", str(tiny_shop), "--to", "other", "-q")
    asked = ("queries", "carry", "q.jsonl", "--to", "q2.jsonl", "--world")
    assert "was made for the world" in error_of(*asked, "other")
    assert "no perturbed world" in error_of(*asked, "q.jsonl")
