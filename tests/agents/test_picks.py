"""Declared picks: taken out of the report, asked for once where they are missing, else unknown and noted."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.base import Agent
from drretail.agents.picks import asking_prompt
from drretail.agents.running.runner import Recorded
from drretail.agents.running.system import SystemUnderTest
from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.llm.scripted import Request
from drretail.prompts import tag_content
from drretail.records.query import Task
from drretail.records.reading import Outcome, Pick
from drretail.records.run import Answer, Limits
from tests.agents.conftest import QUERY, Scripted, calls, perform, record, scripted

SEARCH = ("product_catalog_search", {"query": "bird feeder"})
SAID = "Take the tube feeder for $24.99 [P:B0TEST0001]."
TUBE = Pick(product="B0TEST0001")
BLOCK = "```picks\nP:B0TEST0001 x 1\n```"


DEAR = "none: too_dear\nnearest: P:B0TEST0002 x 1"
DECIDED = Outcome(decision="none", because=("too_dear",), nearest=("B0TEST0002",))


@pytest.mark.parametrize(
    ("block", "outcome"),
    [
        ("P:B0TEST0001 x 1", Outcome(decision="buy")),
        ("P:B0TEST0001 x 1\nlamp: none: not_sold", Outcome(decision="part", because=("not_sold",))),
        (DEAR, DECIDED),
        ("", Outcome(decision="none")),
    ],
)
def test_what_the_block_decides_stands_in_the_run(world: World, block: str, outcome: Outcome) -> None:
    for turns in ([f"{SAID}\n\n```picks\n{block}\n```"], [SAID, f"```picks\n{block}\n```"]):
        recorded, _ = perform(world, calls(SEARCH), *map(AIMessage, turns))
        assert (recorded.run.report, recorded.run.outcome, recorded.run.notes) == (SAID, outcome, ())


@pytest.mark.parametrize("answer", [f"Here it is:\n\n{BLOCK}\n", "P:B0TEST0001 x 1"])
@pytest.mark.parametrize(
    ("behind", "problem"),
    [("", "declares no picks"), ("\n\n```picks\nthe tube feeder\n```", "names no product id")],
)
def test_missing_or_unreadable_picks_are_asked_for_once(world: World, behind: str, problem: str, answer: str) -> None:
    recorded, shown = perform(world, calls(SEARCH), AIMessage(SAID + behind), AIMessage(answer))
    run = recorded.run
    assert (run.report, run.picks, run.notes) == (SAID, (TUBE,), ())
    system, asked = shown[-1].messages
    assert system.text == asking_prompt().render()
    assert tag_content("query", asked.text) == QUERY.text
    assert tag_content("report", asked.text) == SAID
    assert problem in (tag_content("problem", asked.text) or "")
    assert not shown[-1].tool_names
    assert run.usage["researcher"].calls == 3
    assert [step.kind for step in run.steps] == ["model", "tool", "model", "model"]


@pytest.mark.parametrize(
    ("behind", "answer", "note"),
    [
        ("", AIMessage("I would rather not."), "picks_missing: the report declares no picks; asked for them:"),
        ("", AIMessage("```picks\nthe tube\n```"), "picks_missing: the report declares no picks; asked for them: 'the"),
        ("", ModelError("timeout", "slow"), "picks_missing: the report declares no picks; asked for them, the model f"),
        ("\n\n```picks\nthe tube\n```", AIMessage("No."), "picks_unreadable: 'the tube' names no product id; asked fo"),
    ],
)
def test_picks_that_stay_unknown_are_noted(world: World, behind: str, answer: Scripted, note: str) -> None:
    recorded, shown = perform(world, calls(SEARCH), AIMessage(SAID + behind), answer)
    run = recorded.run
    assert (run.status, run.report, run.picks, run.outcome, len(shown)) == ("done", SAID, None, None, 3)
    (text,) = run.notes
    assert text.startswith(note)


def test_a_report_of_nothing_but_picks_is_no_report(world: World) -> None:
    recorded, _ = perform(world, calls(SEARCH), AIMessage(BLOCK))
    assert recorded.run.error is not None
    assert (recorded.run.status, recorded.run.error.kind) == ("failed", "no_report")
    assert "the picks and no report" in recorded.run.error.message


def own(answer: Answer, *roles: Any) -> Agent:
    async def answering(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        return answer

    return Agent(answering, roles=roles)


def ran(world: World, agent: Agent, *turns: Scripted) -> tuple[Recorded, list[Request]]:
    model, shown = scripted(*turns)
    return record(world, SystemUnderTest.of("own", agent, {"": model} if agent.roles else {}, world)), shown


@pytest.mark.parametrize(
    ("answer", "picks", "outcome"),
    [
        (Answer(report=SAID, outcome=DECIDED), (), DECIDED),
        (Answer(report=f"{SAID}\n\n```picks\n{DEAR}\n```"), (), DECIDED),
        (Answer(report=SAID, picks=(TUBE,)), (TUBE,), Outcome(decision="buy")),
        (Answer(report=SAID, picks=(Pick(product="P:B0TEST0001"),)), (TUBE,), Outcome(decision="buy")),
        (Answer(report=f"{SAID}\n\n```picks\n```", picks=(TUBE,)), (TUBE,), Outcome(decision="buy")),
        (
            Answer(report=f"{SAID}\n\n{BLOCK}", outcome=Outcome(decision="part", because=("not_sold",))),
            (TUBE,),
            Outcome(decision="part", because=("not_sold",)),
        ),
    ],
)
def test_an_own_agent_declares_and_decides(
    world: World, answer: Answer, picks: tuple[Pick, ...], outcome: Outcome
) -> None:
    recorded, shown = ran(world, own(answer, "researcher"))
    run = recorded.run
    assert (run.report, run.picks, run.outcome, shown) == (SAID, picks, outcome, [])


def test_an_own_agent_is_asked_by_the_role_that_writes_and_without_a_model_not_at_all(world: World) -> None:
    recorded, shown = ran(world, own(Answer(report=SAID)))
    assert (recorded.run.picks, shown) == (None, [])
    assert recorded.run.notes == ("picks_missing: the report declares no picks",)
    recorded, shown = ran(world, own(Answer(report=SAID), "researcher", "report"), AIMessage(BLOCK))
    assert (recorded.run.picks, len(shown)) == ((TUBE,), 1)
    assert set(recorded.run.usage) == {"report"}
