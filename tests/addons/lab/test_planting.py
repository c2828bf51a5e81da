"""Copies with planted errors are an experiment of which nothing was edited."""

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from drretail import score, verify
from drretail.addons.lab.derived_experiment import Material, copy_verdicts
from drretail.addons.lab.findings import EVERY_KIND, FOUND
from drretail.addons.lab.planting import (
    CHECKS,
    FAITHFULNESS,
    KINDS,
    make_copies,
    plant_error,
    planted_folder,
    recall_of,
)
from drretail.env.store.base import Store
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.judging.session import Judge
from drretail.eval.judging.subject import read_subjects
from drretail.experiment import read_definition, read_runs
from drretail.grounding.report.citations import find_citations
from tests import build
from tests.addons.lab.honest_report import LEASH, LOW, REPORT, STRANGER, honest_experiment
from tests.agents.saboteur import DEAR, GOOD, OWNED, SEED, UNWANTED
from tests.api.test_verify import exp, recorded, world
from tests.build import LABEL, known, scripted_judge

CLAIM = re.compile(r'<claim id="(\d+)"[^>]*>(.*?)</claim>', re.DOTALL)
NOT_IN_RECORDS = {
    "price of another product",
    "citation moved to another product",
    "invented feature",
    "wrong brand",
    "wrong city/state of the user",
    "contradicted web advice",
    "old page as news",
    "instruction of a page followed",
}
"""Kinds of errors that code does not find."""


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[Path, Store]]:
    folder, store = honest_experiment(tmp_path)
    yield folder, store
    store.close()


def material_of(made: tuple[Path, Store]) -> Material:
    folder, store = made
    (subject,) = read_subjects(folder, store)
    return Material.of(subject, Random(1))


def judged(folder: Path, store: Store, judge: Judge) -> None:
    build.scored(folder, [CHECKS, FAITHFULNESS], judge, store=store)


def test_a_copy_differs_from_its_report_in_one_place_alone(made: tuple[Path, Store]) -> None:
    material = material_of(made)
    for kind, seed in product(KINDS, range(4)):
        copy = known(plant_error(replace(material, chance=Random(seed)), kind))
        assert copy.error != copy.original, kind
        assert copy.report[: copy.start].rstrip() == REPORT[: copy.start].rstrip(), kind
        assert REPORT.endswith(copy.report[copy.end :]), kind
        assert len(REPORT) - len(copy.report) in (len(copy.original) - len(copy.error), -len(copy.error) - 1), kind


def test_checks_find_errors_by_the_record_and_a_place_without_a_claim_is_in_no_share(made: tuple[Path, Store]) -> None:
    folder, store = made
    errors = make_copies(folder, store, seed="1")
    judge, _ = a_claimant({}, only="never said")
    judged(planted_folder(folder), store, judge)
    recall = recall_of(planted_folder(folder), errors)
    found = {row.of: (row.n, row.value) for row in recall.where(name=FOUND, by=CHECKS)}
    assert {kind: found[kind] for kind in KINDS.keys() - NOT_IN_RECORDS} == dict.fromkeys(
        KINDS.keys() - NOT_IN_RECORDS, (1, 1)
    )
    (unjudged,) = recall.where(name=FOUND, of=EVERY_KIND, by="scripted:test")
    assert (unjudged.n, unjudged.value, unjudged.count("unjudged")) == (0, None, 25)


def test_what_is_said_wrongly_already_is_no_place_for_an_error(tmp_path: Path) -> None:
    wrong = f"Take the Larkhall Window Bird Feeder, Clear at $19.75 [P:{GOOD}].\n"
    folder, store = honest_experiment(tmp_path, {LABEL: wrong})
    material = material_of((folder, store))
    assert [kind for kind in KINDS if plant_error(material, kind) is not None] == []
    with pytest.raises(UserError, match="has a place"):
        make_copies(folder, store, seed="1")
    store.close()


@pytest.mark.parametrize(
    ("written", "pattern"), [("$18.75", r"\$\d+\.\d\d"), ("18,75 $", r"\d+,\d\d \$"), ("USD 18.75", r"USD \d+\.\d\d")]
)
def test_a_figure_keeps_the_way_that_it_is_written_in(tmp_path: Path, written: str, pattern: str) -> None:
    report = f"Take the Larkhall Window Bird Feeder, Clear for {written} [P:{GOOD}].\n"
    folder, store = honest_experiment(tmp_path, {LABEL: report})
    copy = known(plant_error(material_of((folder, store)), "wrong price"))
    assert re.fullmatch(pattern, copy.error), copy.error
    store.close()


def test_a_pick_that_breaks_one_limit_of_a_typed_wish_breaks_no_other(made: tuple[Path, Store]) -> None:
    material = material_of(made)
    rest = ((SEED, 1), (LEASH, 1))
    carts = {
        "over budget silently": {frozenset({(DEAR, 1), *rest})},
        "owned product recommended as new": {frozenset({(OWNED, 1), *rest})},
        "unwanted brand": {frozenset({(UNWANTED, 1), *rest})},
        "fewer stars or ratings than asked for": {frozenset({(LOW, 1), *rest})},
        "product that nobody wanted": {frozenset({(GOOD, 1), *rest, (STRANGER, 1)})},
        "want left out": {frozenset({(GOOD, 1), (SEED, 1)})},
        "more pieces than wanted": {frozenset({(GOOD, 2), *rest}), frozenset({(GOOD, 1), (SEED, 1), (LEASH, 2)})},
    }
    untyped = replace(material.case, query=material.case.query.model_copy(update={"wish": None}))
    for kind, wanted in carts.items():
        copies = KINDS[kind](material)
        assert {frozenset((pick.product, pick.quantity) for pick in copy.picks or ()) for copy in copies} == wanted
        assert plant_error(Material(untyped, material.reading, Random(1)), kind) is None


def test_copies_are_runs_like_any_other_and_the_seed_decides_on_them(made: tuple[Path, Store]) -> None:
    folder, store = made
    errors = make_copies(folder, store, seed="1")
    planted_at = planted_folder(folder)
    runs = {run.run_id: run for run in read_runs(planted_at)}
    assert runs.keys() == {error.run_id for error in errors.errors} | {f"{LABEL}/q1-r1"}
    assert len(errors.errors) == len(KINDS)
    evidence = {subject.run_id: dict(subject.evidence) for subject in read_subjects(planted_at, store)}
    for error in errors.errors:
        run = runs[error.run_id]
        assert (run.report or "")[error.start : error.end] == error.text
        assert run.citations == tuple(find_citations(run.report or "", evidence[run.run_id]))
    assert len(read_definition(planted_at).systems) == 2

    again = make_copies(planted_at, store, seed="1")
    assert {error.of for error in again.errors} == {f"{LABEL}/q1-r1"}, "nothing more is made of what the lab made"
    assert make_copies(folder, store, seed="1") == errors
    assert {run.run_id: run for run in read_runs(planted_at)} == runs
    assert make_copies(folder, store, seed="2").errors != errors.errors


def test_recall_is_by_place_and_not_by_how_much_a_judge_faults(
    made: tuple[Path, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One judge faults the sentence with the price, and one every sentence but that one."""
    folder, store = made
    monkeypatch.setattr("drretail.addons.lab.planting.KINDS", {"wrong rating": KINDS["wrong rating"]})
    errors = make_copies(folder, store, seed="1")
    for name, strict, n_found, false in (
        ("sharp", {"rated": "no_support"}, 1, 1),
        ("blunt", {"rated": "full_support"}, 0, 0),
    ):
        judge, _ = a_claimant(strict, other="full_support" if name == "sharp" else "no_support", name=name)
        judged(planted_folder(folder), store, judge)
        found_all = recall_of(planted_folder(folder), errors)
        (found,) = found_all.where(name=FOUND, of="wrong rating", by=f"scripted:{name}")
        assert [found.count(item) for item in ("found", "unjudged", "false")] == [n_found, 0, false]


def a_claimant(
    labels: dict[str, str], *, other: str = "full_support", only: str = "", name: str = "test"
) -> tuple[Judge, list[str]]:
    """A judge to whom each line with a mark is a claim; it rules by the first of these words in the claim."""

    def ruled(claim: str) -> str:
        return next((label for word, label in labels.items() if word in claim), other)

    def first_words(line: str) -> str:  # without the very figures: only their places tell where claims are from
        return " ".join(line.split()[:3])

    return judge_of_lines(lambda line: "[" in line and only in line, ruled, first_words, name=name)


def judge_of_lines(
    is_claim: Callable[[str], bool],
    label: Callable[[str], str],
    claim_of: Callable[[str], str] = str,
    rating: Callable[[str], int] = lambda report: 5,
    *,
    name: str,
) -> tuple[Judge, list[str]]:
    """A judge to whom such lines of a report are claims, which it labels by their words; it rates whole reports."""

    def marks(line: str) -> list[str]:
        return [f"[{part.partition(']')[0]}]" for part in line.split("[")[1:]]

    def play(question: str) -> dict[str, Any]:
        report = question.partition("<report>")[2].partition("</report>")[0]
        if "<criterion>" in question:
            return {"justification": "so", "rating": rating(report)}
        if "<report>" in question:
            lines = dict.fromkeys(line.strip() for line in report.splitlines() if is_claim(line))
            return {
                "claims": [
                    {"claim_id": number, "claim": claim_of(line), "quote": line, "sources": marks(line), "values": []}
                    for number, line in enumerate(lines, 1)
                ]
            }
        about = {"quotes": [], "justification": "so"}
        ruled = [about | {"claim_id": int(n), "label": label(claim.strip())} for n, claim in CLAIM.findall(question)]
        return {"claims": ruled}

    return scripted_judge(play, name=name)


def test_without_the_world_errors_are_planted_by_what_the_run_was_shown(made: tuple[Path, Store]) -> None:
    folder, _ = made
    kinds = {error.kind for error in make_copies(folder, None, seed="1").errors}
    assert {"wrong price", "wrong total", "citation moved to another product"} <= kinds


def test_verdicts_that_were_copied_in_part_are_copied_by_the_next_call(tmp_path: Path) -> None:
    source, to = tmp_path / "exp", tmp_path / "planted"
    judged = source / "verdicts" / CHECKS / "code" / LABEL
    judged.mkdir(parents=True)
    (judged / "q1-r1.jsonl").write_text("{}\n")
    (judged / "q2-r1.jsonl").symlink_to("gone")
    with pytest.raises(shutil.Error):
        copy_verdicts(source, to, LABEL)
    (judged / "q2-r1.jsonl").unlink()
    (judged / "q2-r1.jsonl").write_text("{}\n")
    copy_verdicts(source, to, LABEL)
    assert build.files(to) == build.files(source)


__all__ = ["exp", "recorded", "world"]


def test_copies_with_planted_errors_hold_what_they_say(exp: Path, world: World, tmp_path: Path) -> None:
    make_copies(exp, world.store, seed="1", per_kind=1)
    planted = Path(shutil.move(exp / "lab" / "planted", tmp_path / "planted"))
    score(planted, ["checks"], world=world)
    found = verify(planted, world)
    assert found.passes, found.differences
