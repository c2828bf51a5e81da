"""examples/anthropic_loop.py on the demo world, with a scripted server in Anthropic's place."""

import json
from pathlib import Path

from tests.cli.commands import ROOT, Command
from tests.llm.provider import Provider, answers

SEARCHES = {"type": "tool_use", "id": "t1", "name": "product_catalog_search", "input": {"query": "bird feeder"}}
ERRS = {"type": "tool_use", "id": "t2", "name": "get_product_details", "input": {"product": 7}}
QUERY = {"query_id": "q1", "user_id": None, "text": "Which bird feeder suits a small garden?", "source": "mine"}


def test_the_plain_loop_runs_is_recorded_and_is_scored(drretail: Command, tmp_path: Path) -> None:
    (tmp_path / "anthropic_loop.py").write_bytes((ROOT / "examples" / "anthropic_loop.py").read_bytes())
    (tmp_path / "queries.jsonl").write_text(json.dumps(QUERY) + "\n", encoding="utf-8")
    fields = {"type": "text", "text": "Any feeder will do.\n\n```picks\n```"}
    with Provider(answers(SEARCHES, ERRS, stop_reason="tool_use"), answers(fields)) as provider:
        where = {"ANTHROPIC_API_KEY": "sk-none", "ANTHROPIC_BASE_URL": provider.url}
        asked = ("--queries", "queries.jsonl", "--to", "exp")
        ran = drretail("run", "--agent", "anthropic_loop:answer", "--agent", "react", *asked, "--no-floors", **where)
    assert ran.returncode == 0, ran.stderr
    first, second = provider.seen
    assert len(first.body["tools"]) == 9
    assert {"name", "description", "input_schema"} == set(first.body["tools"][0])
    assert QUERY["text"] in first.body["messages"][0]["content"]
    results = second.body["messages"][2]["content"]
    assert [(result["tool_use_id"], result["is_error"]) for result in results] == [("t1", False), ("t2", True)]
    run = json.loads(next((tmp_path / "exp").rglob("anthropic_loop-answer/**/run.json")).read_text(encoding="utf-8"))
    assert [(each["kind"], each["name"]) for each in run["steps"]] == [
        ("tool", SEARCHES["name"]),
        ("tool", ERRS["name"]),
    ]
    assert (run["status"], list(run["prompt_hashes"])) == ("done", ["own_question"])
    scored = drretail("score", "exp", "--json")
    assert scored.returncode == 0, scored.stderr
    rows = {row["system"] for row in json.loads(scored.stdout)["scores"]}
    assert "anthropic_loop-answer" in rows
    compared = drretail("compare", "exp", "anthropic_loop:answer", "react")
    assert compared.returncode == 0, compared.stderr
