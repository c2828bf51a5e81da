"""The same queries in a world and in the one that nobody can know: made, asked, judged and compared."""

import json
from pathlib import Path

from tests.cli.commands import Command

AGENT = "react@offline-shopper"


def test_an_agent_meets_itself_on_the_same_queries_in_both_worlds(succeeds: Command, tmp_path: Path) -> None:
    made = json.loads(succeeds("synth", "--perturb", "demo", "--to", "other", "--json", "-q").stdout)
    assert succeeds("world", "check", "other", "-q").stdout.split() == ["ok", made["fingerprint"]]
    succeeds("queries", "shipped", "--split", "dev", "--to", "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()[:3]
    (tmp_path / "here.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    succeeds("queries", "carry", "here.jsonl", "--world", "other", "--to", "there.jsonl")
    succeeds("queries", "check", "there.jsonl", "--world", "other", "-q")
    for name, world in (("here", "demo"), ("there", "other")):
        asked = ("--world", world, "--queries", f"{name}.jsonl", "--agent", "react", "--to", name, "-q")
        succeeds("run", *asked)
        succeeds("score", name, "-q")
    (both,) = json.loads(succeeds("compare", "here", "--beside", "there", "--json", "-q").stdout)["comparisons"]
    assert (both["a"], both["b"]) == (AGENT, f"{AGENT}@there")
    rows = {(row["metric"], row["variant"]): row for table in both["tables"] for row in table["rows"]}
    assert rows["checks", "clean"]["n_pairs"] == 3
    report = next((tmp_path / "there" / "runs").glob(f"*react*/{json.loads(lines[0])['query_id']}-r1/run.json"))
    ids = json.loads((tmp_path / "other" / "perturbed.json").read_text(encoding="utf-8"))["ids"]
    assert not any(old in report.read_text(encoding="utf-8") for old in ids)


def test_a_query_of_another_world_is_told_in_a_sentence(drretail: Command, shop: str, tmp_path: Path) -> None:
    query = {"query_id": "q", "text": "A lamp?", "source": "test", "world_fingerprint": "a" * 64, "format": 1}
    (tmp_path / "q.jsonl").write_text(json.dumps(query), encoding="utf-8")
    drretail("synth", "--perturb", shop, "--to", "other", "-q")
    done = drretail("queries", "carry", "q.jsonl", "--world", "other", "--to", "q2.jsonl")
    assert (done.returncode, "was made for the world" in done.stderr) == (2, True)
    done = drretail("queries", "carry", "q.jsonl", "--world", "q.jsonl", "--to", "q2.jsonl")
    assert (done.returncode, "no perturbed world" in done.stderr) == (2, True)
