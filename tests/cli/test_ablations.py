"""Systems set beside themselves: in a perturbed world, and as another user."""

import json
from pathlib import Path

from drretail.files import write_lines
from drretail.querygen.shipped import shipped_queries
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests import build
from tests.cli.commands import Command, ErrorOf
from tests.two_tastes import BIRDS, build_shop

AGENT = "react@offline-shopper"


def test_an_agent_meets_itself_on_the_same_queries_in_both_worlds(succeeds: Command, tmp_path: Path) -> None:
    made = json.loads(succeeds("synth", "--perturb", "demo", "--to", "other", "--json", "-q").stdout)
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
    succeeds: Command, error_of: ErrorOf, shop: str, tmp_path: Path
) -> None:
    write_lines(tmp_path / "q.jsonl", [build.query(world_fingerprint="a" * 64).as_line()])
    succeeds("synth", "--perturb", shop, "--to", "other", "-q")
    asked = ("queries", "carry", "q.jsonl", "--to", "q2.jsonl", "--world")
    assert "was made for the world" in error_of(*asked, "other")
    assert "no perturbed world" in error_of(*asked, "q.jsonl")


def test_swapped_systems_run_beside_and_score_shows_what_changed(succeeds: Command, tmp_path: Path) -> None:
    wish = Wish(wants=(Want(name="feeder", kinds=("bird feeder",), again=True),), budget=Money.of(30))
    text = "I bought a feeder. Another bird feeder under $30?"
    query = Query(query_id="q1", user_id=BIRDS, text=text, source="t", wish=wish)
    (tmp_path / "q.jsonl").write_text(f"{query.as_line()}\n", encoding="utf-8")
    build_shop(tmp_path / "w")
    swaps = ("--vary", "counterfactual=own,swap,neutral")
    succeeds("run", "--queries", "q.jsonl", "--to", "exp", "--world", "w", "--repeats", "2", *swaps)
    systems = {path.name for path in (tmp_path / "exp" / "runs").iterdir()}
    assert systems >= {AGENT, f"{AGENT}-counterfactual-swap", f"{AGENT}-counterfactual-neutral"}
    assert not any(name.startswith("null_") and "counterfactual" in name for name in systems)
    scored = succeeds("score", "exp", "--metrics", "checks", "--details")
    assert "counterfactual, by code" in scored.stdout
    assert "profile ignored" in scored.stdout
    assert "1 of 1 queries name a purchase that the other profile lacks" in scored.stdout
    rows = json.loads((tmp_path / "exp" / "scores.json").read_text())["counterfactuals"]
    assert {row["system"] for row in rows} == {f"{AGENT}-counterfactual-{kind}" for kind in ("swap", "neutral")}
    first = (tmp_path / "exp" / "scores.json").read_bytes()
    succeeds("score", "exp", "--metrics", "checks")
    assert (tmp_path / "exp" / "scores.json").read_bytes() == first
