import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.commands import environment
from tests.cli.in_process import run_here

Command = subprocess.CompletedProcess[str]
Report = Callable[..., Command]


@pytest.fixture
def report() -> Report:
    """``drretail report …`` in a folder."""

    def run(home: Path, *args: str) -> Command:
        return run_here(("report", *args), home, environment(home))

    return run


def test_a_page_goes_where_it_is_told_or_into_the_folder(report: Report, mine: Path) -> None:
    report(mine.parent, "exp", "--to", "out/page.html")
    assert (mine.parent / "out" / "page.html").exists()
    assert not (mine / "report.html").exists()
    done = report(mine.parent, "exp")
    assert (done.returncode, done.stdout) == (0, "exp/report.html\n")
    assert (mine / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_is_one_document(report: Report, mine: Path) -> None:
    document = json.loads(report(mine.parent, "exp", "--json").stdout)
    assert (document["format"], document["report"]) == (1, "exp/report.html")
    assert [run["state"] for run in document["runs"]] == ["done", "done", "failed"]
    assert document["runs"][0]["claims"][0]["counts"]["full"] > 0


REFUSED = {
    "exp --format paper --to .": ". is a folder: --to names the file to write, such as paper.md",
    "exp --to r.json": "writes no JSON to r.json: --json prints a document",
    "exp --to scores.csv": "not scores.csv: drretail export exp --format csv writes tables",
    "nothing": "nothing does not exist",
    ".": "holds no experiment.json",
}


def test_what_cannot_be_shown_or_written_is_refused(report: Report, mine: Path) -> None:
    for args, message in REFUSED.items():
        done = report(mine.parent, *args.split())
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
