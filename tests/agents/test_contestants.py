"""What makes a system: the limits that its agent heeds, and a model for each of its roles."""

import pytest

from drretail.agents.registry import load_agent
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.errors import UserError
from drretail.llm.registry import open_model
from drretail.records.run import Limits

SHOPPER = {"": open_model("offline:shopper")}


@pytest.mark.parametrize(
    ("agent", "label"),
    [
        ("plan_to_function", "plan_to_function@offline-shopper-tokens9"),
        ("react", "react@offline-shopper-tool_turns3-tokens9"),
        ("hybrid_react", "hybrid_react@offline-shopper-researchers2-tool_turns3-tokens9"),
        ("grounded_hybrid", "grounded_hybrid@offline-shopper-researchers2-tool_turns3-tokens9-repairs0"),
        ("dr3", "dr3@offline-shopper-researchers2-tool_turns3-rag_turns2-tokens9"),
    ],
)
def test_a_limit_that_changes_nothing_makes_no_other_system(world: World, agent: str, label: str) -> None:
    limits = Limits(researchers=2, tool_turns=3, rag_turns=2, tokens=9, repairs=0)
    assert SystemUnderTest.of(agent, load_agent(agent), SHOPPER, world, limits=limits).label == label


def test_a_model_for_a_role_that_the_agent_does_not_have_is_named(world: World) -> None:
    with pytest.raises(UserError, match=r"needs a model for researcher: .* It has no supervisor"):
        SystemUnderTest.of("react", load_agent("react"), {"supervisor": SHOPPER[""]}, world)
