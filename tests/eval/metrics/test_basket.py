"""The metric in an experiment: verdicts of frozen references, and none where there are none."""

from pathlib import Path
from typing import Any

import pytest

from drretail.eval.judging.question import NO_WORLD
from drretail.eval.registry import load_metric
from drretail.experiment import read_reference, reference_path
from drretail.files import write_json
from drretail.grounding.basket import reference_of
from drretail.grounding.listing import listing_of
from drretail.records.base import sha256_of
from drretail.records.query import KeptReference
from drretail.records.score import Score
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.viewer.tables.scores import score_tables
from tests import build
from tests.build import LABEL, known
from tests.grounding.goods import FEEDER, STATION, ledger

WISH = Wish(wants=(Want(name="pole", kinds=("bird feeding station",)),), budget=Money.of(60))
QUERY = build.query(text="A pole for my birds, under $60?", wish=WISH)
PICKS = {"q1-r1": [STATION.product_id], "q1-r2": [], "q1-r3": [FEEDER.product_id], "q1-r4": None}
"""Declared by four reports of the same words; the last declares none, and its form tells none."""


def an_experiment(folder: Path, note: str = "") -> Path:
    runs = {
        name: build.run(name, "Look below.", picks, notes=(note,) if note and picks is None else ())
        for name, picks in PICKS.items()
    }
    return build.experiment(folder, {LABEL: runs}, queries=[QUERY], evidence=ledger().values())


def rows(folder: Path, **given: Any) -> dict[str, Score]:
    return build.rows(build.scored(folder, "basket", **given))


def freeze(folder: Path) -> None:
    reference = reference_of(QUERY, [[listing_of(STATION)]])
    write_json(reference_path(folder, "q1"), reference.model_dump(mode="json", exclude_none=True))


def test_declared_picks_are_measured_once_there_are_references_and_unknown_ones_are_na(tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp")
    before = rows(folder)
    assert {(row.value, row.n_na) for row in before.values()} == {(None, 4)}
    assert NO_WORLD in next(folder.glob("verdicts/basket/code/*/q1-r1.jsonl")).read_text(encoding="utf-8")

    # A file of an older version, with a field that no version writes today, counts as none until it is found anew
    write_json(reference_path(folder, "q1"), {"query_id": "q1", "wanted_brand": False})
    assert {row.value for row in rows(folder).values()} == {None}
    whole = reference_of(QUERY, [[listing_of(STATION)]])
    found = rows(folder, references={"q1": whole})
    kept = known(read_reference(folder, "q1"))
    assert isinstance(kept, KeptReference)
    assert [(want.name, want.fits, want.undecided) for want in kept.wants] == [("pole", 1, 0)]
    assert (kept.best, kept.cheapest, kept.sha256) == (whole.best, whole.cheapest, sha256_of(whole.as_line()))
    assert {name: row.value for name, row in rows(folder).items()} == {name: row.value for name, row in found.items()}
    assert list(found) == list(load_metric("basket").variants)
    assert found["covered"].value == pytest.approx(1 / 3)
    assert (found["covered"].n_scored, found["covered"].n_na, found["covered"].n_failed) == (3, 1, 0)
    (table,) = score_tables(list(found.values()), {"basket": load_metric("basket").description})
    assert any(note.startswith("n/a: the report's picks are not known; ") for note in table.notes)
    assert (found["within_budget"].value, found["within_budget"].n_na) == (1, 2)
    assert found["utility_ratio"].value == pytest.approx(1 / 3)
    assert found["covered"].items == {
        **{"n/a: the report's picks are not known": 1, "picks declared": 3, "picks unknown": 1}
    }


def test_a_run_that_was_asked_for_picks_and_declared_none_earns_nothing(tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", note="picks_missing: the report declares no picks")
    freeze(folder)
    found = rows(folder)
    assert (found["feasible"].n_scored, found["feasible"].value) == (4, 0.25)
    assert (found["within_budget"].n_scored, found["cost_ratio"].n_na) == (2, 3)
