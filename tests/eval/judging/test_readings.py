"""Readings of recorded runs, of experiments from before picks were declared too."""

import asyncio
import json
from pathlib import Path

import pytest

from drretail.eval.judging.readings import case_of, how_read, reading_of
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.eval.scoring import score
from drretail.experiment import Definition, Experiment, run_folder
from drretail.progress import choose_progress
from drretail.records.reading import Reading
from drretail.records.score import Score
from tests.build import LABEL, SYSTEM
from tests.build import run as a_run
from tests.grounding.kitchen import EVIDENCE, KETTLE, QUERY, K

REPORT = f"Buy the gooseneck kettle at $42.95 {K}. It has 4.4 stars {K}."


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """An experiment whose run.json knows no picks."""
    query = QUERY.model_copy(update={"query_id": "q1"})
    definition = Definition(
        world_fingerprint="f" * 64,
        queries=(query,),
        systems={LABEL: SYSTEM},
        prompt_hashes={LABEL: {}},
        tool_schema_hash="t",
    )
    with Experiment(tmp_path / "exp", definition) as opened:
        opened.save(a_run(LABEL, "q1-r1", REPORT), EVIDENCE.values(), {}, {"world": "nowhere"})
    assert "picks" not in json.loads((run_folder(tmp_path / "exp", LABEL, "q1", 1) / "run.json").read_text("utf-8"))
    return tmp_path / "exp"


def only(experiment: Path) -> Subject:
    (subject,) = read_subjects(experiment, None)
    return subject


def test_an_old_experiment_opens_and_is_scored_by_form(old: Path) -> None:
    made = asyncio.run(score(old, ["checks", "basket", "process"], [], progress=choose_progress("none")))
    found: dict[str, Score] = {row.variant: row for row in made.scores if row.metric == "checks"}
    assert (found["price_wrong"].value, found["rating_wrong"].value) == (1, 0)
    assert found["picks_known"].items == {"picks by form": 1, "values by form": 1}
    assert (found["clean"].value, found["coverage"].value) == (0, 1)
    kept = Reading.model_validate_json((old / "readings" / "form" / LABEL / "q1-r1.json").read_text("utf-8"))
    assert [pick.product for pick in kept.picks or ()] == [KETTLE.product_id]
    assert how_read(kept) == "figures read 2 of 2, picks by form"


def test_to_read_writes_nothing(old: Path) -> None:
    assert reading_of(only(old)).reader == "form"
    assert not (old / "readings").exists()


def test_without_a_world_the_case_knows_what_the_run_was_handed(old: Path) -> None:
    case = case_of(only(old))
    assert case.lookup is None
    assert KETTLE.product_id in case.ledger().products
