"""examples/github_actions/drretail.yml: its own commands, with a candidate that passes and with one that fails."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import ROOT, Command, drretail, environment, fork_server

__all__ = ["drretail", "environment", "fork_server"]
WORKFLOW = ROOT / "examples" / "github_actions" / "drretail.yml"
AGENT = """
def answer(question, toolkit):
    hit = toolkit.call("product_catalog_search", {"query": question}).value["hits"][0]
    return f"Buy {hit['title']}PRICE [{hit['evidence']}].\\n\\n```picks\\n{hit['product_id']}\\n```"
"""
SCRIPT = """
[[answers]]
calls = [{ name = "get_product_details", args = { product_id = "B0I5TPX7F1" } }]

[[answers]]
text = "Take the tube feeder for $22.99 [P:B0I5TPX7F1].\\n\\n```picks\\nP:B0I5TPX7F1 x 1\\n```"
"""


def steps() -> list[str]:
    """The commands of the workflow but for what installs drretail."""
    read: Any = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    runs = [each["run"] for each in read["jobs"]["compare"]["steps"] if "run" in each]
    return [run for run in runs if not run.startswith("pip install")]


@pytest.mark.parametrize(("price", "code"), [("", 0), (" for $99,999.00", 3)], ids=["passes", "fails"])
def test_the_workflow_passes_or_fails_by_its_candidate(
    price: str, code: int, drretail: Command, tmp_path: Path
) -> None:
    (tmp_path / "agent.py").write_text(AGENT.replace("PRICE", price), encoding="utf-8")
    (tmp_path / "script.toml").write_text(SCRIPT, encoding="utf-8")
    asked = [{"query_id": f"q{index}", "text": f"Which bird feeder, {index}?", "source": "mine"} for index in range(10)]
    (tmp_path / "queries.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in asked), encoding="utf-8")
    *before, last = [shlex.split(step) for step in steps()]
    for name, *args in before:
        done = drretail(*args)
        assert (name, done.returncode) == ("drretail", 0), done.stderr
    compared = drretail(*last[1:])
    assert compared.returncode == code, compared.stdout + compared.stderr
    assert ("clean < -0.05" in compared.stderr) == bool(code)
