"""PDR-Bench's setting from end to end on the demo shop, with the offline model."""

import json
from pathlib import Path

from drretail.experiment import read_definition, read_runs
from drretail.querygen.reading import read_queries
from tests.cli.commands import Command

TASKS = (
    "How do I choose a label maker and pens for a tidy home office?\nWhich kitchen storage keeps food fresh longest?\n"
)
SETTINGS = [each for setting in ("task", "context", "persona", "tools") for each in ("--information", setting)]
USER_TOOLS = {
    "get_user_orders",
    "get_order_details",
    "get_user_profile",
    "update_user_profile",
    "get_user_statistics",
}


def test_users_become_personas_tasks_queries_and_reports_scores(succeeds: Command, tmp_path: Path) -> None:
    (tmp_path / "tasks.txt").write_text(TASKS)
    for command in (
        ("personas", "--people", "people", "--users", "12"),
        ("context", "--people", "people"),
        ("pair", "tasks.txt", "--people", "people", "--to", "q.jsonl", "--users-per-task", "2"),
    ):
        succeeds("queries", *command)
    assert len(read_queries(tmp_path / "q.jsonl")) == 4
    succeeds("run", "--queries", "q.jsonl", "--only", "2", "--to", "exp", "--no-floors", *SETTINGS)
    fields = {label: system.information for label, system in read_definition(tmp_path / "exp").systems.items()}
    assert sorted(fields.values()) == ["context", "persona", "task", "tools"]
    called = {run.run_id: {step.name for step in run.steps} for run in read_runs(tmp_path / "exp")}
    assert all(bool(tools & USER_TOOLS) == ("information" not in run_id) for run_id, tools in called.items())
    succeeds("score", "exp", "--metrics", "checks")
    compared = succeeds("compare", "exp", "--by", "information", "--metric", "checks:clean", "--json")
    (table,) = json.loads(compared.stdout)["information"]
    assert [cell["setting"] for cell in table["rows"][0]["cells"]] == ["task", "context", "persona", "tools"]
    assert len(table["rows"][0]["steps"]) == 4
    succeeds("report", "exp", "--output", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Score against information" in page
    assert "checks clean against information" in page
