"""All four agents through the real clients, with answers that come in pieces."""

import pytest

from drretail.env.world import World
from tests.wire.playing import AGENTS, MODELS, calls_of, gist, model_at, offline, play, player
from tests.wire.server import WireServer


@pytest.mark.parametrize("agent", AGENTS)
def test_an_answer_in_pieces_changes_nothing_of_a_run(world: World, agent: str) -> None:
    wanted = gist(offline(world, agent, "ws"))
    with WireServer() as server:
        chosen = [player(world, agent, model_at(server, provider, stream=True), "ws") for provider in MODELS]
        found = play(world, *chosen)
    assert [gist(recorded) for recorded in found] == [wanted, wanted]
    assert server.seen.requests == server.seen.streamed == calls_of([recorded.run for recorded in found])
