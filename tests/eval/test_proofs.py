"""What was proved of a folder is not proved again, until a file of it changes."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from drretail.api import report as reporting
from drretail.api import score as scoring
from drretail.eval.judging.subject import read_subject
from drretail.eval.proofs import Proofs
from drretail.packs import unpack_below
from tests.build import LABEL, experiment, files


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


REPORTS = {"q1-r1": "It costs $20 + $10 = $40.", "q2-r1": "It costs $2 + $1 = $3."}
USERS = {"q1": "U1", "q2": "U2"}


def with_a_system(folder: Path) -> None:
    experiment(folder, {"b@model": REPORTS}, users=USERS)


def with_a_question(folder: Path) -> None:
    experiment(folder, {LABEL: {"q3-r1": "It costs $1 + $1 = $2."}}, users=USERS)


def with_another_report(folder: Path) -> None:
    shutil.rmtree(folder / "runs" / LABEL / "q2-r1")
    experiment(folder, {LABEL: {"q2-r1": "It costs $2 + $1 = $5."}}, users=USERS)


def with_another_profile(folder: Path) -> None:
    path = folder / "profiles" / "U2.json"
    path.write_text(path.read_text().replace('"U2"', '"U2" '))


def without_its_verdicts(folder: Path) -> None:
    unpack_below(folder / "verdicts")
    (folder / "verdicts" / "checks" / "code" / LABEL / "q2-r1.jsonl").unlink()


def with_a_file_for_all(folder: Path) -> None:
    (folder / "notes.md").write_text("What all runs share.")


@pytest.mark.parametrize(
    ("change", "judged", "shown"),
    [
        (with_a_system, {"b@model/q1-r1", "b@model/q2-r1"}, {"q1", "q2"}),
        (with_a_question, {f"{LABEL}/q3-r1"}, {"q1", "q2", "q3"}),
        (with_another_report, {f"{LABEL}/q2-r1"}, {"q2"}),
        (with_another_profile, {f"{LABEL}/q2-r1"}, {"q2"}),
        (without_its_verdicts, {f"{LABEL}/q2-r1"}, set[str]()),
        (with_a_file_for_all, {f"{LABEL}/q1-r1", f"{LABEL}/q2-r1"}, {"q1", "q2"}),
    ],
)
def test_what_changed_is_judged_and_shown_again_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], judged: set[str], shown: set[str]
) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: REPORTS}, users=USERS)
    read = list[str]()
    monkeypatch.setattr(
        "drretail.eval.scoring.read_subject", lambda *given: read.append(given[2].run_id) or read_subject(*given)
    )

    def scored_and_shown(cache: str) -> dict[str, int]:
        """The pages' places on the disk: a page that is written again has another."""
        monkeypatch.setenv("DRRETAIL_CACHE_DIR", str(tmp_path / cache))
        read.clear()
        scoring.score(folder, metrics="checks")
        reporting.report(folder, split=True)
        return {path.stem: path.stat().st_ino for path in (folder / "report").glob("query-*.html")}

    first = scored_and_shown("cache")
    change(folder)
    second = scored_and_shown("cache")
    assert set(read) == judged
    assert {name for name, place in second.items() if first.get(name) != place} == {f"query-{name}" for name in shown}
    made = files(folder)
    assert scored_and_shown("fresh") != second
    assert files(folder) == made
