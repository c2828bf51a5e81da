"""An experiment to export: four runs by three systems, one of them failed and one a floor, judged by hand."""

from pathlib import Path

import pytest

from drretail.env.world import world_at
from drretail.experiments.experiment import read_runs
from drretail.records.query import Query
from tests.shop import USER, build_shop
from tests.viewer.experiment import fail, judge_by_hand, record_runs

QUERIES = [
    Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="test"),
    Query(query_id="q2", user_id=USER, text="Is there a bird bath, and how do I keep it clean?", source="test"),
]
REACT, HYBRID, FLOOR = "react@offline-shopper", "hybrid_react@offline-shopper", "null_search"


@pytest.fixture(scope="session")
def exp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("exports")
    with world_at(build_shop(home / "world")) as world:
        record_runs(world, QUERIES, home / "exp", ("react", "hybrid_react", "null_search"))
    lost = next(run for run in read_runs(home / "exp") if (run.system, run.query_id) == (HYBRID, "q2"))
    fail(home / "exp", lost, "no answer")
    judge_by_hand(home / "exp")
    return home / "exp"
