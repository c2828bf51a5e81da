"""examples/plugin_package, installed as users install it: each kind is used by its name."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from drretail.experiments.experiment import run_path
from drretail.experiments.run_file import read_run
from tests.cli.commands import ROOT, Command, ErrorOf

pytestmark = pytest.mark.slow
QUERY = {"query_id": "q1", "text": "Which bird feeder suits a small garden?", "source": "mine"}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that pip installed the package into, without a network."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("plugins")
    shutil.copytree(ROOT / "examples" / "plugin_package", folder / "source")
    offline = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet")
    into = ("--target", str(folder / "site"), str(folder / "source"))
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, *into], check=True, timeout=280)
    return folder / "site"


@pytest.fixture
def plugged(fresh_drretail: Command, site: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    return lambda *args: fresh_drretail(*args, PYTHONPATH=f"{ROOT}:{site}")


@pytest.fixture(autouse=True)
def asked(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps(QUERY) + "\n", encoding="utf-8")


def test_each_kind_is_used_by_its_name(plugged: Command, tmp_path: Path) -> None:
    systems = ("--agent", "first_hit", "--agent", "react", "--model", "parrot:cracker", "--web", "notice_board")
    systems += ("--vary", "capitals=no,yes")
    ran = plugged("run", *systems, "--queries", "q.jsonl", "--to", "exp", "--no-floors", "--json")
    output = {each["label"]: each for each in json.loads(ran.stdout)["systems"]}
    assert output["first_hit-notice_board"]["done"] == 1, ran.stderr
    assert output["first_hit-notice_board-capitals-yes"]["done"] == 1
    run = read_run(run_path(tmp_path / "exp", "first_hit-notice_board", "q1", 1))
    searched = [step for step in run.steps if step.name == "web_search"]
    assert [len(step.evidence) for step in searched] == [1]  # the one page of the board
    assert "The model may not call tools well" in ran.stderr.replace("\n", " ")
    assert "I say cracker." in ran.stderr  # the last words of a model that looked nothing up
    scored = plugged("score", "exp", "--metrics", "brevity", "--json")
    assert scored.returncode == 0, scored.stderr
    values = {row["system"]: row.get("value") for row in json.loads(scored.stdout)["scores"]}
    assert 0 < values["first_hit-notice_board"] < 1
    called = plugged("tools", "opening_hours", "--args", '{"day": "Monday"}')
    assert json.loads(called.stdout) == {"day": "Monday", "hours": "9 to 17"}


def test_experiments_outlive_packages(plugged: Command, succeeds: Command, error_of: ErrorOf, tmp_path: Path) -> None:
    systems = ("--agent", "first_hit", "--agent", "plan_to_function")
    plugged("run", *systems, "--queries", "q.jsonl", "--to", "exp", "--no-floors")
    assert plugged("score", "exp", "--metrics", "brevity,checks").returncode == 0
    succeeds("report", "exp")
    assert "brevity" in (tmp_path / "exp" / "report.html").read_text(encoding="utf-8")
    # The verdicts of a measure by code are its values, so that only new reports need the package.
    assert "Too few queries in brevity (1 query" in succeeds("compare", "exp").stdout
    assert "brevity" in succeeds("score", "exp", "--metrics", "checks", "--details").stdout
    assert "brevity" in error_of("score", "exp", "--metrics", "brevity")
