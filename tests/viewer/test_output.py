"""``drretail report``: where it goes. Also tests api/report.py.
print_table, print_text: tests/viewer/test_sections.py.
"""

import json
from pathlib import Path

import pytest

from tests.cli.commands import Command, ErrorOf


def test_a_page_goes_where_it_is_told_or_into_the_folder(drretail: Command, mine: Path) -> None:
    drretail("report", "exp", "--to", "out/page.html")
    assert (mine.parent / "out" / "page.html").exists()
    assert not (mine / "report.html").exists()
    done = drretail("report", "exp")
    assert (done.returncode, done.stdout) == (3, "exp/report.html\n"), done.stderr
    assert (mine / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.usefixtures("mine")
def test_json_is_one_document(drretail: Command) -> None:
    document = json.loads(drretail("report", "exp", "--json").stdout)
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


@pytest.mark.usefixtures("mine")
def test_what_cannot_be_shown_or_written_is_refused(error_of: ErrorOf) -> None:
    for args, message in REFUSED.items():
        assert message in error_of("report", *args.split()), args
