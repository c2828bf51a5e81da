"""A sandbox with a web for each query, from Python."""

from pathlib import Path

import pytest

import drretail
from drretail.errors import UserError
from tests.agents.conftest import QUERY
from tests.sealed import Page, seal
from tests.shop import build

PAGES = [Page("good", "Bird feeder test", "Clean a bird feeder every two weeks.", "32k", "supportive")]


def test_a_sandbox_brings_its_queries_and_each_size_is_a_system(tmp_path: Path) -> None:
    place = build(tmp_path / "w")
    with drretail.open_world(place) as world:
        web = f"sandbox:{seal(tmp_path / 's', {'q1': PAGES}, [QUERY], world.manifest)}"
        with pytest.raises(UserError, match="name questions with --queries FILE"):
            drretail.run(world, baselines=False)
        with pytest.raises(UserError, match="give its web to open_world"):
            drretail.run(world, web=web)
    made = drretail.run(place, web=web, size=["32k", "64k"], compose="no_distractor", baselines=False)
    assert [(it.label, it.done) for it in made.tallies] == [
        (f"react@offline-shopper-compose-no_distractor-size-{size}", 1) for size in ("32k", "64k")
    ]
