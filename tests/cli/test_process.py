"""``score --metrics process`` over runs of the agents that there are."""

import json
from pathlib import Path

import pytest

from drretail.eval.families.process import turns, turns_to_evidence
from drretail.experiment import read_runs
from tests.cli.commands import Command


@pytest.mark.parametrize("agent", ["react", "hybrid_react", "plan_to_function"])
def test_what_is_counted_of_recorded_runs_is_what_they_used(
    succeeds: Command, shop: str, queries: str, tmp_path: Path, agent: str
) -> None:
    succeeds("run", "--queries", queries, "--to", "exp", "--world", shop, "--agent", agent, "--quiet")
    for run in read_runs(tmp_path / "exp"):
        if run.system.startswith(agent):
            assert turns(run.steps) == sum(used.calls for role, used in run.usage.items() if role != "summariser")
            assert turns_to_evidence(run.steps) == (2 if agent == "hybrid_react" else 1)
    scored = succeeds("score", "exp", "--metrics", "process", "--json", "--quiet")
    rows = {row["variant"]: row for row in json.loads(scored.stdout)["scores"] if row["system"].startswith(agent)}
    assert rows["tool_coverage"]["n_na"] == 2, "these queries name no expected tools"
    assert rows["tool_calls"]["value"] > 0
    assert 0 < rows["retrieved_uncited"]["value"] < 1
    assert rows["pages_seen"]["value"] >= rows["pages"]["value"]
