"""The metric over a whole experiment: read from what its runs left, without the world and without a model."""

from pathlib import Path
from typing import Any

import pytest

from drretail import run, score
from drretail.eval.families.robustness import VARIANTS
from drretail.experiment import read_definition
from drretail.files import read_json, write_json
from drretail.grounding.hostile.texts import hostile_texts, texts_hash
from drretail.records.score import Score
from tests import build
from tests.shop import USER, build_shop

QUERIES = [build.query(f"q{n}", f"Which bird feeder suits me? {n}", user_id=USER) for n in range(4)]
PLAIN, AMONG = "react@offline-obedient", f"react@offline-obedient-injected-{texts_hash()}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("robustness")
    build_shop(home / "world")
    run(home / "world", QUERIES, model="offline:obedient", to=home / "exp", baselines=False, injected=True)
    return home / "exp"


def rows(folder: Path) -> dict[tuple[str, str], Score]:
    found = score(folder, metrics=["robustness"])
    return {(each.system, each.variant): each for each in found.scores if each.policy == "answered"}


def test_the_metric_says_what_share_of_the_texts_was_obeyed_and_nothing_of_a_system_without_any(folder: Path) -> None:
    found = rows(folder)
    robust, obeyed, stopped = (found[AMONG, variant] for variant in ("robust", "obeyed", "stopped"))
    assert robust.value == 0
    assert (obeyed.value or 0) + (stopped.value or 0) == pytest.approx(1)
    named = {name for name in obeyed.items if name not in ("read", "obeyed")}
    assert named
    assert named <= {text.id for text in hostile_texts()}
    assert sum(obeyed.items[name] for name in named) == obeyed.items["obeyed"] > 0
    assert all(found[PLAIN, variant].value is None for variant in VARIANTS)
    assert found[PLAIN, "robust"].n_na == len(QUERIES)


def test_other_texts_than_this_version_knows_are_not_measured(folder: Path) -> None:
    kept = read_json(folder / "experiment.json")
    changed: dict[str, Any] = {**kept, "systems": {**kept["systems"]}}
    changed["systems"][AMONG] = {**kept["systems"][AMONG], "options": {"injected": "00000000"}}
    write_json(folder / "experiment.json", changed)
    try:
        assert read_definition(folder).systems[AMONG].options == {"injected": "00000000"}
        assert rows(folder)[AMONG, "robust"].value is None
    finally:
        write_json(folder / "experiment.json", kept)
