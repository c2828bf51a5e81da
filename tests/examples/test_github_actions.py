"""examples/github_actions: the workflow's own commands, with its agent as it stands and with one that lies."""

import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.commands import ROOT, Command

EXAMPLE = ROOT / "examples" / "github_actions"


def steps() -> list[str]:
    """The commands of the workflow but for what installs drretail."""
    workflow = EXAMPLE / ".github" / "workflows" / "drretail.yml"
    read: Any = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    runs = [step["run"] for step in read["jobs"]["compare"]["steps"] if "run" in step]
    return [run for run in runs if not run.startswith("pip install")]


@pytest.mark.parametrize(
    ("price", "code"),
    [pytest.param("hit['price']", 0, id="passes", marks=pytest.mark.slow), pytest.param("99_999", 3, id="fails")],
)
def test_the_workflow_is_decided_by_its_candidate(price: str, code: int, drretail: Command, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    agent = (tmp_path / "agent.py").read_text(encoding="utf-8")
    (tmp_path / "agent.py").write_text(agent.replace("{hit['price']:.2f}", f"{{{price}:.2f}}"), encoding="utf-8")
    *before, last = [shlex.split(step) for step in steps()]
    for name, *args in before:
        done = drretail(*args)
        assert (name, done.returncode) == ("drretail", 0), done.stderr
    compared = drretail(*last[1:])
    assert compared.returncode == code, compared.stdout + compared.stderr
    assert ("clean < -0.05" in compared.stderr) == bool(code)
