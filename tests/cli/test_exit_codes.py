"""A command ends with 3 where one unit of ten could not be done: cli/result.py, api/report.py, api/compare.py."""

from pathlib import Path

import pytest

from drretail.experiments.experiment import run_path
from tests.build import experiment, run, scored
from tests.cli.commands import environment
from tests.cli.in_process import run_here
from tests.eval.own import STUB

A, B = "react@model", "hybrid@model"
DAMAGED, FAILED, NA, NO_RUN = "damaged", "failed", "na", "a failed run"
COMMANDS = {
    "score": ("score", "exp", "--metrics", STUB),
    "compare": ("compare", "exp", A, B, "--metrics", STUB),
    "export": ("export", "exp", "--format", "chat", "--to", "out.jsonl"),
    "report": ("report", "exp"),
    "tables": ("report", "exp", "--format", "csv"),
}


@pytest.fixture(scope="module", params=[DAMAGED, FAILED, NA, NO_RUN])
def ten(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Ten answers of two systems, of which one is a damaged file, one that the judge fails on, or nothing to score."""
    what, folder = request.param, tmp_path_factory.mktemp("ten")
    reports = {f"q{at}-r1": f"0.{at}" for at in range(10)}
    third = reports | ({} if what == DAMAGED else {"q3-r1": run("q3-r1", None, label=A) if what == NO_RUN else what})
    exp = experiment(folder / "exp", {A: third, B: reports})
    if what == DAMAGED:
        run_path(exp, A, "q3", 1).write_bytes(b"no run")
    scored(exp, STUB)
    return what, folder


@pytest.mark.parametrize("name", COMMANDS)
def test_one_of_ten_that_could_not_be_done_is_named_and_ends_with_3(name: str, ten: tuple[str, Path]) -> None:
    what, folder = ten
    done = run_here(COMMANDS[name], folder, environment(folder))
    told = " ".join((done.stdout + done.stderr).split())
    is_concerned = what == DAMAGED or (what == FAILED and name != "export")
    assert done.returncode == (3 if is_concerned else 0), told
    if is_concerned:
        assert {DAMAGED: "damaged", FAILED: "failed"}[what] in told
        assert f"{A}/q3-r1" in told or name == "compare"
