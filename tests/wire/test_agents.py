"""All four agents through the real clients, at a provider that answers well, badly, late, or not at all."""

import pytest

from drretail.agents.registry import load_agent
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.errors import ModelErrorKind
from drretail.records.run import WebMode
from tests.wire.playing import AGENTS, MODELS, STALL, InTurn, calls_of, gist, model_at, offline, play, player
from tests.wire.server import FAULTS, LASTING, PASSING, Plan, WireServer

KINDS: dict[str, ModelErrorKind] = {
    "refusal": "refusal", "context_overflow": "context_overflow", "max_tokens": "unusable",
}  # fmt: skip
"""Of lasting faults; "model" for all others."""
ASKED = {"max_tokens": 2}
"""How often, of lasting faults; the others once."""
PAID = ("refusal", "max_tokens")
"""Faults that come as an answer with a count of tokens."""


@pytest.mark.parametrize(("mode", "stream"), [("snippets", False), ("ws", False), ("ws", True)])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_real_client_changes_nothing_of_a_run_nor_do_answers_in_pieces(
    world: World, agent: str, mode: WebMode, stream: bool
) -> None:
    wanted = gist(offline(world, agent, mode))
    with WireServer() as server:
        chosen = [player(world, agent, model_at(server, provider, stream=stream), mode) for provider in MODELS]
        found = play(world, *chosen)
    assert wanted["report"]
    assert [gist(recorded) for recorded in found] == [wanted, wanted]
    assert server.seen.requests == calls_of([recorded.run for recorded in found])
    assert server.seen.streamed == (server.seen.requests if stream else 0)


@pytest.mark.parametrize("provider", MODELS)
def test_what_passes_is_tried_again_and_leaves_no_trace_in_the_run(world: World, provider: str) -> None:
    wanted = gist(offline(world, "hybrid_react"))
    with WireServer(InTurn(faults=PASSING, stall=STALL)) as server:
        (recorded,) = play(world, player(world, "hybrid_react", model_at(server, provider)))
    assert len(server.seen.faults) >= len(PASSING) - 1  # one each request: a short run may not come to the last
    assert gist(recorded) == wanted
    assert server.seen.requests == calls_of([recorded.run]) + sum(server.seen.faults.values())


@pytest.mark.parametrize("fault", LASTING)
@pytest.mark.parametrize("provider", MODELS)
def test_what_lasts_is_asked_once_and_fails_the_run_with_its_cause(world: World, provider: str, fault: str) -> None:
    with WireServer(Plan(rate=1, faults=(fault,))) as server:
        (recorded,) = play(world, player(world, "react", model_at(server, provider)))
    run = recorded.run
    assert (run.status, run.stop, run.report) == ("failed", "error", None)
    assert run.error is not None
    assert run.error.kind == KINDS.get(fault, "model")
    assert server.seen.requests == ASKED.get(fault, 1)
    assert run.usage.keys() == ({"researcher"} if fault in PAID else set())
    assert [step.error for step in run.steps] == [run.error.message]


@pytest.mark.parametrize("fault", PAID)
@pytest.mark.parametrize("provider", MODELS)
def test_answers_in_a_schema_that_cannot_be_used_are_paid_for_as_well(world: World, provider: str, fault: str) -> None:
    with WireServer() as good, WireServer(Plan(rate=1, faults=(fault,))) as bad:
        models = {"": model_at(good, provider), "summariser": model_at(bad, provider)}
        one = SystemUnderTest.of("react", load_agent("react"), models, world, web_mode="ws")
        (recorded,) = play(world, one)
    pages = [step for step in recorded.run.steps if step.role == "summariser"]
    assert recorded.run.status == "done"
    assert all(step.error for step in pages)
    asked = ASKED.get(fault, 1) * len(pages)
    assert recorded.run.usage["summariser"].calls == bad.seen.requests == asked > 0
    assert recorded.run.usage["summariser"].output == 20 * asked
    cause = {"refusal": "refused", "max_tokens": "set max_tokens higher"}[fault]
    assert [note for note in recorded.run.notes if cause in note]


@pytest.mark.parametrize("agent", AGENTS)
def test_under_any_mixture_a_run_ends_as_done_or_failed_with_a_cause(world: World, agent: str) -> None:
    plan = Plan(rate=0.2, faults=FAULTS, seed=5, stall=STALL)
    with WireServer(plan) as server:
        chosen = [player(world, agent, model_at(server, provider), mode) for provider in MODELS for mode in WEB_MODES]
        runs = [recorded.run for recorded in play(world, *chosen)]
    for run in runs:
        assert (run.status == "failed") == (run.report is None) == (run.error is not None)
        if run.error is not None:
            # "agent": its researchers failed in different ways.
            assert run.error.kind in ("model", "refusal", "context_overflow", "agent")
            assert run.error.message
    faults = server.seen.faults
    assert sum(faults.values()) > 0
    unpaid = sum(faults[fault] for fault in (*PASSING, "400", "context_overflow"))
    assert server.seen.requests == calls_of(runs) + unpaid


WEB_MODES: tuple[WebMode, ...] = ("snippets", "ws")
