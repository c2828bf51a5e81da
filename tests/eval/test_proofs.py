"""What was proved of a folder is not proved again, until a file of it changes."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from drretail.api import report as reporting
from drretail.api import score as scoring
from drretail.eval.verification import Proofs
from tests.build import LABEL, experiment


@pytest.fixture
def proofs(tmp_path: Path) -> Proofs:
    folder = tmp_path / "exp"
    (folder / "runs").mkdir(parents=True)
    (folder / "runs" / "run.json").write_text("one")
    found = Proofs(folder, tmp_path / "cache")
    found.keep({"it is so": 1}, found.files())
    return found


def test_a_proof_holds_about_the_same_files_alone_and_pages_are_none(proofs: Proofs) -> None:
    (proofs.folder / "report.html").write_text("a page says nothing of it")
    assert proofs.hold("it is so", 1)
    assert not proofs.hold("it is so", 2)
    assert not proofs.hold("it is otherwise", 1)
    copy = shutil.copytree(proofs.folder, proofs.folder.parent / "copy")
    assert not Proofs(copy, proofs.kept_in).hold("it is so", 1)


def edited(proofs: Proofs) -> None:
    """With the size and time that it had."""
    run = proofs.folder / "runs" / "run.json"
    before = run.stat()
    run.write_text("two")
    os.utime(run, ns=(before.st_atime_ns, before.st_mtime_ns))


def run_of_a_system_named_report(proofs: Proofs) -> None:
    run = proofs.folder / "runs" / "report" / "q1-r1" / "run.json"
    run.parent.mkdir(parents=True)
    run.write_text("{}")


def damaged_cache(proofs: Proofs) -> None:
    (kept,) = (proofs.kept_in / "proofs").iterdir()
    kept.write_text("{")


def run_that_landed_meanwhile(proofs: Proofs) -> None:
    files = proofs.files()
    (proofs.folder / "runs" / "late.json").write_text("{}")
    proofs.keep({"it is so": 1}, files)


CHANGES = (edited, run_of_a_system_named_report, damaged_cache, run_that_landed_meanwhile)


@pytest.mark.parametrize("change", [*CHANGES, lambda proofs: (proofs.folder / "votes.jsonl").write_text("")])
def test_it_holds_no_more_once_something_changed(proofs: Proofs, change: Callable[[Proofs], object]) -> None:
    change(proofs)
    assert not proofs.hold("it is so", 1)


def test_a_cache_that_cannot_be_written_stops_nobody(proofs: Proofs) -> None:
    file = proofs.folder.parent / "file"
    file.write_text("")
    Proofs(proofs.folder, file).keep({"it is so": 1}, proofs.files())


def test_scores_and_pages_are_made_again_only_once_something_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRRETAIL_CACHE_DIR", str(tmp_path / "cache"))
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "It costs $20 + $10 = $40."}})
    first = scoring.score(folder, metrics="checks")
    page = reporting.report(folder).path
    assert page is not None
    kept = {path: path.stat().st_mtime_ns for path in (folder / "scores.json", page)}
    assert scoring.score(folder, metrics="checks") == first
    assert reporting.report(folder).path == page
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    page.write_text("Nothing.")
    reporting.report(folder)
    assert "$40" in page.read_text()
    scoring.score(folder, metrics="process")
    assert {row.metric for row in scoring.score(folder, metrics="process").scores} == {"checks", "process"}
