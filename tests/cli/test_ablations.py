"""Systems set beside themselves as another user."""

import json
from pathlib import Path

from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.cli.commands import Command
from tests.two_tastes import BIRDS, build_shop

AGENT = "react@offline-shopper"


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
