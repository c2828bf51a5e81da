"""All four agents through the real clients, with answers that come in pieces."""

import pytest

from drretail.env.world import World
from tests.wire.playing import AGENTS, MODELS, STALL, InTurn, calls_of, gist, model_at, offline, play, player
from tests.wire.server import PASSING, WireServer


@pytest.mark.parametrize("agent", AGENTS)
def test_an_answer_in_pieces_changes_nothing_of_a_run(world: World, agent: str) -> None:
    wanted = gist(offline(world, agent, "ws"))
    with WireServer() as server:
        chosen = [player(world, agent, model_at(server, provider, stream=True), "ws") for provider in MODELS]
        found = play(world, *chosen)
    assert [gist(recorded) for recorded in found] == [wanted, wanted]
    assert server.seen.requests == server.seen.streamed == calls_of([recorded.run for recorded in found])


@pytest.mark.parametrize("provider", MODELS)
def test_a_stream_that_is_cut_or_fails_is_asked_for_again(world: World, provider: str) -> None:
    wanted = gist(offline(world, "hybrid_react"))
    with WireServer(InTurn(faults=PASSING, stall=STALL)) as server:
        (recorded,) = play(world, player(world, "hybrid_react", model_at(server, provider, stream=True)))
    assert len(server.seen.faults) >= len(PASSING) - 1  # one each request: a short run may not come to the last
    assert gist(recorded) == wanted
    assert server.seen.requests == calls_of([recorded.run]) + sum(server.seen.faults.values())
