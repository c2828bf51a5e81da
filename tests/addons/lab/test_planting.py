"""Copies with planted errors, and who finds these errors. Also tests planted_errors.py."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from drretail.addons.lab import planting
from drretail.addons.lab.planted_errors import KINDS, ErrorMaterial, Planted
from drretail.addons.lab.planting import CHECKS, ORIGINALS, errors_found, make_copies
from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.judging.readings import reading_of
from drretail.eval.judging.subject import read_subjects
from drretail.experiment import read_definition, read_runs
from drretail.grounding.report.citations import find_citations
from drretail.progress import Progress
from tests import build
from tests.addons.lab.honest_report import GOOD, REPORT, honest_experiment
from tests.build import LABEL, scripted_judge
from tests.cli.commands import Command, ErrorOf

CLAIM = re.compile(r'<claim id="(\d+)"[^>]*>(.*?)</claim>', re.DOTALL)
NOT_IN_RECORDS = {"citation moved to another product", "invented feature", "contradicted web advice"}
"""Kinds of errors that code does not find."""


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[Path, Store]]:
    folder, store = honest_experiment(tmp_path)
    yield folder, store
    store.close()


def copies_of(folder: Path, store: Store | None, *, seed: str = "1", to: Path | None = None) -> list[Planted]:
    with Progress().track("planting", 1) as bar:
        return make_copies(folder, to or folder / "planted", store, seed=seed, per_kind=10, of=None, bar=bar)


def test_a_copy_differs_from_its_report_in_one_place_alone(made: tuple[Path, Store]) -> None:
    (subject,) = read_subjects(*made)
    material = ErrorMaterial(subject.case, reading_of(subject), Random(1))
    for kind, seed in product(KINDS, range(4)):
        drawing = replace(material, chance=Random(seed))
        copy = drawing.chance.choice(list(KINDS[kind](drawing)))
        error = copy.report[copy.start : copy.end]
        assert error != copy.original, kind
        assert copy.report[: copy.start].rstrip() == REPORT[: copy.start].rstrip(), kind
        assert REPORT.endswith(copy.report[copy.end :]), kind
        assert len(REPORT) - len(copy.report) in (len(copy.original) - len(error), -len(error) - 1), kind


def test_what_is_said_wrongly_already_is_no_place_for_an_error(tmp_path: Path) -> None:
    wrong = f"Take the Larkhall Window Bird Feeder, Clear at $19.75 [P:{GOOD}].\n"
    folder, store = honest_experiment(tmp_path, wrong)
    with pytest.raises(UserError, match="has a place"):
        copies_of(folder, store)
    store.close()


def test_copies_are_runs_like_any_other_and_the_seed_decides_on_them(made: tuple[Path, Store]) -> None:
    folder, store = made
    verdicts = Path("verdicts/faithfulness/a-judge", LABEL, "q1-r1.jsonl")
    (folder / verdicts).parent.mkdir(parents=True)
    (folder / verdicts).write_text("{}\n")
    copies, planted_at = copies_of(folder, store), folder / "planted"
    assert (planted_at / verdicts).read_text() == "{}\n", "verdicts on the originals are copied"
    runs = {run.run_id: run for run in read_runs(planted_at)}
    assert runs.keys() == {copy.run_id for copy in copies} | {f"{LABEL}/q1-r1"}
    assert [copy.kind for copy in copies] == [*KINDS]
    evidence = {subject.run_id: dict(subject.evidence) for subject in read_subjects(planted_at, store)}
    for copy in copies:
        run = runs[copy.run_id]
        assert run.report == copy.report
        assert run.citations == tuple(find_citations(copy.report, evidence[run.run_id]))
    assert len(read_definition(planted_at).systems) == 2
    assert copies_of(folder, store) == copies
    assert {run.run_id: run for run in read_runs(planted_at)} == runs
    assert copies_of(folder, store, seed="2") != copies


@pytest.mark.parametrize("faults_rating", [True, False], ids=["sharp", "blunt"])
def test_errors_are_found_by_place_and_not_by_how_much_a_judge_faults(
    made: tuple[Path, Store], monkeypatch: pytest.MonkeyPatch, faults_rating: bool
) -> None:
    """One judge faults the sentence with the rating alone, and one every sentence but that one; both accuse."""
    folder, store = made
    for name in [*KINDS.keys() - {"wrong rating"}]:
        monkeypatch.delitem(KINDS, name)  # pyright: ignore[reportArgumentType]
    copies = copies_of(folder, store)

    def play(question: str) -> dict[str, Any]:
        if "<report>" in question:
            report = question.partition("<report>")[2].partition("</report>")[0]
            lines = dict.fromkeys(line.strip() for line in report.splitlines() if "[" in line)
            marks = {line: re.findall(r"\[[^]]*\]", line) for line in lines}
            about: dict[str, Any] = {"values": []}
            return {
                "claims": [
                    about | {"claim_id": at, "claim": " ".join(line.split()[:3]), "quote": line, "sources": marks[line]}
                    for at, line in enumerate(lines, 1)
                ]
            }
        ruled = [(int(at), ("rated" in claim) == faults_rating) for at, claim in CLAIM.findall(question)]
        about = {"quotes": [], "justification": "so"}
        return {
            "claims": [
                about | {"claim_id": at, "label": "no_support" if is_wrong else "full_support"}
                for at, is_wrong in ruled
            ]
        }

    judge, _ = scripted_judge(play, name="test")
    build.scored(folder / "planted", [CHECKS, "faithfulness"], judge, store=store)
    found = {row.kind: row for row in errors_found(folder / "planted", copies) if row.by == "scripted:test"}
    assert (found["wrong rating"].judged, found["wrong rating"].found) == (1, int(faults_rating))
    assert found[ORIGINALS].found == 1


@pytest.fixture
def exp(tmp_path: Path) -> Path:
    folder, store = honest_experiment(tmp_path)
    store.close()
    return folder


def test_plant_prints_a_row_a_kind_leaves_copies_and_code_finds_errors_by_the_record(
    succeeds: Command, exp: Path
) -> None:
    done = succeeds("lab", "plant", "exp")
    table = " ".join(done.stdout.split())
    assert "kind planted checks offline:judge" in table
    assert "wrong price 1 1/1 1/1" in table
    assert "originals, accused 1 0/1" in table
    assert (exp / "lab" / "planted" / "experiment.json").exists()
    as_json = json.loads(succeeds("lab", "plant", "exp", "--json").stdout)
    by_code = {row["kind"]: (row["n"], row["judged"], row["found"]) for row in as_json["found"] if row["by"] == CHECKS}
    assert {kind for kind, found in by_code.items() if found == (1, 1, 1)} >= KINDS.keys() - NOT_IN_RECORDS
    assert by_code[ORIGINALS] == (1, 1, 0), "no honest report is accused"
    assert [copy["kind"] for copy in as_json["copies"]] == [*KINDS]


@pytest.mark.usefixtures("exp")
def test_what_cannot_be_planted_and_what_a_cap_left_are_said(
    drretail: Command, error_of: ErrorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planting, "KINDS", {"wrong price": KINDS["wrong price"]})
    assert "nowhere" in error_of("lab", "plant", "nowhere")
    assert "nobody" in error_of("lab", "plant", "exp", "--system", "nobody")
    done = drretail("lab", "plant", "exp", "--max-tokens", "1")
    assert done.returncode == 3
    assert "The cap of 1 tokens for judging is reached" in done.stderr
    assert "Planted errors that were found" in done.stdout
