from pathlib import Path

from drretail.agents.registry import load_agent
from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import open_world
from drretail.experiment import read_definition
from drretail.llm.registry import open_model
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.shop import build


def test_the_top_level_categories_of_what_is_wanted_are_frozen_when_an_experiment_opens(tmp_path: Path) -> None:
    wanted = Wish(wants=(Want(name="feeder", kinds=("Bird Feeders", "Patio, Lawn & Garden")),))
    queries = [
        Query(query_id="q1", text="A feeder?", source="test", wish=wanted),
        Query(query_id="q2", text="What now?", source="test"),
    ]
    model = open_model("offline:shopper", environ={})
    with open_world(build(tmp_path / "w")) as world:
        player = SystemUnderTest.of("react", load_agent("react"), {"": model}, world)
        for folder in ("one", "two"):
            open_experiment(tmp_path / folder, world, queries, [player], "42").close()
    assert read_definition(tmp_path / "one").categories == {"q1": ("Patio_Lawn_and_Garden",)}
    assert (tmp_path / "one/experiment.json").read_bytes() == (tmp_path / "two/experiment.json").read_bytes()
