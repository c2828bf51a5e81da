"""The family in an experiment: verdicts of frozen references, and none where there are none."""

import asyncio
from pathlib import Path

import pytest

from drretail.eval.basket.judge import NO_REFERENCE
from drretail.eval.metric import description_of
from drretail.eval.registry import load_metric
from drretail.eval.scoring import score
from drretail.experiment import Definition, Experiment, reference_path
from drretail.files import write_json
from drretail.grounding.basket.cheapest import Slot
from drretail.grounding.basket.reference import reference_of
from drretail.grounding.constraints.listing import listing_of
from drretail.progress import choose_progress
from drretail.records.money import Money
from drretail.records.query import NOBODY, NOT_TYPED, Constraints, Query
from drretail.records.score import Score
from drretail.viewer.tables.scores import score_tables
from tests.eval.folders import LABEL, SYSTEM, a_run
from tests.grounding.shelf import FEEDER, STATION, ledger

QUERY = Query(
    query_id="q1", text="A pole for my birds, under $60?", constraints=Constraints(budget=Money.of(60)), source="t"
)
PICKS = {"q1-r1": [STATION.product_id], "q1-r2": [], "q1-r3": [FEEDER.product_id], "q1-r4": None}
"""Declared by four reports of the same words; the last declares none, and its form tells none."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    definition = Definition(
        world_fingerprint="f" * 64,
        queries=(QUERY,),
        systems={LABEL: SYSTEM},
        prompt_hashes={LABEL: {}},
        tool_schema_hash="t",
    )
    with Experiment(tmp_path / "exp", definition) as opened:
        for name, picks in PICKS.items():
            opened.save(a_run(LABEL, name, "Look below.", picks), ledger().values(), {}, {"world": "nowhere"})
    return tmp_path / "exp"


def rows(folder: Path) -> dict[str, Score]:
    scores = asyncio.run(score(folder, ["basket"], [], progress=choose_progress("none")))
    return {row.variant: row for row in scores.scores if row.policy == "scored_only"}


def freeze(folder: Path, query: Query = QUERY) -> None:
    reference = reference_of(query, [Slot("bird feeding station", (listing_of(STATION),))])
    write_json(reference_path(folder, "q1"), reference.model_dump(mode="json", exclude_none=True))


def test_declared_picks_are_measured_without_a_world_or_a_model_and_unknown_ones_are_na(folder: Path) -> None:
    freeze(folder)
    found = rows(folder)
    assert list(found) == list(load_metric("basket").variants())
    assert found["covered"].value == pytest.approx(1 / 3)
    assert (found["covered"].n_scored, found["covered"].n_na, found["covered"].n_failed) == (3, 1, 0)
    (table,) = score_tables(list(found.values()), {"basket": description_of(load_metric("basket"))})
    assert any(note.startswith("n/a: the report's picks are not known (covered, ") for note in table.notes)
    assert (found["within_budget"].value, found["within_budget"].n_na) == (1, 3)
    assert found["utility_ratio"].value == pytest.approx(1 / 3)
    assert found["covered"].items == {
        "n/a: the report's picks are not known": 1,
        "picks declared": 3,
        "picks unknown": 1,
    }


def test_an_experiment_without_references_is_na_until_it_has_them(folder: Path) -> None:
    before = rows(folder)
    assert {(row.value, row.n_na) for row in before.values()} == {(None, 4)}
    assert NO_REFERENCE in next(folder.glob("verdicts/basket/code/*/q1-r1.jsonl")).read_text(encoding="utf-8")
    freeze(folder)
    assert rows(folder)["covered"].n_scored == 3


def test_without_typed_constraints_every_measure_is_na_for_that_reason(folder: Path) -> None:
    freeze(folder, QUERY.model_copy(update={"typed_by": NOBODY, "constraints": Constraints()}))
    assert {(row.value, row.n_na) for row in rows(folder).values()} == {(None, 4)}
    assert NOT_TYPED in next(folder.glob("verdicts/basket/code/*/q1-r1.jsonl")).read_text(encoding="utf-8")


def test_a_second_time_leaves_the_same_bytes(folder: Path) -> None:
    freeze(folder)
    rows(folder)
    held = {path: path.read_bytes() for path in folder.rglob("*.json*")}
    rows(folder)
    assert {path: path.read_bytes() for path in folder.rglob("*.json*")} == held
