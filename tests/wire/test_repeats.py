"""Repeats are independent: what one was told is never told another."""

from pathlib import Path

from drretail.agents.running.batch import Batch
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import definition
from drretail.env.world import World
from drretail.experiment import Experiment
from drretail.journal import read_effects
from tests.wire.playing import QUERY, model_at, player
from tests.wire.server import WireServer

REPEATS = 3


def test_the_same_request_of_two_repeats_is_asked_twice(world: World, tmp_path: Path) -> None:
    with WireServer() as server:
        one = player(world, "hybrid_react", model_at(server, "anthropic"))
        with Experiment(tmp_path / "exp", definition(world, (QUERY,), [one], "42")) as experiment:
            (tally,) = Batch(Runner(world, "w"), experiment, parallel=REPEATS).run_all([one], [QUERY], REPEATS)
    assert tally.done == REPEATS
    journals = [read_effects(path) for path in sorted((tmp_path / "exp").glob("runs/*/*/journal.jsonl.gz"))]
    asked = [sum(effect.kind == "model" for effect in effects) for effects in journals]
    assert asked == [server.seen.requests // REPEATS] * REPEATS
    assert set(server.seen.times.values()) == {REPEATS}
