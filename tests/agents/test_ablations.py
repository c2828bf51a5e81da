"""A system without some of its tools: another system, with only the rest to call."""

import asyncio
import itertools
import json
import re

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import PRESETS, SystemUnderTest, system_options
from drretail.env.world import World
from drretail.errors import UserError
from drretail.llm.scripted import Request
from drretail.records.run import LABEL_PATTERN, RoleModel, System
from drretail.tools.registry import FAMILIES, TOOLS, tools_of
from tests.agents.conftest import QUERY, calls, reporting, scripted
from tests.agents.hybrid_react.cast import DONE, cast, launch, perform

SEARCH = ("product_catalog_search", {"query": "bird feeder"})
SAID = "I looked nothing up."
REPORT = reporting(SAID)


def react(world: World, *turns: AIMessage, without: list[str]) -> tuple[Recorded, list[Request]]:
    model, shown = scripted(*turns)
    options = system_options(without, None)
    player = SystemUnderTest.of("react", load_agent("react"), {"": model}, world, options=options)
    return asyncio.run(Runner(world, "w").run(player, QUERY)), shown


@pytest.mark.parametrize("family", FAMILIES)
def test_the_agent_sees_the_other_tools_only(world: World, family: str) -> None:
    _, shown = react(world, REPORT, without=[family])
    assert shown[0].tool_names == set(TOOLS) - FAMILIES[family]


def test_a_tool_that_is_missing_is_an_unknown_one(world: World) -> None:
    recorded, shown = react(world, calls(SEARCH), REPORT, without=["catalog"])
    assert (recorded.run.steps[1].error or "").startswith("unknown_tool")
    assert "product_catalog_search" not in str(shown[0].tools)
    assert recorded.evidence == ()


def test_a_closed_book_has_no_tools_and_still_reports(world: World) -> None:
    recorded, shown = react(world, REPORT, without=[*PRESETS["closed_book"]])
    assert shown[0].tools == ()
    assert (recorded.run.status, recorded.run.report) == ("done", SAID)


@pytest.mark.parametrize(
    "turn", [AIMessage("Clean it weekly."), calls(("Reason", {"thought": "It is cleaned weekly."}), DONE)]
)
def test_researchers_keep_their_moves_and_the_supervisor_all_of_its_own(world: World, turn: AIMessage) -> None:
    memory = AIMessage(
        json.dumps(
            {"insights": [{"statement": "Clean it weekly.", "citations": []}], "sources": [], "open_questions": []}
        )
    )
    played = cast((launch("a"), calls(DONE)), {"a": (turn,)}, {"a": (memory,)})
    options = system_options((), "closed_book")
    assert perform(world, played, options=options).run.status == "done"
    assert played.shown["researcher"][0].tool_names == {"Reason", "Finalize"}
    assert played.shown["supervisor"][0].tool_names == {"Reason", "LaunchResearcher", "Finalize"}


def test_every_ablation_is_a_system_with_a_label_of_its_own() -> None:
    sets = [list(some) for count in range(5) for some in itertools.combinations(FAMILIES, count)]
    labels = [
        System(
            agent="hybrid_react",
            web_mode="ws",
            models={"researcher": RoleModel(spec="anthropic:a-model-with-a-very-long-name-20250929", kind="llm")},
            options=system_options(some, None),
        ).label()
        for some in sets
    ]
    assert len(set(labels)) == len(sets) == 16
    for label in labels:
        assert len(label) <= 80
        assert re.fullmatch(LABEL_PATTERN, label)


def test_a_label_says_what_is_missing() -> None:
    options = system_options(["user"], "tools_only", redact=True)
    model = RoleModel(spec="offline:shopper", kind="rule_based")
    system = System(agent="react", models={"researcher": model}, options=options)
    assert system.label() == "react@offline-shopper-redact-without-user-web"


def test_a_preset_is_a_shorthand_for_the_families_it_leaves_out() -> None:
    for name, families in PRESETS.items():
        spelt_out = system_options([*families], None)
        assert system_options((), name) == spelt_out
        assert system_options([*families], name) == spelt_out
    assert tools_of(PRESETS["closed_book"]) == set(TOOLS)
    assert set(TOOLS) - tools_of(PRESETS["web_only"]) == {"web_search"}
    assert tools_of(PRESETS["tools_only"]) == {"web_search"}


@pytest.mark.parametrize(
    ("without", "preset", "said"),
    [(["users"], None, "Did you mean user?"), (None, "closed", "Did you mean closed_book?")],
)
def test_a_wrong_name_is_answered_with_the_right_ones(without: list[str] | None, preset: str | None, said: str) -> None:
    with pytest.raises(UserError) as problem:
        system_options(without or (), preset)
    assert said in str(problem.value)
